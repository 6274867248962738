"""A made-up fleet that speaks HFP: for stages without a feed, for tests, and for load.

The same seed makes the same fleet, the same journeys and the same mistakes, message for message.
"""
