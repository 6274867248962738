"""The code of the events' schema is made before the tests that import it."""

from jobs.build import generate_schema

generate_schema()
