"""What a launcher starts."""

from pathlib import Path

from streambed.analytics.launcher import command, identity
from streambed.analytics.settings import Settings

ALARMS = Settings(
    application="alarms",
    address="10.0.0.1",
    metrics_port=9121,
    bootstrap="a:9092",
    zookeeper="a:2181,b:2181",
    bucket={},
    spark={"spark.driver.memory": "480m", "spark.ui.enabled": False},
)


def test_the_lock_tells_where_the_driver_answers():
    assert identity(ALARMS).endswith(" 10.0.0.1:9121")


def test_the_driver_is_submitted_with_the_package_and_the_settings_of_its_application():
    words = command(ALARMS, Path("/etc/jobs/alarms.yml"))
    properties = [words[at + 1] for at, word in enumerate(words) if word == "--conf"]
    assert properties == [
        "spark.scheduler.mode=FAIR",
        "spark.sql.shuffle.partitions=2",
        "spark.driver.memory=480m",
        "spark.ui.enabled=false",
    ]
    assert words[words.index("--py-files") + 1].endswith("jobs")
    assert words[-4:] == [
        "/usr/local/lib/streambed/drive.py",
        *("drive", "--config", "/etc/jobs/alarms.yml"),
    ]
