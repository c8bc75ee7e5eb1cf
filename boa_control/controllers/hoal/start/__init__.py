"""The start of a run: its place on the path, and taking hold of the posts there."""
