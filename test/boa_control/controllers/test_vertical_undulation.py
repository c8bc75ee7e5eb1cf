# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The steered vertical wave: its reference by hand and against its derivatives, and which way it
turns COBRA (simulated).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.controllers.gaits import joint_reference
from boa_control.controllers.undulation.steering import Offset
from boa_control.controllers.vertical_undulation import (
    NEARLY_LOW,
    Bend,
    Curving,
    VerticalUndulation,
    eased,
)
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment

SCENARIO = load_scenario("cobra_targets")
EXPERIMENT = prepare(SCENARIO)
PARAMETERS = VerticalUndulation.Parameters.model_validate(SCENARIO.controller.parameters)
PITCH = list(EXPERIMENT.robot.pitch_joints)
YAW = [index for index in range(EXPERIMENT.robot.joints) if index not in PITCH]
LIMIT = PARAMETERS.steering.limit
PERIOD = 0.002  # s, of control
STRAIGHT = np.zeros(EXPERIMENT.robot.joints)
WAVE = PARAMETERS.gait.motion(EXPERIMENT.robot.joints, PITCH)


@pytest.fixture(scope="module")
def controller() -> VerticalUndulation:
    return VerticalUndulation(briefing(EXPERIMENT), PARAMETERS)


def bent(
    controller: VerticalUndulation, bend: float, time: float, height: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Angles and rates under a constant bend and height."""
    wave = joint_reference(WAVE, time, STRAIGHT)
    return controller._bent(wave, Bend(height, 0.0, bend, 0.0), time)


def test_pitch_joints_make_the_wave_and_yaw_joints_swing_about_the_bend(
    controller: VerticalUndulation,
) -> None:
    curve = PARAMETERS.curve
    times = np.linspace(0.0, 1.0 / PARAMETERS.gait.frequency, 400)
    angles = np.array([bent(controller, LIMIT, time, 0.3)[0] for time in times])
    highest = np.abs(angles[:, PITCH]).max(axis=0)
    np.testing.assert_allclose(highest, 0.3 * 1.34, rtol=1e-3)
    np.testing.assert_allclose(angles[:-1, YAW].mean(axis=0), LIMIT, rtol=1e-2)
    np.testing.assert_allclose(angles[:, YAW].max(axis=0), LIMIT * (1 + curve.swing), rtol=1e-3)
    straight, _ = bent(controller, 0.0, 2.3)
    wave = joint_reference(WAVE, 2.3, STRAIGHT).position
    np.testing.assert_allclose(straight, wave)


def followed(offsets: Sequence[float]) -> list[Bend]:
    """What `Curving` makes of offsets, one for each tick."""
    curving = Curving(PARAMETERS.curve, LIMIT, PERIOD)
    return [curving.update(Offset(offset, 0.0, 0.0)) for offset in offsets]


def test_a_curve_begins_low_and_the_wave_rises_when_the_bend_is_slight() -> None:
    """5 s straight on, 5 s in the narrowest curve, 5 s straight on: the states at their ends, and
    the bend is slight until the wave is nearly low.
    """
    curve = PARAMETERS.curve
    ticks = round(5.0 / PERIOD)
    bends = followed([0.0] * ticks + [LIMIT] * ticks + [0.0] * ticks)
    ahead, turning, again = bends[ticks - 1], bends[2 * ticks - 1], bends[-1]
    assert (ahead.height, ahead.value) == (1.0, 0.0)
    assert turning.height == pytest.approx(curve.amplitude, abs=1e-3)
    assert turning.value == pytest.approx(LIMIT)
    assert again.height == pytest.approx(1.0, abs=1e-3)
    assert again.value == 0.0


def test_a_limit_that_never_lowers_the_wave_is_refused() -> None:
    curve = PARAMETERS.curve
    for limit in (0.5 * (curve.slight + curve.begin), curve.begin):
        with pytest.raises(BoaError, match=r"the wave would stay high.* raise steering.limit"):
            Curving(curve, limit, PERIOD)
    slight = Curving(curve, curve.slight, PERIOD)
    assert slight.update(Offset(curve.slight, 0.0, 0.0)).value == curve.slight


@settings(max_examples=25)  # each of some thousand ticks
@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(1, 400)), min_size=1, max_size=8))
def test_a_high_wave_never_bends_much(courses: list[tuple[float, int]]) -> None:
    """Whatever the steering asks for, and whenever: bends above the slight one come with a wave
    that is low but for a tenth, and no bend is larger than the steering's.
    """
    curve = PARAMETERS.curve
    offsets = [share * LIMIT for share, ticks in courses for _ in range(ticks)]
    for offset, bend in zip(offsets, followed(offsets), strict=True):
        assert abs(bend.value) <= abs(offset)
        assert bend.value * offset >= 0.0
        if abs(bend.value) > curve.slight + 1e-12:
            assert bend.height < curve.amplitude + NEARLY_LOW


def test_between_slight_and_large_bends_the_wave_stays_what_it_is() -> None:
    between = 0.5 * (PARAMETERS.curve.slight + PARAMETERS.curve.begin)
    assert followed([between] * 1000)[-1].height == 1.0
    ticks = round(5.0 / PERIOD)
    assert followed([LIMIT] * ticks + [between] * ticks)[-1].height < 0.31


@settings(max_examples=40)
@given(share=st.floats(-1, 1), height=st.floats(0, 1), time=st.floats(2, 20))
def test_rates_are_derivatives(
    controller: VerticalUndulation, share: float, height: float, time: float
) -> None:
    step = 1e-6
    before, after = (bent(controller, share * LIMIT, time + s, height)[0] for s in (-step, step))
    _, rate = bent(controller, share * LIMIT, time, height)
    np.testing.assert_allclose(rate, (after - before) / (2 * step), atol=1e-6)


def test_the_rate_of_the_height_is_its_derivative() -> None:
    bends = followed([LIMIT] * 500)
    heights = np.array([bend.height for bend in bends])
    rates = np.array([bend.height_rate for bend in bends])
    np.testing.assert_allclose(np.diff(heights) / PERIOD, rates[1:], atol=1e-9)


@settings(max_examples=40)
@given(share=st.floats(0, 1), time=st.floats(0, 20))
def test_left_and_right_are_mirror_images(
    controller: VerticalUndulation, share: float, time: float
) -> None:
    left, right = (bent(controller, sign * share * LIMIT, time)[0] for sign in (1, -1))
    np.testing.assert_allclose(left[PITCH], right[PITCH])
    np.testing.assert_allclose(left[YAW], -right[YAW], atol=1e-12)


def test_easing_is_level_at_both_ends() -> None:
    assert [eased(share) for share in (-1.0, 0.0, 0.5, 1.0, 2.0)] == [0.0, 0.0, 0.5, 1.0, 1.0]


def test_a_planar_robot_is_refused() -> None:
    given_ = load_scenario("boa_targets").model_dump()
    given_["controller"] = {"name": "vertical_undulation", "parameters": {}}
    with pytest.raises(BoaError, match="vertical_wave needs joints that lift"):
        VerticalUndulation(briefing(prepare(Scenario.model_validate(given_))), PARAMETERS)


@pytest.mark.closed_loop
def test_it_turns_towards_a_target() -> None:
    """6 s towards a target at 27 deg: the believed heading has turned by more than 0.15 rad, and
    the centre of mass, whose place the controller knows to 5 mm, has left the axis to that side.
    The other side is the mirror image, see above.
    """
    points = ((2.0, -1.0),)
    goal = SCENARIO.goal
    assert goal is not None
    scenario = SCENARIO.model_copy(
        update={
            "goal": goal.model_copy(update={"points": points}),
            "plant": SCENARIO.plant.model_copy(update={"control_rate": 250.0}),
            "duration": 6.0,
        }
    )
    experiment = prepare(scenario)
    log = run_experiment(experiment).log
    assert cast(np.ndarray, log.debug["heading_rad"])[-1] < -0.15
    analysis = Analysis(log, experiment)
    assert analysis.free is not None
    assert analysis.free.centre[-1, 1] < -0.02
    found = metrics(analysis)
    assert found["extra"]["position_error_rms_m"] < 0.005
    assert found["gate_trips"] == 0
