"""Measurements of a deployed stage, each from the records' own times or a process's own CPU."""
