# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which way a joint wave drives the robot, between walls on two kinds of floor (simulated)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_tools.runs.drive import run_experiment

pytestmark = pytest.mark.closed_loop

LINKS = 8
GAP = 0.225  # m, between the walls; the wave alone would take 0.235 m
FREQUENCY = 6.0  # rad/s
ISOTROPIC = {"model": "coulomb", "mu": 0.2}
ANISOTROPIC = {"model": "anisotropic", "mu": 0.1, "mu_normal": 0.4}


def advance_per_period(phase_shift: float, ground: dict[str, object]) -> float:
    """How far the robot moves head first in one period of the wave, once it has its shape, m."""
    period = 2 * math.pi / FREQUENCY
    walls = [
        {"kind": "wall", "x1": -3, "y1": y, "x2": 4, "y2": y, "thickness": 0.1}
        for y in (GAP / 2 + 0.05, -GAP / 2 - 0.05)
    ]
    gait = {"kind": "wave", "amplitude": 0.5, "frequency": FREQUENCY, "phase_shift": phase_shift}
    scenario = Scenario.model_validate(
        {
            "name": "wave",
            "summary": "a wave between walls",
            "robot": {
                "name": "boa13",
                "links": LINKS,
                "override": {  # soft joints hardly load the walls, but the start is a blow
                    "force_sensor": {"range": 500.0},
                    "limits": {"joint_force_warn": 400.0, "joint_force_fault": 450.0},
                },
            },
            "scene": {"obstacles": walls, "ground": ground, "contact": {"friction": 0.4}},
            "initial": {"base": [0.0, 0.0, 0.0], "joints": [0.0] * (LINKS - 1)},
            "controller": {"name": "joint_pd", "parameters": {"kp": 15, "kd": 1, "gait": gait}},
            "duration": 0.6 + period,
        }
    )
    log = run_experiment(prepare(scenario)).log
    tail = log.truth.base[:, 0]
    begin = np.searchsorted(log.time, log.time[-1] - period)
    return float(tail[-1] - tail[begin])


@pytest.mark.parametrize(("ground", "sign"), [(ISOTROPIC, -1), (ANISOTROPIC, 1)])
def test_floor_decides_which_wave_drives_head_first(ground: dict[str, object], sign: int) -> None:
    """Isotropic floor: with the wave. Anisotropic floor: against it. Measured: 40 and 60 mm per
    period.
    """
    assert advance_per_period(sign * 0.9, ground) > 0.02
    assert advance_per_period(-sign * 0.9, ground) < -0.02
