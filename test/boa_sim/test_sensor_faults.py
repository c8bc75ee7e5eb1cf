# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single sensors that fail, on frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from boa_control.experiments.disturbance import SensorFault
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_sim.sensor_faults import SensorFaults

BOA = load_robot("boa13")
PERIOD_NS = 2_000_000


def frame(k: int) -> SensorFrame:
    values = np.arange(BOA.joints, dtype=np.float64) + 100.0 * k
    force = ForceSample(k * PERIOD_NS, np.repeat(values[:, None], 3, axis=1))
    heading = np.arange(BOA.links, dtype=np.float64) + 100.0 * k
    imu = ImuSample.planar(k * PERIOD_NS, heading, heading, np.repeat(heading[:, None], 2, axis=1))
    still = np.zeros(BOA.joints)
    return SensorFrame(k * PERIOD_NS, values, still, still, force, imu, still, still)


def seen(k: int, **fault: Any) -> SensorFrame:
    faults = SensorFaults((SensorFault(time=2 * PERIOD_NS * 1e-9, **fault),), BOA)
    for early in range(k):
        faults.apply(frame(early))
    return faults.apply(frame(k))


@pytest.mark.parametrize(
    ("kind", "value"), [("offset", 504.5), ("silent", np.nan), ("zero", 0.0), ("frozen", 104.0)]
)
def test_a_force_sensor_fails_from_its_time_on_and_no_other(kind: str, value: float) -> None:
    fault = {"sensor": "joint_force", "number": 5, "kind": kind}
    fault |= {"offset": 0.5} if kind == "offset" else {}
    sound, early, late = frame(5), seen(1, **fault), seen(5, **fault)
    assert early.joint_force is not None and late.joint_force is not None
    assert sound.joint_force is not None
    assert early.joint_force.force[4, 0] == 104.0
    np.testing.assert_array_equal(late.joint_force.force[4], np.full(3, value))
    others = np.arange(BOA.joints) != 4
    np.testing.assert_array_equal(late.joint_force.force[others], sound.joint_force.force[others])


def test_an_encoder_is_off_and_an_imu_is_silent() -> None:
    late = seen(3, sensor="encoder", number=1, kind="offset", offset=0.25)
    assert late.position[:2].tolist() == [300.25, 301.0]
    imu = seen(3, sensor="imu", number=13, kind="silent").imu
    assert imu is not None
    assert np.isnan(imu.angular_velocity[12]).all() and not np.isnan(imu.yaw_rate[:12]).any()


def test_a_sensor_that_the_robot_lacks_is_named() -> None:
    with pytest.raises(BoaError, match="joint_force 13, the robot boa13 has 12"):
        SensorFaults((SensorFault(sensor="joint_force", number=13, kind="zero"),), BOA)


@pytest.mark.parametrize(
    "fault",
    [
        {"sensor": "joint_force", "number": 1, "kind": "offset"},
        {"sensor": "joint_force", "number": 1, "kind": "zero", "offset": 1.0},
        {"sensor": "encoder", "number": 1, "kind": "silent"},
    ],
)
def test_faults_that_are_none_are_refused(fault: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SensorFault.model_validate(fault)
