# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Checks of a path before the run: form closure, limits, findings.

Planar: forces and motions in the plane of the floor; the model of the chain refuses other robots.
"""
