"""Paths for obstacle-aided locomotion: construction, placement of the chain on them, checks."""
