"""Hybrid obstacle-aided locomotion: hybrid position and force control on the path (controller
`hoal`).
"""
