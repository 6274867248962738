"""What `make` can do to a stage, one module a verb."""
