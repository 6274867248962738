"""What runs on the clusters: events, their ingestion, and the jobs on them."""
