# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All sensors of a simulated robot, and the frames that are made of what they measure."""

import numpy as np

from boa_control.experiments.disturbance import Disturbance
from boa_control.experiments.scenario import PlantSettings
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_sim.disturbance import SensorDisturbance
from boa_sim.sample_queue import SampleQueue
from boa_sim.sensor_faults import SensorFaults
from boa_sim.sensors import FURTHER, Encoders, ForceSensors, Imus, LinkMotion, PlanarMotion
from boa_sim.world import World


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
