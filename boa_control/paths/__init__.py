# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths for obstacle-aided locomotion: construction, placement of the chain on them, checks.

Planar: curves on the floor, for robots whose `joint.axes` is yaw; `build_path` refuses others.
"""
