# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A straight way of 0.4 m on a floor that grips; the head ends between two posts."""

from __future__ import annotations

from typing import Any

from boa_control.experiments.scenario import Scenario

POSTS = [{"kind": "circle", "x": 1.9, "y": y, "radius": 0.05} for y in (-0.1, 0.1)]


def weaving(**parameters: Any) -> Scenario:
    """The scenario, with parameters of its controller."""
    return Scenario.model_validate(
        {
            "name": "weaving",
            "summary": "to a place between posts",
            "path": {
                "kind": "segments",
                "start": [0.0, 0.0],
                "heading": 0.0,
                "segments": [[2.1, 0.0]],
            },
            "scene": {
                "ground": {"model": "anisotropic", "mu": 0.02, "mu_normal": 0.2},
                "obstacles": POSTS,
            },
            "initial": {"progress": 0.92},
            "plant": {"control_rate": 200.0, "physics_step": 0.0025, "tracker": {}},
            "controller": {"name": "weaving", "parameters": parameters},
            "duration": 26.0,
        }
    )
