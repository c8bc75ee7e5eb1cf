# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A small policy for a robot of three links, and a scenario for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from boa_control.controllers.policy.interface import PolicyInterface

TABLE = PolicyInterface(
    observation=("position", "velocity", "heading", "joint_force"), clock=3.0, rate=20.0
)
WIDTH = 2 + 2 + 3 + 6 + 2 + 2  # with clock and last action
SHORT: dict[str, Any] = {
    "name": "short",
    "summary": "test",
    "robot": {"name": "boa13", "links": 3},
    "initial": {"base": [0.0, 0.0, 0.0]},
    "scene": {"ground": {"model": "anisotropic", "mu": 0.02, "mu_normal": 0.2}},
    "plant": {"control_rate": 200, "effects": {"fidelity": "datasheet"}},
    "controller": {"name": "constant"},
    "evaluation": {"heading": 0.0, "settle": 0.0},
    "duration": 1.0,
}


def small_layers() -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights of two layers, which see everything."""
    rng = np.random.default_rng(1)
    sizes = [(8, WIDTH), (2, 8)]
    return [(rng.normal(size=size) / np.sqrt(size[1]), np.zeros(size[0])) for size in sizes]


def small_policy(path: Path, **changes: Any) -> Path:
    """Write it, with other fields of its record."""
    from boa_control.controllers.policy.file import PolicyRecord
    from boa_tools.gym.export import layers_model, write_policy

    fields = {"interface": TABLE, "mean": (0.1,) * WIDTH, "scale": (0.5,) * WIDTH, **changes}
    write_policy(path, layers_model(small_layers()), PolicyRecord(**fields))
    return path
