"""Hybrid obstacle-aided locomotion: hybrid position and force control on the path (controller
`hoal`).

Planar: a robot whose `joint.axes` is not yaw is refused.
"""
