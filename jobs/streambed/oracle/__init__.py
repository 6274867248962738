"""What the jobs must have said, computed anew as a batch and held against what they did say.

It shares nothing with the jobs but the events' schema, codec and cells: plain Python beside Spark,
made from the same description, so that it can find them wrong.
"""
