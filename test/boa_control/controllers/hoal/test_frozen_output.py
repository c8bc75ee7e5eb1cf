# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An output never changes once it is returned: read at once or after the run, it is the same."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from boa_control.controller import ControlOutput
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_sim.factory import plant_from_experiment

TICKS = 700


def numbers(output: ControlOutput) -> list[np.ndarray]:
    """Copies of everything in an output."""
    contacts = np.array([list(contact) for contact in output.contacts], float)
    debug = [np.array(value, float) for value in output.debug.values()]
    return [output.torque.copy(), contacts, *debug]


@pytest.mark.parametrize("name", ["boa_friction_010", "boa_both_sides", "boa_offset_10mm"])
def test_outputs_read_late_are_those_read_at_once(name: str) -> None:
    """Contact forces with friction of the floor, read late, were those of another place: 6.09 N
    became 5.78 N.
    """
    experiment = prepare(load_scenario(name))
    read_at_once, read_late = build_controller(experiment), build_controller(experiment)
    plant = plant_from_experiment(experiment, 0)
    plant.arm()
    at_once, late = [], []
    for _ in range(TICKS):
        frame = plant.read()
        output = read_at_once.step(frame)
        at_once.append(numbers(output))
        late.append(read_late.step(frame))  # its contacts are not evaluated yet
        plant.write(output.torque)
    plant.close()
    for before, output in zip(at_once, late, strict=True):
        for expected, value in zip(before, numbers(output), strict=True):
            np.testing.assert_array_equal(value, expected)
    forces = [contacts[:, 4] for _, contacts, *_ in at_once if contacts.size]
    assert any(not np.array_equal(one, other) for one, other in pairwise(forces)), "it does change"
