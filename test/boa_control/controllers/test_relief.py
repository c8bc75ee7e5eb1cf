# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Relief of loaded joints: its law by hand, and that it takes torque only ever away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pydantic import ValidationError

from boa_control.controller import ControlOutput
from boa_control.controllers import CONTROLLERS
from boa_control.controllers.relief import Relief, ReliefSettings, desired_shares
from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.plant import ForceSample, SensorFrame
from test.boa_control.controllers.weaving.straight_way import weaving

JOINTS, LIMIT, PERIOD = 12, 6.4, 0.002
SETTINGS = ReliefSettings(soft=10.0, hard=30.0, least=0.2, reach=2, recovery=0.1)


def loaded(joint: int, force: float) -> np.ndarray:
    """Forces with one component of one joint."""
    forces = np.zeros((JOINTS, 3))
    forces[joint, 1] = force
    return forces


def frame(force: np.ndarray | None, tick: int = 0) -> SensorFrame:
    still = np.zeros(JOINTS)
    sample = None if force is None else ForceSample(tick, force)
    return SensorFrame(tick, still, still, still, sample, None, still, still)


def test_half_way_between_soft_and_hard_half_of_the_share_is_gone() -> None:
    """20 N is half way from 10 to 30 N: 1 - 0.8 / 2 = 0.6, for the joint and two on either side."""
    shares = desired_shares(loaded(5, -20.0), SETTINGS)
    assert shares == pytest.approx([1, 1, 1, 0.6, 0.6, 0.6, 0.6, 0.6, 1, 1, 1, 1])


@pytest.mark.parametrize(("force", "share"), [(9.9, 1.0), (30.0, 0.2), (500.0, 0.2)])
def test_below_soft_all_is_left_and_above_hard_the_least(force: float, share: float) -> None:
    assert desired_shares(loaded(0, force), SETTINGS)[:3] == pytest.approx(share)


def test_a_sensor_that_falls_silent_keeps_its_joint_loaded() -> None:
    relief = Relief(SETTINGS, JOINTS, LIMIT, PERIOD)
    output = ControlOutput(np.full(JOINTS, 10.0))
    for force in (loaded(5, 25.0), *[np.full((JOINTS, 3), np.nan)] * 250):
        cut = relief.reduced(output, frame(force))
    assert cut.torque[5] == pytest.approx(0.4 * LIMIT) and cut.torque[0] == LIMIT
    relief.reset()
    cut = relief.reduced(output, frame(np.full((JOINTS, 3), np.nan)))
    assert cut.torque == pytest.approx(LIMIT)


def test_it_falls_at_once_and_recovers_with_its_time_constant() -> None:
    """After 0.1 s 1 - 0.8 / e of the share is back."""
    relief = Relief(SETTINGS, JOINTS, LIMIT, PERIOD)
    output = ControlOutput(np.full(JOINTS, 10.0))
    cut = relief.reduced(output, frame(loaded(5, 40.0)))
    assert cut.torque[5] == pytest.approx(0.2 * LIMIT) and cut.torque[0] == LIMIT
    for _ in range(50):
        cut = relief.reduced(output, frame(np.zeros((JOINTS, 3))))
    assert cut.debug["relief_share"][5] == pytest.approx(1 - 0.8 / np.e)
    relief.reset()
    assert relief.reduced(output, frame(None)).torque == pytest.approx(LIMIT)


@given(
    force=arrays(np.float64, (JOINTS, 3), elements=st.floats(allow_infinity=False)),
    torque=arrays(np.float64, JOINTS, elements=st.floats(-1e3, 1e3)),
)
def test_no_torque_grows_or_turns(force: np.ndarray, torque: np.ndarray) -> None:
    relief = Relief(SETTINGS, JOINTS, LIMIT, PERIOD)
    cut = relief.reduced(ControlOutput(torque), frame(force)).torque
    assert (np.abs(cut) <= np.abs(torque)).all() and (cut * torque >= 0).all()


def test_soft_above_hard_is_refused() -> None:
    with pytest.raises(ValidationError, match="soft is 40 N and hard 30 N"):
        ReliefSettings(soft=40.0, hard=30.0)


# a shipped scenario for every controller; others drive the robot of boa_circle along its path
SCENARIOS = {
    "feeling": "boa_blind_field",
    "hoal": "boa_circle",
    "joint_pd": "cobra_vertical",
    "manifold_rocking": "rocking_on_manifold",
    "shape_path": "scp_boa_field",
    "two_phase": "thesis_5_1_1",
    "undulation": "boa_targets",
    "vertical_undulation": "cobra_targets",
    "wall_grinding": "wall_grinding",
    "policy": str(Path(__file__).parents[3] / "examples" / "learned" / "walk.yaml"),
}


SWIM = {
    "controller": "undulation",
    "parameters": {"position": "dead_reckoning"},
    "goal": {"kind": "targets", "points": [[9.0, 0.0]]},
}
PARAMETERS = {"stretches": {"stretches": [SWIM]}}


@pytest.mark.parametrize("name", sorted(CONTROLLERS))
def test_every_controller_can_be_relieved(name: str) -> None:
    """Plain, steered and following ones: half of the force limit leaves half of the torque."""
    relief = {"soft": 0.0, "hard": 50.0, "least": 0.0, "torque": 0.01}
    scenario = load_scenario(SCENARIOS.get(name, "boa_circle"))
    if name == "weaving":
        scenario = weaving()
    elif name not in SCENARIOS:
        choice = {"name": name, "parameters": PARAMETERS.get(name, {})}
        scenario = changed(scenario, {"controller": choice})
    assert scenario.controller.name == name
    at = prepare(changed(scenario, {"controller.relief": relief}))
    controller = build_controller(at)
    joints = at.robot.joints
    still = np.zeros(joints)
    force = np.zeros((joints, 3))
    force[:, 0] = 25.0
    sample = ForceSample(0, force)
    bent = at.start_joints + 0.05
    output = controller.step(SensorFrame(0, bent, still, still, sample, None, still, still))
    assert np.abs(output.torque).max() <= 0.005 + 1e-12
    assert output.debug["relief_share"] == pytest.approx(0.5)
