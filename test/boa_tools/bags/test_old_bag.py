# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A bag of version 0.1, from before IMU samples and truth were in space: 0.2 s of thesis_5_1_1."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from boa_control.experiments.build import build_controller
from boa_tools.bags.recorded import find_run
from boa_tools.bags.ticks import bag_ticks, read_run
from boa_tools.runs.replay import TOLERANCE, replay

OLD = Path(__file__).parent / "version_0_1"


def test_it_is_read_and_what_it_did_not_hold_is_missing() -> None:
    run = find_run(OLD)
    log = read_run(run.bag, run.experiment)
    imu, links = log.sensors["imu"], run.experiment.robot.links
    assert log.ticks == 100 and imu["orientation"].shape == (imu.tick.size, links, 4)
    np.testing.assert_allclose(np.linalg.norm(imu["orientation"], axis=2), 1.0, atol=1e-12)
    assert np.isfinite(imu["angular_velocity"]).all() and imu["angular_velocity"][..., 2].any()
    assert np.isfinite(imu["linear_acceleration"][..., :2]).all()
    assert np.isnan(imu["linear_acceleration"][..., 2]).all(), "not measured then: NaN, not zero"
    assert log.truth is not None and np.isfinite(log.truth.base).all()
    assert log.true_contacts is not None and (log.true_contacts.normal_force > 0).all()


def test_replay_gives_the_recorded_torques() -> None:
    run = find_run(OLD)
    controller = build_controller(run.experiment)
    compared = replay(bag_ticks(run.bag, run.experiment), controller)
    assert compared.compared == compared.ticks == 100
    assert compared.largest <= TOLERANCE and compared.first is None
