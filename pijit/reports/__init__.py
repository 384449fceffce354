"""Reports for people: what was compiled, what was not, and why."""
