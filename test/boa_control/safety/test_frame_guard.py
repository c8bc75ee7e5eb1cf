# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames that lack a joint: no torque, no step, told once, and the controller goes on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_control.controller import ControlOutput
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_control.safety.frame_guard import FrameGuard

NAMES = ("joint_01", "joint_02", "joint_03")
STEPPED = Event(kind=EventKind.NOTE, note="stepped")
NOT_NUMBERS = (np.nan, np.inf, -np.inf)


def frame(stamp_ns: int = 0, **joints: np.ndarray) -> SensorFrame:
    zero = np.zeros(3)
    values = {"position": zero, "velocity": zero, "effort": zero} | joints
    return SensorFrame(
        stamp_ns=stamp_ns, **values, joint_force=None, imu=None, temperature=zero, joint_age=zero
    )


class Counter:
    """Answers with the number of steps since the last reset."""

    def __init__(self) -> None:
        self.steps = 0

    def reset(self) -> None:
        self.steps = 0

    def step(self, frame: SensorFrame) -> ControlOutput:
        self.steps += 1
        return ControlOutput(
            np.full(3, float(self.steps)), events=(STEPPED,), debug={"steps": self.steps}
        )


measured = arrays(float, 3, elements=st.floats(-1e3, 1e3) | st.sampled_from(NOT_NUMBERS))


@given(measured, measured, measured)
def test_a_frame_is_complete_if_all_its_joint_values_are_numbers(
    position, velocity, effort
) -> None:
    numbers = np.isfinite([position, velocity, effort]).all()
    with np.errstate(invalid="ignore"):  # inf - inf
        assert frame(position=position, velocity=velocity, effort=effort).complete == numbers


def test_silent_force_sensors_and_imus_are_no_gap() -> None:
    force = ForceSample(0, np.full((3, 3), np.nan))
    imu = ImuSample.planar(0, *np.full((2, 4), np.nan), np.full((4, 2), np.nan))
    sample = frame()._replace(joint_force=force, imu=imu, temperature=np.full(3, np.nan))
    assert sample.complete and FrameGuard(Counter(), NAMES).step(sample).torque.all()


@pytest.mark.parametrize("field", ["position", "velocity", "effort"])
def test_zero_torque_without_a_step_and_it_goes_on_afterwards(field: str) -> None:
    guard, gap = FrameGuard(Counter(), NAMES), frame(**{field: np.array([0.1, np.nan, np.nan])})
    outputs = [guard.step(sample) for sample in (frame(), gap, gap, frame(), frame())]
    assert [output.torque.tolist() for output in outputs] == [[k] * 3 for k in (1, 0, 0, 2, 3)]
    assert [output.ready for output in outputs] == [True, False, False, True, True]
    (missing,) = outputs[1].events
    assert text_of(missing) == "no torque: no reading of joint_02, joint_03"
    assert not outputs[2].events
    assert outputs[3].events == (Event(kind=EventKind.READINGS_AGAIN, count=2), STEPPED)
    assert outputs[4].events == (STEPPED,) and outputs[3].debug == {"steps": 2}


def test_a_reset_forgets_the_gap() -> None:
    guard = FrameGuard(Counter(), NAMES)
    guard.step(frame())
    guard.step(frame(effort=np.full(3, np.nan)))
    guard.reset()
    output = guard.step(frame())
    assert output.events == (STEPPED,) and output.torque.tolist() == [1.0] * 3


def test_all_incomplete_frames_are_counted() -> None:
    guard, gap = FrameGuard(Counter(), NAMES), frame(effort=np.full(3, np.nan))
    assert guard.incomplete == 0
    for sample in (gap, gap, frame(), gap):
        guard.step(sample)
    guard.reset()
    assert guard.incomplete == 3


def test_a_controller_that_is_not_ready_stays_so_after_a_gap() -> None:
    controller = Counter()
    controller.step = lambda frame: ControlOutput(np.zeros(3), ready=False)
    guard = FrameGuard(controller, NAMES)
    outputs = [guard.step(sample) for sample in (frame(effort=np.full(3, np.nan)), frame())]
    assert not outputs[1].ready


def test_names_of_another_robot_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        FrameGuard(Counter(), NAMES[:2]).step(frame(effort=np.full(3, np.nan)))
