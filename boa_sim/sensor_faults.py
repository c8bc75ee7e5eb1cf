# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors that do not tell what they should, on frames as the others make them."""

from collections.abc import Sequence

import numpy as np

from boa_control.experiments.disturbance import SensorFault
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot

Values = dict[str, Array]  # a row for each sensor of one kind


class SensorFaults:
    """Replaces the values of single sensors from the time on at which they fail."""

    def __init__(self, faults: Sequence[SensorFault], robot: Robot) -> None:
        """Raises BoaError: the robot has no such sensor."""
        for fault in faults:
            most = robot.links if fault.sensor == "imu" else robot.joints
            if fault.number > most:
                raise BoaError(
                    f"disturbance.sensor_faults: {fault.sensor} {fault.number}, the robot "
                    f"{robot.name} has {most}; give a number from 1 to {most}"
                )
        self._faults = tuple(faults)
        self.reset()

    def reset(self) -> None:
        """As at the start of a run."""
        self._last: dict[SensorFault, Values] = {}

    def apply(self, frame: SensorFrame) -> SensorFrame:
        """The frame as the controller gets it."""
        for fault in self._faults:
            values = _values(frame, fault)
            if not values:
                continue
            before = self._last.get(fault, values)
            failed = frame.stamp_ns >= fault.time * 1e9
            if not failed:
                self._last[fault] = values
                continue
            self._last[fault] = before
            frame = _with(frame, fault, _failed(values, before, fault))
        return frame


def _values(frame: SensorFrame, fault: SensorFault) -> Values:
    """What the sensor tells, by the names of its fields; nothing before the first sample."""
    at = fault.number - 1
    if fault.sensor == "encoder":
        return {"position": frame.position[at]}
    if fault.sensor == "joint_force":
        return {} if frame.joint_force is None else {"force": frame.joint_force.force[at]}
    imu = frame.imu
    if imu is None:
        return {}
    return {
        "angular_velocity": imu.angular_velocity[at],
        "linear_acceleration": imu.linear_acceleration[at],
    }


def _failed(values: Values, before: Values, fault: SensorFault) -> Values:
    """What it tells instead."""
    if fault.kind == "frozen":
        return before
    if fault.kind == "offset":
        gyroscope = "angular_velocity"
        return {
            name: value if name == gyroscope else value + fault.offset
            for name, value in values.items()
        }
    replaced = np.nan if fault.kind == "silent" else 0.0
    return {name: np.full_like(value, replaced) for name, value in values.items()}


def _with(frame: SensorFrame, fault: SensorFault, values: Values) -> SensorFrame:
    """The frame with other values of one sensor."""
    at = fault.number - 1

    def put(array: Array, name: str) -> Array:
        changed = array.copy()
        changed[at] = values[name]
        return changed

    if fault.sensor == "encoder":
        return frame._replace(position=put(frame.position, "position"))
    if fault.sensor == "joint_force" and frame.joint_force is not None:
        force = put(frame.joint_force.force, "force")
        return frame._replace(joint_force=frame.joint_force._replace(force=force))
    if frame.imu is None:
        return frame
    spin = put(frame.imu.angular_velocity, "angular_velocity")
    push = put(frame.imu.linear_acceleration, "linear_acceleration")
    return frame._replace(imu=frame.imu._replace(angular_velocity=spin, linear_acceleration=push))
