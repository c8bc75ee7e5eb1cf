"""Checks of a path before the run: form closure, limits, findings.

Planar: forces and motions in the plane of the floor; the model of the chain refuses other robots.
"""
