"""From a run log to numbers."""
