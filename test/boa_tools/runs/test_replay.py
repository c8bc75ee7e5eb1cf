# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A replay finds equal torques equal and names the first difference."""

from __future__ import annotations

import numpy as np
import pytest
from run_fakes import RailPlant, free_experiment

from boa_control.controller import ControlOutput
from boa_control.controllers.set_points import SetPointChange
from boa_control.controllers.steered import SteeredController
from boa_description.errors import BoaError
from boa_tools.bags.rosbag import BagWriter
from boa_tools.bags.ticks import BagSink, bag_ticks, written_topics
from boa_tools.runs.drive import drive
from boa_tools.runs.replay import replay
from test.steerable import Cruise


class Integral:
    """A controller with a memory: torque = gain * sum of yaw and force readings."""

    def __init__(self, gain: float = 1e-3, glitch_at: int | None = None) -> None:
        self.gain, self.glitch_at = gain, glitch_at
        self.reset()

    def reset(self):
        self.sum, self.ticks = np.zeros(3), 0

    def step(self, frame):
        self.sum = self.sum + frame.joint_force.force[:, 0] + frame.imu.yaw[1:]
        torque = self.gain * self.sum
        if self.ticks == self.glitch_at:
            torque = torque + np.array([0.0, 0.25, 0.0])
        self.ticks += 1
        return ControlOutput(torque)


@pytest.fixture(scope="module")
def bag(tmp_path_factory):
    experiment = free_experiment(links=4)
    path = tmp_path_factory.mktemp("replay") / "bag"
    with BagWriter(path, written_topics()) as writer:
        sink = BagSink(writer, experiment)
        drive(experiment, RailPlant(experiment), Integral(), sinks=[sink])
    return experiment, path


def test_the_same_controller_gives_the_same_torques(bag):
    experiment, path = bag
    controller = Integral()
    # what it remembers from before is forgotten
    controller.step(next(iter(bag_ticks(path, experiment))).frame)
    found = replay(bag_ticks(path, experiment), controller)
    assert (found.ticks, found.compared, found.first) == (50, 50, None)
    assert found.largest < 1e-12


def test_a_difference_is_named_with_time_and_joint(bag):
    experiment, path = bag
    found = replay(bag_ticks(path, experiment), Integral(glitch_at=20))
    assert found.largest == pytest.approx(0.25, abs=1e-12)
    assert (found.first.time_s, found.first.joint) == (pytest.approx(0.04), 1)
    assert found.first.replayed - found.first.recorded == pytest.approx(0.25)


def test_ticks_that_a_slow_recorder_has_lost_are_counted(bag):
    experiment, path = bag
    ticks = list(bag_ticks(path, experiment))
    found = replay(ticks[:5] + ticks[8:], Integral())
    assert found.first is not None
    assert (found.first.tick, found.first.missing(experiment.control_period)) == (5, 3)
    whole = replay(ticks, Integral(glitch_at=20))
    assert whole.first.missing(experiment.control_period) == 0


def test_a_robot_whose_ticks_come_early_and_late_has_lost_none(bag):
    experiment, path = bag
    period_ns = round(1e9 * experiment.control_period)
    ticks = list(bag_ticks(path, experiment))
    for number, tick in enumerate(ticks):
        late = (0, 4, 1, 3)[number % 4] * period_ns // 10
        ticks[number] = tick._replace(
            frame=tick.frame._replace(stamp_ns=tick.frame.stamp_ns + late)
        )
    found = replay(ticks, Integral(glitch_at=21))
    assert found.first.missing(experiment.control_period) == 0


def test_not_a_number_is_a_difference(bag):
    experiment, path = bag
    found = replay(bag_ticks(path, experiment), Integral(gain=float("nan")))
    assert found.first is not None and found.first.time_s == 0.0


def test_ticks_without_a_recorded_command_are_not_compared(bag):
    experiment, path = bag
    ticks = list(bag_ticks(path, experiment))
    ticks[10].output.torque[:] = np.nan
    found = replay(ticks, Integral())
    assert (found.ticks, found.compared, found.first) == (50, 49, None)


NAMES = ("joint_01", "joint_02", "joint_03")
PLAN = (SetPointChange(time=0.02, speed=-0.1), SetPointChange(time=0.05, speed=0.05, force=7.0))


@pytest.fixture(scope="module")
def steered_bag(tmp_path_factory):
    experiment = free_experiment(links=4)
    path = tmp_path_factory.mktemp("steered") / "bag"
    controller = SteeredController(Cruise(), NAMES, PLAN)
    with BagWriter(path, written_topics()) as writer:
        sink = BagSink(writer, experiment)
        drive(experiment, RailPlant(experiment), controller, sinks=[sink])
    return experiment, path


def test_a_steered_run_is_steered_again_from_its_record(steered_bag):
    experiment, path = steered_bag
    found = replay(bag_ticks(path, experiment), SteeredController(Cruise(), NAMES))
    assert (found.ticks, found.compared, found.largest) == (50, 50, 0.0)


def test_what_the_record_does_not_have_is_a_difference(steered_bag):
    experiment, path = steered_bag
    ticks = (
        tick._replace(output=tick.output._replace(events=()))
        for tick in bag_ticks(path, experiment)
    )
    found = replay(ticks, SteeredController(Cruise(), NAMES))
    assert found.first.time_s == pytest.approx(0.02)


def test_a_controller_without_set_points_cannot_replay_a_steered_run(steered_bag):
    experiment, path = steered_bag
    with pytest.raises(BoaError, match=r"steered at 0\.020 s; this controller takes no set-points"):
        replay(bag_ticks(path, experiment), Integral())
