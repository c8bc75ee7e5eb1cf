# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The run loop, on a plant that is not MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest
from run_fakes import PERIOD_NS, RailPlant, Steady, free_experiment, path_experiment

from boa_control.safety.frame_guard import FrameGuard
from boa_tools.runs.drive import drive


def test_every_tick_is_logged_with_what_was_applied():
    experiment = free_experiment(links=4)
    torque = np.array([0.5, -0.25, 0.0])
    plant = RailPlant(experiment)
    result = drive(experiment, plant, Steady(torque))
    log = result.log
    assert result.ended.reason == "duration"
    assert log.ticks == 50
    assert np.array_equal(log.stamp_ns, np.arange(50) * PERIOD_NS)
    assert np.array_equal(log.commanded, np.tile(torque, (50, 1)))
    assert np.array_equal(log.applied, plant.written)  # the log says what the plant really got
    assert (np.abs(log.applied) <= np.abs(torque)).all()
    assert np.isfinite(log.control_step_us).all() and (log.control_step_us > 0).all()
    assert (np.diff(log.wall_s) > 0).all()


def test_sensor_samples_are_logged_once_with_their_own_stamps():
    experiment = free_experiment(links=4)
    log = drive(experiment, RailPlant(experiment), Steady(np.zeros(3))).log
    force, imu = log.sensors["joint_force"], log.sensors["imu"]
    assert force.tick.tolist() == list(range(0, 50, 5))
    assert np.array_equal(force.stamp_ns, force.tick * PERIOD_NS)
    assert force["force"][3, 2, 1] == 1.0 + force.stamp_ns[3] * 1e-9
    assert (
        imu["heading"].shape == (10, 4)
        and imu["linear_acceleration"][0, :, 1].tolist() == (-imu["heading"][0]).tolist()
    )


def test_controller_output_is_logged():
    experiment = free_experiment(links=4)
    log = drive(experiment, RailPlant(experiment), Steady(np.zeros(3))).log
    assert log.contacts.tick.tolist() == list(range(50))
    assert set(log.contacts.reference) == {5.0} and log.contacts.established.all()
    assert log.debug["friction_nm"].shape == (50, 2)
    assert [(event.stamp_ns, event.text) for event in log.events] == [(0, "gain post 2 link 2")]


def test_run_ends_at_the_distance():
    experiment = path_experiment(distance=0.1)
    result = drive(experiment, RailPlant(experiment, speed=0.2), Steady(np.zeros(12)))
    assert result.ended.reason == "distance"
    assert result.log.time[-1] == pytest.approx(0.5, abs=0.03)


def test_latched_fault_ends_the_run_and_is_logged():
    experiment = free_experiment(links=4)

    class Failing(RailPlant):
        def write(self, torque):
            super().write(torque)
            if self.tick == 10:
                self.faults = ("servo 3 (joint_03): no reply for 3 ticks; check its cable",)

    result = drive(experiment, Failing(experiment), Steady(np.ones(3)))
    assert str(result.ended).startswith("fault: plant: servo 3")
    assert result.ended.fault is not None and result.ended.fault.subject == "servo 3 (joint_03)"
    assert result.log.ticks == 11
    assert not result.log.applied[-1].any()
    assert [event.trip.fault for event in result.log.trips] == [result.ended.fault]


def test_a_stop_request_ends_the_run_between_two_ticks():
    experiment = free_experiment(links=4)
    plant = RailPlant(experiment)
    result = drive(experiment, plant, Steady(np.zeros(3)), stop=lambda: plant.tick == 20)
    assert result.ended.reason == "interrupted" and result.log.ticks == 20


class Breaking(Steady):
    """Raises at its 21st step."""

    steps = 0

    def step(self, frame):
        self.steps += 1
        if self.steps > 20:
            raise ZeroDivisionError("division by zero")
        return super().step(frame)


def test_a_controller_that_raises_ends_the_run_and_keeps_it():
    experiment = free_experiment(links=4)
    controller = FrameGuard(Breaking(np.full(3, 0.1)), experiment.robot.joint_names)
    plant = RailPlant(experiment)
    result = drive(experiment, plant, controller)
    assert result.log.ticks == 20
    assert result.ended.fault is not None
    assert str(result.ended.fault).startswith("controller: ZeroDivisionError: division by zero in")
    assert result.trace.endswith("ZeroDivisionError: division by zero")
    assert np.array_equal(plant.written[-1], np.zeros(3)) or not plant.armed
