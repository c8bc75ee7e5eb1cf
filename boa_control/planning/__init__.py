"""What can be said about a path before the run: form closure, limits, findings."""
