"""Messages as vehicles send them, and how to change them."""

import json

from streambed.ingest.messages import RawMessage

RECEIVED_MS = 1_600_657_201_148
TRAM_TOPIC = (
    "/hfp/v2/journey/ongoing/vp/tram/0040/00456/1006/1/Arabia/05:47/1111428/5/60;24/19/75/80"
)
TRAM = {
    **{"desi": "6", "dir": "1", "oper": 40, "veh": 456, "tst": "2020-09-21T03:00:00.963Z"},
    **{"tsi": 1600657200, "spd": 0.57, "hdg": 339, "lat": 60.178041, "long": 24.950185},
    **{"acc": 0.56, "dl": -8, "odo": 2653, "drst": 0, "oday": "2020-09-21", "jrn": 16},
    **{"line": 34, "start": "05:47", "loc": "GPS", "stop": None, "route": "1006", "occu": 0},
}
METRO_TOPIC = (
    "/hfp/v2/journey/ongoing/vp/metro/0050/00111/31M1/1/Vuosaari/05:40/1080601/4/60;24/19/67/21"
)
METRO = {
    **{"desi": "M1", "dir": "1", "oper": 50, "veh": 111, "tst": "2020-09-21T03:00:01Z"},
    **{"tsi": 1600657201, "spd": 12.5, "hdg": 90, "lat": 60.162, "long": 24.971, "acc": None},
    **{"dl": None, "odo": None, "drst": None, "oday": "2020-09-21", "start": "05:40"},
    **{"loc": "GPS", "stop": None, "route": "31M1", "seq": 2, "occu": 0},
}


def message(payload=None, *, topic: str = TRAM_TOPIC, event: str = "vp", **changes) -> RawMessage:
    """The tram's message, with another event or other fields."""
    content = json.dumps({event.upper(): {**(payload or TRAM), **changes}}).encode()
    return RawMessage(topic.replace("/vp/", f"/{event}/"), content, RECEIVED_MS)


def without(field: str, payload=None) -> dict:
    return {name: value for name, value in (payload or TRAM).items() if name != field}
