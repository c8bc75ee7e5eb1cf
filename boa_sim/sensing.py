# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All sensors of a simulated robot, and the frames that are made of what they measure. Sensors that
do not tell what they should, on frames as the others make them.
"""

from collections.abc import Sequence

import numpy as np

from boa_control.experiments.disturbance import Disturbance, SensorFault
from boa_control.experiments.scenario import PlantSettings
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_sim.disturbance import SensorDisturbance
from boa_sim.sensors import FURTHER, Encoders, ForceSensors, Imus, LinkMotion, PlanarMotion
from boa_sim.tracker import SampleQueue
from boa_sim.world import World

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


class Sensing:
    """Samples every sensor when it is due; a frame has the newest samples that have arrived."""

    def __init__(
        self,
        robot: Robot,
        settings: PlantSettings,
        disturbance: Disturbance,
        period: float,
        seed: int,
    ) -> None:
        """`period` between two frames, s; noise is drawn from `seed`."""
        effects = settings.effects
        self._velocity_quantum = robot.encoder.velocity_quantum
        self._encoders = Encoders(robot.encoder, effects)
        self._force_sensors = ForceSensors(robot.force_sensor, robot.joints, effects, seed)
        self._imus = Imus(robot.imu, effects, seed)
        level = disturbance.floor_tilt.angle == 0.0
        self._motion_of = PlanarMotion.of if robot.planar and level else LinkMotion.of
        self._forces = SampleQueue[ForceSample](
            robot.force_sensor.rate, robot.force_sensor.latency, effects
        )
        self._imu_samples = SampleQueue[ImuSample](robot.imu.rate, robot.imu.latency, effects)
        self._further = {
            name: sensor
            for name, make in FURTHER.items()
            if (sensor := make(robot, settings, seed)) is not None
        }
        self._disturb = SensorDisturbance(
            disturbance.sensor_noise, disturbance.sensor_delay_ticks, period, seed
        )
        self._faults = SensorFaults(disturbance.sensor_faults, robot)
        self._fresh = np.zeros(robot.joints)  # ages of joints that always answer
        self._fresh.flags.writeable = False

    def reset(self) -> None:
        """As at the start of a run, with the same random numbers."""
        for part in (self._force_sensors, self._imus, self._forces, self._imu_samples):
            part.reset()
        for sensor in self._further.values():
            sensor.reset()
        self._disturb.reset()
        self._faults.reset()

    def tare(self) -> None:
        """Set the force sensors' zero. Raises PlantError unless they are still and unloaded."""
        self._force_sensors.tare()

    def measure(
        self, world: World, stamp_ns: int, effort: Array, temperature: Array, *, armed: bool
    ) -> SensorFrame:
        """Sample everything that is due at this tick and put the frame together.

        Args:
            effort, temperature: of the servos, shape (n_joints,), N m and degC.
            armed: whether torques act, so that the force sensors are not at rest.
        """
        velocity = world.joint_velocity
        if armed or np.abs(velocity).max() > self._velocity_quantum:
            self._force_sensors.disturbed()
        if self._forces.due(stamp_ns):
            self._forces.push(self._force_sensors.measure(world.joint_force, stamp_ns))
        if self._imu_samples.due(stamp_ns):
            self._imu_samples.push(self._imus.measure(self._motion_of(world), stamp_ns))
        frame = self._disturb.apply(
            SensorFrame(
                stamp_ns=stamp_ns,
                position=self._encoders.position(world.joint_position),
                velocity=self._encoders.velocity(velocity),
                effort=effort,
                joint_force=self._forces.newest(stamp_ns),
                imu=self._imu_samples.newest(stamp_ns),
                temperature=temperature,
                joint_age=self._fresh,
                further={
                    name: sample
                    for name, sensor in self._further.items()
                    if (sample := sensor.newest(world, stamp_ns)) is not None
                }
                if self._further
                else {},
            )
        )
        return self._faults.apply(frame)
