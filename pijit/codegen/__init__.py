"""Machine code."""
