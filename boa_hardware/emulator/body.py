# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated robot's body: a simulated world behind servos and sensors, each of which sees its
own joint or link.

In simulated time it is given by whoever reads: the body runs up to the latest time it is read at.
In real time one thread lets it pass (`BoaServer`), and who reads gets the newest state at once: no
answer waits for physics. Calls may come from the threads of both buses.
"""

import math
import threading

import numpy as np

from boa_control.plant import GroundTruth
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.torque_speed import TorqueSpeedLine
from boa_hardware.emulator.hands import Hands
from boa_hardware.emulator.link_physics import LinkReading
from boa_hardware.emulator.servo_physics import ServoState
from boa_hardware.servo.settings import ServoJoint
from boa_sim.actuator import AMBIENT, CurrentLoop, heated
from boa_sim.world import World, motor_rate

SUPPLY = 24.0  # V
# s; a body that cannot keep up with real time loses time instead of running behind for ever
LONGEST_LAG = 0.1


class EmulatedBody:
    """A chain of links with motors in its joints.

    Args:
        world: the rigid-body world, placed at the start.
        robot: motor constants.
        real_time: time passes only by `run_to`; lost time is given up instead of caught up with.

    Attributes:
        version: counts changes of the state; next_step: when the next one may come, s.
        hands: of an operator.
        lost: simulated time that was given up because the machine was too slow, s.
    """

    def __init__(self, world: World, robot: Robot, *, real_time: bool = False) -> None:
        self.world = world
        self.robot = robot
        self.version = 0
        self.next_step = world.step
        self.lost = 0.0
        self.hands = Hands(robot)
        self._motors = TorqueSpeedLine(robot.actuator, robot.joints)
        self._current_loop = CurrentLoop(robot.actuator.current_lag, world.step)
        self._temperature = np.full(robot.joints, AMBIENT)
        self._voltage = np.full(robot.joints, SUPPLY)
        self.lock = threading.RLock()
        self._real_time = real_time
        self._period = world.step
        self._time = 0.0
        self._goal = np.zeros(robot.joints)  # torque the motors aim at, N m; 0 while they coast
        self._torque = np.zeros(robot.joints)
        self._read: tuple[LinkReading, ...] | None = None
        self._latch()

    # time

    def run_to(self, now: float, most: float = math.inf) -> None:
        """Let time pass until `now`, but for at most `most`, s."""
        if now < self.next_step:
            return
        step = self._period
        with self.lock:
            if self._real_time and now - self._time > LONGEST_LAG:
                self.lost += now - self._time - LONGEST_LAG
                self._time = now - LONGEST_LAG
            begin, actuator = self._time, self.robot.actuator
            end = min(now, begin + most)
            while self._time + step <= end + 1e-9:
                current = self._current_loop.follow(self._torque, self._goal)
                self._torque = self._motors.clip(current, motor_rate(self.world))
                self.world.advance(self._torque + self.hands.act(self._time, self.world))
                self._time += step
            self._temperature = heated(
                self._temperature, self._torque, actuator, self._time - begin
            )
            self.next_step = self._time + step
            self._latch()

    def update(self, now: float) -> None:
        """Bring the state up to `now`, s, for somebody who reads it."""
        if not self._real_time:
            self.run_to(now)

    def _latch(self) -> None:
        """Keep what the servos measure; they are read joint by joint, without a lock."""
        world, current = self.world, self._torque / self.robot.actuator.torque_constant
        columns = (
            world.joint_position,
            world.joint_velocity,
            current,
            self._temperature,
            self._voltage,
        )
        self._measured: list[tuple[float, ...]] = list(
            zip(*np.array(columns).tolist(), strict=True)
        )
        self._read = None
        self.version += 1

    def heat(self, joint: int, temperature: float) -> None:
        """Fault: the motor of a joint has this temperature, degC, and cools from there."""
        with self.lock:
            self._temperature[joint] = temperature
            self._latch()

    def supply(self, joint: int, voltage: float) -> None:
        """Fault: the supply at a joint's servo, V."""
        with self.lock:
            if self._voltage[joint] != voltage:
                self._voltage[joint] = voltage
                self._latch()

    # joints

    def drive(self, joint: int, current: float | None, now: float) -> None:
        """From `now` on the motor has this goal current, A; None: it coasts."""
        goal = 0.0 if current is None else current * self.robot.actuator.torque_constant
        if goal != self._goal[joint]:
            self.update(now)
            self._goal[joint] = goal

    def joint(self, joint: int, now: float) -> tuple[float, ...]:
        """Position (rad), velocity (rad/s), motor current (A), temperature (degC) and supply (V) of
        a joint.
        """
        self.update(now)
        return self._measured[joint]

    # links

    def link(self, link: int, now: float, joint: int | None) -> LinkReading:
        """Sensor readings of a link; `joint` is the one whose force sensor its board reads."""
        self.update(now)
        with self.lock:
            if self._read is None:
                self._read = self._readings()
            reading = self._read[link]
            if joint is None:
                return reading
            x, y, z = self._forces[joint]
            along, across = self.hands.pull(joint)
            force = (x + along, y + across, z)
            return LinkReading(reading.acceleration, reading.yaw, reading.yaw_rate, force)

    def _readings(self) -> tuple[LinkReading, ...]:
        world = self.world
        world.refresh()
        self._forces = world.joint_force.tolist()
        columns = (
            world.acceleration[:, :2].tolist(),
            world.heading.tolist(),
            world.angular_velocity[:, 2].tolist(),
        )
        return tuple(
            LinkReading((a[0], a[1]), yaw, rate) for a, yaw, rate in zip(*columns, strict=True)
        )

    # for tests and evaluation

    def truth(self) -> GroundTruth:
        """The true state now."""
        with self.lock:
            self.world.refresh()
            return self.world.truth(round(self._time * 1e9))

    @property
    def torque(self) -> Array:
        """Torques that the motors' currents count for now, shape (n_joints,), N m."""
        return self._torque.copy()


