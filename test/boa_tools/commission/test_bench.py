# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The bench writes torques without the torque gate; what bounds them instead. What steps say where
nothing, or too little, can be measured.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from boa_control.plant import PlantError, SensorFrame
from boa_description.load import load_robot
from boa_hardware.config import RobotSettings
from boa_tools.commission.bench import CAP, RATE, Bench, Motion
from boa_tools.commission.operator import Task, Watch
from boa_tools.commission.steps.forces import Forces
from boa_tools.commission.steps.imus import Imus
from boa_tools.commission.steps.joints import Joints
from test.boa_tools.commission.emulated_bench import chain_of, emulated_bench, nominal

BOA = load_robot("boa13")


class Still:
    """A plant whose joints stay where they are."""

    armed = False

    def __init__(self) -> None:
        self.written: list[Any] = []
        self.stamp_ns = 0

    def open(self) -> None: ...
    def arm(self) -> None: ...
    def disarm(self) -> None: ...
    def close(self) -> None: ...

    def read(self) -> Any:
        self.stamp_ns += round(1e9 / RATE)
        zero = np.zeros(BOA.joints)
        return SensorFrame(self.stamp_ns, zero, zero, zero, None, None, zero, zero)

    def write(self, torque: Any) -> None:
        self.written.append(torque.copy())


def test_no_torque_of_the_bench_is_above_its_cap() -> None:
    plant: Any = Still()
    with Bench(BOA, RobotSettings(), lambda _: plant, pytest.fail) as bench:
        bench.follow(lambda _: np.full(BOA.joints, 3.0), 0.1)
        with pytest.raises(PlantError, match="no samples of IMUs"):
            bench._push(0, 5.0, 0.15, 0.1)
    assert np.abs(plant.written).max() == CAP


class Waking(Still):
    """Joint 3 tells its angle from the tenth sample after arming on, or never, which is a fault."""

    def __init__(self, silent: bool) -> None:
        super().__init__()
        self._silent = silent
        self._samples = 10

    def arm(self) -> None:
        self._samples = 0

    def read(self) -> Any:
        frame = super().read()
        self._samples += 1
        if self._silent or self._samples < 10:
            frame.position[2] = np.nan
        lost = self._silent and self._samples == 10
        return frame._replace(faults=("servo 3: no reply",)) if lost else frame


@pytest.mark.parametrize("silent", [False, True])
def test_no_torque_acts_before_every_joint_has_told_its_angle(silent: bool) -> None:
    """Arming forgets the angles; on a busy computer the first answers may be late."""
    plant: Any = Waking(silent)
    with Bench(BOA, RobotSettings(), lambda _: plant, pytest.fail) as bench:
        refused = pytest.raises(PlantError, match="servo 3: no reply") if silent else nullcontext()
        with refused:
            bench.follow(lambda _: np.zeros(BOA.joints), 0.1)
    assert bool(plant.written) != silent
    assert np.isfinite(plant.written).all()


def test_within_the_cap_no_torque_changes_faster_than_the_gate_would_allow() -> None:
    assert BOA.limits.torque_rate / RATE >= 2 * CAP


@pytest.mark.parametrize(
    ("begin", "move"),
    [
        (0.9, lambda bench: bench.again(lambda: bench.follow(lambda _: np.zeros(3), 2.0))),
        (0.2, lambda bench: bench.push(0, 0.3, 0.15, 1.2)),
    ],
)
def test_joints_do_not_move_again_by_themselves_when_an_emergency_stop_is_released(
    begin: float, move: Callable[[Bench], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power is away for 3 s; to set the servos up again takes as long, in which it comes back."""
    cut = {"kind": "brown_out", "start": begin, "stop": begin + 3.0}
    with emulated_bench({}, chain_of(4), {"servos": [cut]}) as (bench, _):
        armed: list[int] = []
        arm = bench.plant.arm

        def arm_and_tell() -> None:
            arm()
            armed.append(bench.read().stamp_ns)

        monkeypatch.setattr(bench.plant, "arm", arm_and_tell)
        with pytest.raises(PlantError, match="torque stays off until you run the step again"):
            move(bench)
        assert len(armed) == 1
        assert not bench.plant.armed


@pytest.mark.parametrize("kind", ["silence", "nan"])
def test_an_imu_that_has_died_is_named_by_what_needs_it(kind: str) -> None:
    """After the step `buses`, which would have said so."""
    died = {"kind": kind, "link": 2, "start": 0.0}
    with (
        emulated_bench({}, chain_of(4), {"spine": [died]}) as (bench, operator),
        pytest.raises(PlantError, match="no reading of the IMU of link 2; check cable and board"),
    ):
        Imus().run(bench, operator, nominal(bench))


def test_what_a_fault_has_ended_at_once_is_told_by_the_fault() -> None:
    zero = np.zeros(BOA.joints)
    frame = SensorFrame(0, zero, zero, zero, None, None, zero, zero, faults=("spine: bus-off",))
    with pytest.raises(PlantError, match="spine: bus-off"):
        Motion.of([frame])


def test_the_force_sensor_that_does_not_tell_is_named_and_not_the_noisiest() -> None:
    died = {"kind": "silence", "link": 2, "start": 0.0}  # it reads the sensor of joint 1
    with (
        emulated_bench({}, chain_of(4), {"spine": [died]}) as (bench, operator),
        pytest.raises(PlantError, match="force sensor of joint 1: no reading; check its board"),
    ):
        Forces().run(bench, operator, nominal(bench))


def test_a_joint_that_was_hardly_bent_is_asked_for_again_and_the_others_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where "done" was pressed too soon."""
    asked: list[str] = []
    with emulated_bench({}, chain_of(4)) as (bench, operator):
        perform = operator.perform

        def too_soon(task: Task, watch: Watch) -> None:
            asked.append(str(task)[:35])
            if len(asked) == 2:
                for _ in range(20):
                    watch()
            else:
                perform(task, watch)

        monkeypatch.setattr(operator, "perform", too_soon)
        assert Joints().run(bench, operator, nominal(bench)).right
    assert len(asked) == 4
    assert asked[2].startswith("once more, since it was hardly bent")
