# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot on the bench: single servos, recordings while it is moved, and small torques on one
joint.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from boa_control.plant import PlantError, SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_hardware.calibration.record import CalibrationRecord
from boa_hardware.config import RobotSettings
from boa_hardware.robot_plant import STILL, RobotPlant
from boa_hardware.servo.jog import VISIBLE, Brake, JogPlan
from boa_hardware.servo.link import ServoLink
from boa_hardware.servo.settings import ServoBusSettings

RATE = 200.0  # Hz; the rate that the brake of a jog is made for
AVERAGE = 1.0  # s of a mean
BACKWARDS = 0.03  # rad that a joint goes against its torque before it is stopped
TRIES = 3  # of a push
# N m/rad, N m s/rad; of joints that are led: so soft that the lightest, of 0.013 kg m2, is steady
# while answers are as late as the plant bears, five ticks
STIFFNESS, DAMPING = 10.0, 0.4
CAP = 2.0  # N m, of any joint
PATIENCE = 2.0  # s for joints to come to rest after a push
Result = TypeVar("Result")
MakePlant = Callable[[RobotSettings], RobotPlant]
MakeLink = Callable[[ServoBusSettings], ServoLink]


class Motion(NamedTuple):
    """A recording; rows are samples of the spine, with the servos as they were then.

    Attributes:
        time: shape (m,), s. angle: (m, n_joints), rad. yaw, rate: (m, n_links), rad and rad/s.
        acceleration: (m, n_links, 2), link axes, m/s2. force: (m, n_joints, 2), N, by the nominal
            calibration. torque: (m, n_joints), N m, as the currents tell.
    """

    time: Array
    angle: Array
    yaw: Array
    rate: Array
    acceleration: Array
    force: Array
    torque: Array

    @classmethod
    def of(cls, frames: Sequence[SensorFrame]) -> Motion:
        """From the frames of a plant. Raises PlantError where they have no samples of the spine."""
        both = [
            (frame.imu, frame.joint_force)
            for frame in frames
            if frame.imu is not None and frame.joint_force is not None
        ]
        samples = {imu.stamp_ns: (imu, force) for imu, force in both}
        if len(samples) < 2:
            faults = frames[-1].faults if frames else ()
            why = "no samples of IMUs and force sensors; check the CAN adapter"
            raise PlantError((*faults, why)[0])
        imus, forces = zip(*samples.values(), strict=True)
        measured = np.array([frame.stamp_ns for frame in frames]) * 1e-9
        time = np.array(list(samples)) * 1e-9
        return cls(
            time,
            _at(time, measured, np.array([frame.position for frame in frames])),
            np.array([imu.yaw for imu in imus]),
            np.array([imu.yaw_rate for imu in imus]),
            np.array([imu.acceleration[:, :2] for imu in imus]),
            np.array([force.force[:, :2] for force in forces]),
            _at(time, measured, np.array([frame.effort for frame in frames])),
        )

    @property
    def complete(self) -> Motion:
        """The samples in which all angles and headings are known. Raises PlantError where there are
        none, with the link that is missing.
        """
        known = np.isfinite(self.angle).all(axis=1) & np.isfinite(self.yaw).all(axis=1)
        if not known.any():
            silent = np.flatnonzero(~np.isfinite(self.yaw).any(axis=0)) + 1
            what = f"the IMU of link {silent[0]}" if silent.size else "all joints and IMUs at once"
            raise PlantError(
                f"no reading of {what}; check cable and board (boa sensors monitor), and run the "
                "step again"
            )
        return Motion(*(column[known] for column in self))

    @classmethod
    def joined(cls, motions: Sequence[Motion]) -> Motion:
        """Recordings one after the other."""
        return cls(*(np.concatenate(column) for column in zip(*motions, strict=True)))


class Pushed(NamedTuple):
    """A joint under a small torque: its recording, whether it turned the way of the torque, how far
    it went, rad, and the faults that ended it.
    """

    motion: Motion
    forwards: bool
    travel: float
    faults: tuple[str, ...]


class Followed(NamedTuple):
    """All joints led along a motion; rows are ticks.

    Attributes:
        frames: as measured. goal: where the joints should have been, (m, n_joints), rad.
    """

    frames: Sequence[SensorFrame]
    goal: Array


