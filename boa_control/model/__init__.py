# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The planar chain, its contacts and its path as functions of s: nothing here controls.

Planar: `PlanarChain`, on which the rest stands, refuses robots whose `joint.axes` is not yaw.
"""
