# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hybrid obstacle-aided locomotion: hybrid position and force control on the path (controller
`hoal`).

Planar: a robot whose `joint.axes` is not yaw is refused.
"""
