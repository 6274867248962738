"""What a vehicle says: HFP topics and payloads, as text.

Most of a message stays the same from one stop to the next and is written once; this is what makes
tens of thousands of messages a second possible.
"""

from streambed.ingest.hfp.topic import Journey, format_topic, geohash
from streambed.ingest.simulator.vehicle import Vehicle
from streambed.ingest.times import format_ms

# Helsinki in summer, where the operating day ends at half past four.
LOCAL_MS = 3 * 3_600_000
DAY_END_MS = 4 * 3_600_000 + 1_800_000

WITH_SCHEDULE = frozenset({"due", "arr", "ars", "pde", "dep"})


class Speech:
    """The words of one vehicle."""

    def __init__(self, vehicle: Vehicle) -> None:
        self._vehicle = vehicle
        self._metro = vehicle.mode == "metro"
        self.refresh()

    def refresh(self) -> None:
        """Write anew what changes at stops only."""
        vehicle, line = self._vehicle, self._vehicle.line
        local_ms = vehicle.started_ms + LOCAL_MS
        minutes = local_ms // 60_000 % 1440
        start = f"{minutes // 60:02d}:{minutes % 60:02d}"
        journey = Journey(
            upcoming=False,
            event="\0",
            mode=vehicle.mode,
            operator=vehicle.operator,
            vehicle=vehicle.number,
            route=line.route,
            direction=line.direction,
            headsign=line.headsign,
            start=start,
            next_stop=None if vehicle.at_end else str(line.stops[vehicle.next_stop].id),
            end_of_line=vehicle.at_end,
        )
        self._topic = format_topic(journey, "").split("\0")
        self._who = (
            f'"desi":"{line.designation}","dir":"{line.direction}",'
            f'"oper":{vehicle.operator},"veh":{vehicle.number}'
        )
        stop = line.stops[vehicle.stop].id if vehicle.at_stop else "null"
        internal = "" if self._metro else f'"jrn":{vehicle.journey},"line":{line.designation},'
        self._journey = (
            f'"oday":"{format_ms(local_ms - DAY_END_MS)[:10]}",{internal}"start":"{start}",'
            f'"loc":"GPS","stop":{stop},"route":"{line.route}","occu":0'
        )
        due = format_ms(vehicle.due_ms())[:19]
        self._schedule = f',"ttarr":"{due}Z","ttdep":"{due}Z"'

    def say(self, event: str, now_ms: int, *, without_gps: bool = False) -> tuple[str, str]:
        """A topic and a payload."""
        vehicle = self._vehicle
        latitude, longitude, heading = vehicle.line.place(vehicle.metres)
        if without_gps:
            place, where = '"spd":null,"hdg":null,"lat":null,"long":null,"acc":null', "0////"
        else:
            where = geohash(latitude, longitude)
            acceleration = "null" if self._metro else f"{vehicle.acceleration:.2f}"
            place = (
                f'"spd":{vehicle.speed:.2f},"hdg":{heading},"lat":{latitude:.6f},'
                f'"long":{longitude:.6f},"acc":{acceleration}'
            )
        time = format_ms(now_ms)
        if self._metro:
            time = f"{time[:19]}Z"
            state, extra = '"dl":null,"odo":null,"drst":null', ',"seq":1'
        else:
            state = (
                f'"dl":{vehicle.ahead_s},"odo":{int(vehicle.metres)},"drst":{vehicle.doors_open:d}'
            )
            extra = ""
        if event in WITH_SCHEDULE:
            extra += self._schedule
        start, end = self._topic
        return f"{start}{event}{end}{where}", (
            f'{{"{event.upper()}":{{{self._who},"tst":"{time}","tsi":{now_ms // 1000},'
            f"{place},{state},{self._journey}{extra}}}}}"
        )
