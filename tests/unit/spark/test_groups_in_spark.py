"""Where Spark itself keeps a key."""

from streambed.analytics.groups import part_of


def test_spark_keeps_keys_on_the_part_that_is_meant_for_them(spark):
    rows = spark.range(100).selectExpr("int(id) AS key", "pmod(hash(int(id)), 7) AS part").collect()
    assert all(part_of(row["key"], 7) == row["part"] for row in rows)
