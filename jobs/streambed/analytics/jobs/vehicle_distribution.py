"""Where the vehicles are: how many in each cell, each counted once, at its newest position.

Written as one SQL query. A cell that vehicles only passed through is told with none in it.
"""

from streambed.analytics import Newest, WindowJob
from streambed.events import VehicleCount


class VehicleDistribution(WindowJob):
    name = "vehicle-distribution"
    size, slide, early = "30s", "5s", "10s"
    where = "cell IS NOT NULL"
    values = {"cell": "parent(cell)"}
    summary = Newest()
    result = VehicleCount
    key = ("cell",)
    part = "cell"
    sql = """
        SELECT window, cell, sum(if(newest, n, 0)) AS vehicles
        FROM vehicle_position
        GROUP BY window, cell
    """