class BodyServo:
    """A `ServoPhysics`: one servo of the body.

    Args:
        body: of the robot.
        joint: counted from 0.
        seat: how the servo sits on its joint. Switched on, it counts from within its first turn.
        motor_sign: -1 where the motor turns against the encoder.
    """

    def __init__(
        self, body: EmulatedBody, joint: int, seat: ServoJoint, motor_sign: int = 1
    ) -> None:
        self._body = body
        self._joint = joint
        self._direction = seat.direction
        self._motor_sign = motor_sign
        at_start = seat.zero + seat.direction * float(body.world.joint_position[joint])
        self._zero = seat.zero - 2 * math.pi * math.floor(at_start / (2 * math.pi))
        self._state: ServoState | None = None
        self._version = -1

    def drive(self, current: float | None, now: float) -> None:
        """See ServoPhysics."""
        sign = self._motor_sign * self._direction
        self._body.drive(self._joint, None if current is None else sign * current, now)

    def state(self, now: float) -> ServoState:
        """See ServoPhysics. Within a step of the body nothing changes, so that many reads cost
        little.
        """
        body = self._body
        body.update(now)
        if self._state is None or self._version != body.version:
            self._version, self._state = body.version, self._present(now)
        return self._state

    def _present(self, now: float) -> ServoState:
        body, sign = self._body, self._direction
        position, velocity, current, temperature, voltage = body.joint(self._joint, now)
        return ServoState(
            self._zero + sign * position,
            sign * velocity,
            self._motor_sign * sign * current,
            temperature,
            voltage,
        )


class BodyLink:
    """A `LinkPhysics`: one link of the body; `joint` is the one whose force sensor its board reads,
    if any.
    """

    def __init__(self, body: EmulatedBody, link: int, joint: int | None) -> None:
        self._body = body
        self._link = link
        self._joint = joint

    def reading(self, now: float) -> LinkReading:
        """See LinkPhysics."""
        return self._body.link(self._link, now, self._joint)


def middle_seat(joint: int) -> ServoJoint:
    """How a servo behind a link board sits: joint angle 0 in the middle of its range."""
    return ServoJoint(id=joint + 1, zero=math.pi)
