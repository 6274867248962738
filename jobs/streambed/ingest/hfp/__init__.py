"""HFP v2, the feed of Helsinki's vehicles: topics, payloads and their oddities."""
