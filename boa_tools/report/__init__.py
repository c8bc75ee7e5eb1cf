"""Plots, picture and the HTML page of a run."""
