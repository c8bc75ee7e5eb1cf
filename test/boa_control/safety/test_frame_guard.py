"""Frames that lack a joint: no torque, no step, told once, and the controller goes on; in a run and
in its replay.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_control.controller import ControlOutput
from boa_control.experiments.experiment import build_controller, prepare
from boa_control.experiments.library import load_scenario
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_control.safety.frame_guard import FrameGuard
from boa_sim.factory import plant_from_experiment
from boa_tools.runs.drive import drive
from boa_tools.runs.replay import replay
from boa_tools.runs.tick import Tick

pytestmark = pytest.mark.closed_loop

NAMES = ("joint_01", "joint_02", "joint_03")
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
            np.full(3, float(self.steps)), events=("stepped",), debug={"steps": self.steps}
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
    sample = replace(frame(), joint_force=force, imu=imu, temperature=np.full(3, np.nan))
    assert sample.complete and FrameGuard(Counter(), NAMES).step(sample).torque.all()


@pytest.mark.parametrize("field", ["position", "velocity", "effort"])
def test_zero_torque_without_a_step_and_it_goes_on_afterwards(field: str) -> None:
    guard, gap = FrameGuard(Counter(), NAMES), frame(**{field: np.array([0.1, np.nan, np.nan])})
    outputs = [guard.step(sample) for sample in (frame(), gap, gap, frame(), frame())]
    assert [output.torque.tolist() for output in outputs] == [[k] * 3 for k in (1, 0, 0, 2, 3)]
    assert [output.ready for output in outputs] == [True, False, False, True, True]
    assert (
        outputs[1].events == ("no torque: no reading of joint_02, joint_03",)
        and not outputs[2].events
    )
    assert outputs[3].events == ("readings of all joints again after 2 ticks", "stepped")
    assert outputs[4].events == ("stepped",) and outputs[3].debug == {"steps": 2}


def test_a_reset_forgets_the_gap() -> None:
    guard = FrameGuard(Counter(), NAMES)
    guard.step(frame())
    guard.step(frame(effort=np.full(3, np.nan)))
    guard.reset()
    output = guard.step(frame())
    assert output.events == ("stepped",) and output.torque.tolist() == [1.0] * 3


class Ticks(list[Tick]):
    """Keeps the ticks of a run."""

    def add(self, tick: Tick) -> None:
        self.append(tick)


def test_hoal_goes_on_after_joints_were_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """One NaN ended it with an exception, or left all its torques NaN for ever."""
    scenario = load_scenario("boa_friction_010").model_copy(
        update={"duration": 4.0, "distance": None}
    )
    experiment = prepare(scenario)
    plant, ticks = plant_from_experiment(experiment, 0), Ticks()
    read, period = plant.read, experiment.control_period
    gaps = {"position": (1.5, 1.51), "effort": (1.8, 1.84), "velocity": (2.0, 2.2)}

    def read_with_gaps() -> SensorFrame:
        sample = read()
        for field, (begin, end) in gaps.items():
            if begin <= sample.stamp_ns * 1e-9 < end:
                values = getattr(sample, field).copy()
                values[4] = np.nan
                sample = replace(sample, **{field: values})
        return sample

    monkeypatch.setattr(plant, "read", read_with_gaps)
    result = drive(experiment, plant, build_controller(experiment), sinks=[ticks])
    plant.close()
    log, whole = result.log, np.array([tick.frame.complete for tick in ticks])
    assert result.ended.reason == "duration" and (~whole).sum() == round(0.25 / period)
    assert not log.commanded[~whole].any() and not log.applied[~whole].any()
    assert np.isfinite(log.commanded).all() and log.commanded[whole].any(axis=1).all()
    told = [event.text for event in log.events]
    assert sum("no reading of joint_05" in text for text in told) == 3
    assert told.count("torque withheld") == 2, "after gaps of more than 30 ms it takes hold anew"
    assert np.hypot(*log.sensors["joint_force"]["force"][:, :, :2].T).max() < 25.0, (
        "as on the undisturbed way"
    )
    assert log.debug["progress_rate_mps"][-1] > 0.03, "and it goes on"
    again = replay(ticks, build_controller(experiment))
    assert again.compared == log.ticks and again.largest == 0.0
