"""From the names of jobs to their comparisons."""

from collections.abc import Iterator, Sequence

from streambed.oracle.comparison import Comparison
from streambed.oracle.delay_distribution import DelayDistribution
from streambed.oracle.emergency_stop import EmergencyStop
from streambed.oracle.errors import Wrong
from streambed.oracle.final_stop import FinalStop
from streambed.oracle.flow_direction import FlowDirection
from streambed.oracle.inputs import expect_what_was_consumed, feed
from streambed.oracle.objects import Objects
from streambed.oracle.pass_through import PassThrough
from streambed.oracle.progress import Progress, read_progress
from streambed.oracle.set_aside import SetAside, read_set_aside
from streambed.oracle.timetables import Timetables
from streambed.oracle.topics import Topics
from streambed.oracle.vehicle_distribution import VehicleDistribution

JOBS = {
    job.name: job
    for job in (
        VehicleDistribution,
        DelayDistribution,
        FlowDirection,
        FinalStop,
        EmergencyStop,
        PassThrough,
    )
}


def check(
    topics: Topics,
    objects: Objects,
    names: Sequence[str],
    since_ms: float = float("-inf"),
) -> Iterator[Comparison]:
    for name in names:
        if name not in JOBS:
            raise Wrong(f"There is no oracle for {name!r}; there is one for {', '.join(JOBS)}.")
    progresses = [read_progress(objects, name) for name in dict.fromkeys(names)]
    set_aside = read_set_aside(topics, progresses)
    inputs = dict.fromkeys(topic for name in names for topic in JOBS[name].inputs)
    retained = {topic: topics.retained(topic) for topic in inputs}
    for progress in progresses:
        for topic in JOBS[progress.job].inputs:
            expect_what_was_consumed(topic, retained[topic], progress.ends.get(topic, {}))
    jobs = [_job(progress, set_aside[progress.job], retained, objects) for progress in progresses]
    feed(topics, retained, jobs)
    while jobs:
        yield jobs.pop(0).compare(topics, since_ms)


def _job(progress: Progress, set_aside: SetAside, retained: dict, objects: Objects):
    if progress.job != FinalStop.name:
        return JOBS[progress.job](progress, set_aside, retained)
    resolution = int(progress.options.get("resolution", 9))
    return FinalStop(progress, set_aside, retained, Timetables(objects, resolution))
