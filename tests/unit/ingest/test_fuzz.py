"""Whatever comes, the processor says what it is and raises nothing.

FUZZ=1000000 pytest tests/unit/ingest/test_fuzz.py    one million mutated messages, minutes
"""

import os
import random

from hfp_examples import METRO, METRO_TOPIC, message
from streambed.events.codec import decode, encoder
from streambed.ingest.hfp.processor import HfpProcessor
from streambed.ingest.messages import DeadLetter, Drop, RawMessage, Record
from streambed.ingest.simulator.fleet import Fleet
from streambed.ingest.simulator.imperfections import Rates

COUNT = int(os.environ.get("FUZZ", "5000"))
WORDS = (
    *(b"null", b"true", b"-1", b"0", b"1e308", b"-1e-308", b"99999999999999999999", b"NaN", b"[]"),
    *(
        b"{}",
        b'""',
        b'"\\u0000"',
        b'"\\ud83d\\ude00"',
        b"0.1e-5",
        b"[[[[[[",
        b'"2020-13-45T99:99Z"',
    ),
    *(b'"9999-12-31T23:59:59.999Z"', b'"0001-01-01T00:00:00.000Z"', b"4294967296", b"-2147483649"),
)


def seeds() -> list[RawMessage]:
    """A little of everything that a fleet says."""
    fleet = Fleet(60, seed=4, start_ms=1_777_874_400_000, rates=Rates(garbage=0.05, nulls=0.05))
    said = [
        RawMessage(arrival.topic, arrival.payload, arrival.arrival_ms)
        for arrivals in fleet.seconds(60)
        for arrival in arrivals
    ]
    arrival = message(event="arr", ttarr="2020-09-21T03:01:00Z", ttdep=None)
    return [*said, arrival, message(METRO, topic=METRO_TOPIC)]


def mutated(raw: RawMessage, chance: random.Random) -> RawMessage:
    topic, payload = raw.topic, bytearray(raw.payload)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(payload) + 1)
        match chance.randrange(8):
            case 0 if payload:
                payload[place % len(payload)] = chance.randrange(256)
            case 1:
                del payload[place : place + chance.randint(1, 20)]
            case 2:
                payload[place:place] = chance.randbytes(chance.randint(1, 8))
            case 3 | 4:
                # Another value for a field: the mutation that gets furthest.
                colon = payload.find(b":", place)
                end = payload.find(b",", colon)
                if 0 <= colon < end:
                    payload[colon + 1 : end] = chance.choice(WORDS)
            case 5:
                elements = topic.split("/")
                elements[chance.randrange(len(elements))] = chance.choice(
                    ["", "x", "EOL", "٣", "\0", "99999", "tlr", "a/b", "0040"]
                )
                topic = "/".join(elements)
            case 6:
                place = chance.randrange(len(topic) + 1)
                topic = topic[:place] + chr(chance.randrange(0x2FF)) + topic[place + 1 :]
            case _:
                payload = payload[:place]
    return RawMessage(topic, bytes(payload), raw.received_ms)


def test_mutated_messages_raise_nothing():
    chance = random.Random(20200921)
    originals = seeds()
    processor, encode = HfpProcessor(remember=10), encoder("binary")
    outcomes = {Record: 0, Drop: 0, DeadLetter: 0}
    for number in range(COUNT):
        raw = mutated(chance.choice(originals), chance)
        outcome = processor.process(raw, shift_ms=chance.choice((0, 0, 10**9)), copy=number % 2)
        outcomes[type(outcome)] += 1
        if type(outcome) is Record:
            value = encode(outcome.event_ms, raw.received_ms, outcome.details)
            if number % 10 == 0:
                assert decode(value, "binary").details == outcome.details
    print(outcomes)
    assert outcomes[Record] > COUNT / 20
    assert outcomes[DeadLetter] > COUNT / 20
