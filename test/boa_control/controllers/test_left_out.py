# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller whose class has no more than `step`."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_control.controllers import make_controller
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.plant import SensorFrame
from boa_description.errors import BoaError

COUNTS = '''
import numpy as np
from boa_control.controller import ControlOutput


class Counts:
    """Torques grow with every tick."""

    def __init__(self, briefing):
        self.force, self.joints = 0.0, briefing.robot.joints

    def step(self, frame):
        self.force += 1.0
        return ControlOutput(np.full(self.joints, self.force))
'''
BRIEFING = briefing(prepare(load_scenario("boa_circle")))


@pytest.fixture
def name(tmp_path: Path) -> str:
    (tmp_path / "counts.py").write_text(COUNTS)
    return f"{tmp_path / 'counts.py'}:Counts"


def test_without_reset_every_run_has_a_new_one(name: str, frame: SensorFrame) -> None:
    controller = make_controller(name, {}, BRIEFING)
    assert [controller.step(frame).torque[0] for _ in range(2)] == [1.0, 2.0]
    controller.reset()
    assert controller.step(frame).torque[0] == 1.0


def test_without_parameters_it_takes_none(name: str) -> None:
    with pytest.raises(BoaError, match="gain"):
        make_controller(name, {"gain": 1.0}, BRIEFING)


@pytest.fixture
def frame() -> SensorFrame:
    zero = BRIEFING.start_joints
    assert zero is not None
    none = 0.0 * zero
    return SensorFrame(0, zero, none, none, None, None, none, none)
