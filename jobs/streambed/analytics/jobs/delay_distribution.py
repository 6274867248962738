"""How late vehicles are when they arrive: percentiles of the delay in minutes, by cell."""

from streambed.analytics import Every, WindowJob
from streambed.events import DelayDistribution as Result


class DelayDistribution(WindowJob):
    name = "delay-distribution"
    input = "input.stop-event"
    where = "kind = 'ARRIVED' AND cell IS NOT NULL AND delay IS NOT NULL"
    values = {"cell": "parent(cell)", "delay": "delay"}
    summary = Every()
    result = Result
    key = ("cell",)
    part = "cell"

    # Nearest rank: the smallest delay that at least so many per cent of the arrivals do not exceed.
    sql = """
        WITH ranked AS (
            SELECT window, cell, delay / 60D AS minutes,
                   sum(n) OVER (PARTITION BY window, cell ORDER BY delay) AS up_to,
                   sum(n) OVER (PARTITION BY window, cell) AS arrivals
            FROM stop_event
        )
        SELECT window, cell, any_value(arrivals) AS arrivals,
               min(minutes) FILTER (WHERE up_to >= ceil(arrivals * 50 / 100)) AS p50,
               min(minutes) FILTER (WHERE up_to >= ceil(arrivals * 90 / 100)) AS p90,
               min(minutes) FILTER (WHERE up_to >= ceil(arrivals * 99 / 100)) AS p99
        FROM ranked
        GROUP BY window, cell
    """