class Bench:
    """One robot with a record that grows. Use as a context manager.

    Args:
        robot: description.
        settings: wiring; its joints are those of the record.
        make_plant, make_link: open the robot, or its servos alone.

    Attributes:
        latest: the last sample; None where the robot is not open.
    """

    def __init__(
        self, robot: Robot, settings: RobotSettings, make_plant: MakePlant, make_link: MakeLink
    ) -> None:
        self.robot = robot
        self.settings = settings
        self._make_plant = make_plant
        self._make_link = make_link
        self._plant: RobotPlant | None = None
        self.latest: SensorFrame | None = None

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def use(self, record: CalibrationRecord) -> None:
        """Measure with the joints of this record from now on."""
        servos = record.bus(self.settings.servo_settings(self.robot))
        if servos != self.settings.servos:
            self.release()
            self.settings = self.settings.model_copy(update={"servos": servos})

    def release(self) -> None:
        """Close the robot, without torque; it is opened again when it is needed."""
        if self._plant is not None:
            self._plant.close()
            self._plant, self.latest = None, None

    @contextlib.contextmanager
    def servos(self) -> Iterator[ServoLink]:
        """The servos one by one."""
        self.release()
        with self._make_link(self.settings.servo_settings(self.robot)) as link:
            yield link

    @property
    def plant(self) -> RobotPlant:
        """The robot, open and without torque. Raises PlantError."""
        if self._plant is None:
            plant = self._make_plant(self.settings)
            plant.open()
            self._plant = plant
        return self._plant

    def read(self) -> SensorFrame:
        """One sample."""
        self.latest = self.plant.read()
        return self.latest

    def sample(self) -> float:
        """Let the robot take one sample, unrecorded; its time, s."""
        return self.read().stamp_ns * 1e-9

    def watch(self, act: Callable[[Callable[[], float]], None]) -> Motion:
        """Record while `act` runs, which calls what it is given for every sample."""
        frames: list[SensorFrame] = []

        def sample() -> float:
            frames.append(self.read())
            return frames[-1].stamp_ns * 1e-9

        act(sample)
        return Motion.of(frames)

    def rest(self, seconds: float = AVERAGE) -> Motion:
        """Record for so long."""

        def wait(sample: Callable[[], float]) -> None:
            begin, now = sample(), -math.inf
            while now - begin < seconds:
                now = sample()

        return self.watch(wait)

    def again(self, action: Callable[[], Result]) -> Result:
        """The result of `action`, which is tried again where a fault has ended it, such as answers
        that a busy computer kept waiting. Raises PlantError, as `_require_power` does.
        """
        for _ in range(TRIES - 1):
            try:
                return action()
            except PlantError:
                self._require_power()
        return action()

    def _require_power(self) -> None:
        """Joints may move again by themselves only if every servo answers as it was set up. After
        an emergency stop, or a shutdown of a servo, people decide when.

        Raises:
            PlantError: a servo has no power, had none for a while, or has shut down.
        """
        begin, loop = self.sample(), self.plant.loop
        while (cycle := loop.newest) is not None and not cycle.valid.all():
            if self.sample() - begin > PATIENCE:
                break
        assert cycle is not None
        if (~cycle.valid | cycle.lost_setup | (cycle.hardware_error > 0)).any():
            reason = (*loop.faults, "a servo does not answer")[0]
            raise PlantError(f"{reason}; torque stays off until you run the step again")

    @contextlib.contextmanager
    def _armed(self) -> Iterator[SensorFrame]:
        """Armed without torque, and disarmed on every way out; yields the first sample with the
        angle of every joint. Arming forgets the angles, and a servo may answer late.

        Raises:
            PlantError: the robot cannot be armed, or a fault comes before all angles are known.
        """
        if self.read().faults:  # such as of IMUs that contradict a joint: they are what is measured
            self.plant.reset_fault()
        self.plant.arm()
        try:
            self.read()  # perhaps of a tick before arming
            while not np.isfinite((frame := self.read()).position).all():
                if frame.faults:
                    raise PlantError(frame.faults[0])
            yield frame
        finally:
            self.plant.disarm()

    def _settle(self) -> None:
        """Wait until all joints are at rest, for a while."""
        begin = self.sample()
        while self.sample() - begin < PATIENCE:
            if (np.abs(self.read().velocity) <= STILL).all():
                return

    def _write(self, wish: Array) -> None:
        """Torques, N m, within `CAP`; at `RATE` no limit of the rate can then be exceeded. There
        is no torque gate: it would stop the robot for what is to be found out, such as IMUs that
        contradict a joint.
        """
        self.plant.write(np.clip(wish, -CAP, CAP))

    def push(self, joint: int, torque: float, travel: float, seconds: float) -> Pushed:
        """Turn one joint, counted from 0, with a torque, N m, for at most so long, s, and brake it
        within `travel`, rad. Where it turns against the torque, torque is off at once. What a fault
        has ended is tried again.

        Raises:
            PlantError: the robot cannot be armed, or has lost power.
        """
        for _ in range(TRIES):
            pushed = self.again(partial(self._push, joint, torque, travel, seconds))
            if not pushed.faults:
                break
            self._require_power()
        return pushed

    def _push(self, joint: int, torque: float, travel: float, seconds: float) -> Pushed:
        brake, side = Brake(JogPlan(torque, seconds, travel)), math.copysign(1.0, torque)
        self._settle()
        with self._armed() as frame:
            frames = [frame]
            begin, start = frame.stamp_ns, frame.position[joint]
            wish, backwards = np.zeros(self.robot.joints), False
            while not (brake.over or backwards or frame.faults):
                frame = self.read()
                frames.append(frame)
                went = side * float(frame.position[joint] - start)
                backwards = went < -BACKWARDS
                time = (frame.stamp_ns - begin) * 1e-9
                wish[joint] = brake.update(time, went, side * float(frame.velocity[joint]))
                self._write(wish)
        way = max(side * float(frame.position[joint] - start) for frame in frames)
        return Pushed(Motion.of(frames), not backwards and way > VISIBLE, way, frames[-1].faults)

    def follow(self, offset: Callable[[float], Array], seconds: float) -> Followed:
        """Lead all joints along a motion for so long, with at most `CAP`.

        Args:
            offset: from where they are, (n_joints,), rad, at a time, s.

        Raises:
            PlantError: the robot cannot be armed, or a fault has ended it.
        """
        goals = []
        with self._armed() as frame:
            frames = [frame]
            begin, start = frame.stamp_ns, frame.position.copy()
            while (time := (frame.stamp_ns - begin) * 1e-9) < seconds:
                if frame.faults:
                    raise PlantError(frame.faults[0])
                goals.append(start + offset(time))
                wish = STIFFNESS * (goals[-1] - frame.position) - DAMPING * frame.velocity
                self._write(wish)
                frame = self.read()
                frames.append(frame)
        return Followed(frames[:-1], np.array(goals))


def _at(time: Array, measured: Array, values: Array) -> Array:
    """Values of shape (m, n), measured at other times, at `time`; straight lines between."""
    return np.array([np.interp(time, measured, column) for column in values.T]).T
