"""Everything a deploy needs on the control machine before it can provision anything."""
