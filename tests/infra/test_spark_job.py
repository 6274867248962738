"""A job goes through the whole cluster: driver, executors, their Python, and the bucket."""

import uuid
from pathlib import Path

from deployed import targets, topology, with_role

testinfra_hosts = targets("spark_master")[:1]

JOB = (Path(__file__).parent / "spark_probe.py").read_text()


def test_a_job_runs_on_the_cluster_and_writes_and_reads_the_bucket(host):
    place = f"s3a://{topology().bucket.name}/probe/{uuid.uuid4().hex}"
    host.run("cat > /tmp/probe.py <<'JOB'\n" + JOB + "\nJOB")
    # 480 MiB is what Spark insists on; the master on the same host needs the rest. So short a job
    # is over before the second compiler has earned what it costs.
    quick = "-XX:TieredStopAtLevel=1"
    # The stage's own jobs leave a core of each worker, and memory for one executor.
    cores = 1 if with_role("job") else min(worker.cores for worker in with_role("spark_worker"))
    options = (
        f"--driver-memory 480m --driver-java-options {quick} --conf spark.ui.enabled=false "
        f"--conf spark.executor.extraJavaOptions={quick} "
        f"--conf spark.cores.max={cores} --conf spark.executor.cores={cores}"
    )
    submitted = host.run(f"timeout 120 spark-submit {options} /tmp/probe.py %s", place)
    assert "PROBE 499500" in submitted.stdout, submitted.stderr[-3000:]
