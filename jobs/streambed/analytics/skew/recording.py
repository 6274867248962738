"""Arrivals from a recording of raw HFP messages: as if they had gone through ingestion."""

from streambed.analytics.skew.distribution import Arrival
from streambed.analytics.skew.sample import Sample
from streambed.analytics.skew.since import since_ms
from streambed.ingest.hfp.processor import HfpProcessor
from streambed.ingest.messages import DeadLetter, Record
from streambed.ingest.recordings import find_files, parse_line, read_lines
from streambed.options import OptionError


def read_recording(source: str, *, topic: str | None = None, since: str | None = None) -> Sample:
    """Messages of all topics, or of one. What ingestion drops is left out and named."""
    if topic is not None and topic not in HfpProcessor.topics:
        known = ", ".join(HfpProcessor.topics)
        raise OptionError(f"TOPIC: a recording makes records of {known}; found {topic!r}.")
    sample, processor = Sample(), HfpProcessor()
    try:
        files = find_files(source)
    except OptionError as error:
        raise OptionError(f"FILE: there is no recording at {source}.") from error
    lines = (line for file in files for chunk in read_lines(file) for line in chunk if line)
    for number, line in enumerate(lines):
        message = parse_line(line)
        outcome = processor.process(message)
        if isinstance(outcome, Record):
            if topic in (None, outcome.topic):
                received_ms = message.received_ms
                sample.add(Arrival(received_ms, 0, number, outcome.event_ms, received_ms))
        elif isinstance(outcome, DeadLetter):
            sample.left_out[f"undecodable: {outcome.reason}"] += 1
        else:
            sample.left_out[f"dropped: {outcome.reason}"] += 1
    if since is not None and sample.arrivals:
        end_ms = max(arrival.arrival_ms for arrival in sample.arrivals)
        first_ms = since_ms(since, end_ms=end_ms)
        kept = [arrival for arrival in sample.arrivals if arrival.arrival_ms >= first_ms]
        sample.notes.append(f"{len(kept):,} of {len(sample.arrivals):,} came since {since}.")
        sample.arrivals = kept
    return sample
