"""One run in one process: tick, log, results folder."""
