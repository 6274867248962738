"""From a source of messages into Kafka, losing nothing.

A connector delivers raw messages and is told when they are safe; a processor turns each into a
record or says why not; the pipeline joins the two with a producer. Any connector works with any
processor, and both are found by name (registry.py).
"""
