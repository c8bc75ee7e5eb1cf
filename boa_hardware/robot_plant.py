# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot as a plant: servos, force sensors and IMUs behind `boa_control.plant.Plant`.

States: *unconfigured* (before `open` and after `close`), *inactive* (all prepared, no torque),
*active* (armed: torques act) and *error* (a fault is latched, no torque until `reset_fault`). Every
way out of *active* switches torque off. Times inside are CLOCK_MONOTONIC; `RobotClock` makes stamps
of them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from boa_control.plant import (
    ForceSample,
    ImuSample,
    PlantError,
    Sample,
    SensorFrame,
    checked_torque,
)
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_hardware.arming import Present, Question, require
from boa_hardware.calibration.record import CalibrationRecord, ServoIdentity
from boa_hardware.clock import RobotClock
from boa_hardware.config import RobotSettings
from boa_hardware.runner import Runner
from boa_hardware.sensors.force_watch import ForceWatch, suspect_texts
from boa_hardware.sensors.joint_imu import JointImuWatch, disagreement_texts
from boa_hardware.sensors.zero import ForceZero
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.loop import LoopTimes, ServoLoop
from boa_hardware.servo.registers import VELOCITY
from boa_hardware.servo.transport import ServoTransport
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.status import SpineReading

# s that `read` waits for a tick; a bus may be busy with setting servos up for so long
PATIENCE = 2.0
STILL = 2.5 * VELOCITY  # rad/s; a joint at rest reads 0, seldom 1 count


class RobotPlant:
    """Implements `boa_control.plant.Plant`. Use `boa_hardware.assembly.robot_plant` to make one.

    Args:
        robot: description.
        settings: wiring.
        transport: to the servos.
        spine: to force sensors and IMUs; not opened yet.
        runner: calls the loops.
        control_rate: Hz.
        clock: monotonic time and its conversion.
        record: calibration record whose values `settings` and `spine` have; None: there is none.
        questions: that `arm` asks.

    Attributes:
        loop: the servo side. runner: who calls it, with its punctuality.
    """

    def __init__(
        self,
        robot: Robot,
        settings: RobotSettings,
        transport: ServoTransport,
        spine: SpineBus,
        runner: Runner,
        control_rate: float,
        clock: RobotClock | None = None,
        record: CalibrationRecord | None = None,
        questions: Sequence[Question] = (),
    ) -> None:
        self._robot = robot
        self._transport = transport
        self._record = record
        self._questions = questions
        self._settings = settings
        self._spine = spine
        self.runner = runner
        self._clock = clock or RobotClock()
        self._period_ns = round(1e9 / control_rate)
        self.loop = ServoLoop(
            transport,
            robot.joint_names,
            settings.servo_settings(robot),
            LoopTimes(
                command_hold=settings.command_hold,
                period=1.0 / control_rate,
                reconnect_first=settings.reconnect_first,
                reconnect_longest=settings.reconnect_longest,
            ),
            other_faults=self._other_faults,
            on_fault=self._panic,
            monotonic_ns=self._clock.monotonic_ns,
        )
        self._open = False
        self._judge_from_ns = 0
        self._last: ServoCycle | None = None
        self._zero = ForceZero(
            spine.force, Path(settings.tare_file).expanduser() if settings.tare_file else None
        )
        self._joint_imu = JointImuWatch(robot)
        self._force_watch = ForceWatch(robot)
        self._newest_ns = 0
        self._received: dict[str, Sample] = {}

    # the contract

    @property
    def robot(self) -> Robot:
        """The description."""
        return self._robot

    @property
    def control_period_ns(self) -> int:
        """Time between two control ticks, ns."""
        return self._period_ns

    @property
    def armed(self) -> bool:
        """Whether written torques act, as the servos' transport keeps it."""
        return self.loop.armed

    @property
    def simulation(self) -> None:
        """None: this is a robot."""
        return

    def now_ns(self) -> int:
        """Present time on the clock of the stamps, ns."""
        return self._clock.now_ns()

    def open(self) -> None:
        """Open both buses, prepare the servos without torque and start the loops.

        Raises:
            BoaError: the stored tare cannot be read, or is of another robot.
            PlantError: a port is missing, or servos are missing or wrong; the message is the whole
                report.
        """
        self._zero.load()
        try:
            self.loop.connect()
            self._judge_from_ns = self._clock.monotonic_ns() + round(self._settings.settle * 1e9)
            on_spine = self._settings.topology == "spine"
            self._open = True
            self.runner.start(
                self.loop.tick, self._period_ns * 1e-9, None if on_spine else self._spine
            )
            self._wait_for_boards()
        except BaseException:
            self.close()
            raise

    def _wait_for_boards(self) -> None:
        """Give link boards the time to answer; who does not is a fault from then on."""

        def all_answer() -> bool:
            reading = self._spine.newest()
            return (
                self.loop.newest is not None
                and reading is not None
                and bool(np.isfinite(reading.status.age).all())
            )

        self.runner.wait(all_answer, self._settings.settle)
        self._judge_from_ns = self._clock.monotonic_ns()

    def read(self) -> SensorFrame:
        """Wait for the sample of the next control tick and put the frame together.

        While the serial port is gone frames go on with growing `joint_age` and the fault in
        `faults`.

        Raises:
            PlantError: closed, or a bus thread has ended by an error.
        """
        self._require_open()
        last = self._last
        if not self.runner.wait(
            lambda: self.loop.newest is not last and self.loop.newest is not None, PATIENCE
        ):
            raise PlantError(
                f"servo bus: no tick for {PATIENCE} s; the machine is overloaded, stop other "
                f"programs"
            )
        cycle = self.loop.newest
        assert cycle is not None
        self._last = cycle
        force, imu = self._samples()
        self._watch_zero(cycle)
        self._watch_forces(cycle)
        return SensorFrame(
            stamp_ns=self._clock.stamp_ns(cycle.stamp_ns),
            position=cycle.position,
            velocity=cycle.velocity,
            effort=self.loop.torque(cycle),
            joint_force=force,
            imu=imu,
            temperature=cycle.temperature,
            joint_age=cycle.age,
            faults=self.loop.faults,
            further=dict(self._received),
        )

    def write(self, torque: Array) -> None:
        """Send `torque` (n_joints,), N m, with the next tick; without effect while disarmed.

        Raises:
            PlantError: wrong shape, not finite, or closed.
        """
        self._require_open()
        self.loop.command(checked_torque(torque, self._robot))

    def receive(self, sensor: str, sample: Sample) -> None:
        """Take the newest sample of a sensor outside of the robot, by its name in the sensor table;
        every frame from now on has it. Its stamp tells its age.
        """
        self._received[sensor] = sample

    def arm(self) -> None:
        """Switch torque on, at zero. Raises PlantError with the reasons when it cannot."""
        self._require_open()
        if not self.loop.armed:
            require(self._questions, self._present())
        self.loop.arm()

    def _present(self) -> Present:
        sensors = self._spine.force.calibrations
        unknown = np.full(self._robot.joints, np.nan)
        return Present(
            robot=self._robot,
            joints=self._settings.servo_settings(self._robot).joints,
            record=self._record,
            servos=tuple(map(ServoIdentity.of, self._transport.identities)),
            links=self.answering_links(),
            angle=unknown if self._last is None else self._last.position,
            force_serials=tuple(sensor.serial for sensor in sensors),
            foreign_tare=self._zero.foreign,
        )

    def disarm(self) -> None:
        """Switch torque off in every servo at once. Never raises."""
        if self._open:
            self.loop.disarm()

    def reset_fault(self) -> None:
        """Reboot servos with hardware errors, prepare and verify all of them; ends disarmed.

        Raises:
            PlantError: the cause is still there; the message is the servos' report.
        """
        self._require_open()
        self.loop.disarm()
        self._spine.reset()
        self._joint_imu.reset()
        self._judge_from_ns = self._clock.monotonic_ns()
        self.loop.reset_fault()

    def tare(self) -> None:
        """Make the mean of the last second the zero of the force sensors, and keep it where the
        settings say.

        Raises:
            PlantError: armed, moving, loaded, or too few samples; names the joint.
        """
        self._require_open()
        temperature = (
            np.full(self._robot.joints, np.nan) if self._last is None else self._last.temperature
        )
        self._zero.tare(armed=self.loop.armed, temperature=temperature, taken_ns=self.now_ns())

    def fault_latched(self, reason: str) -> None:
        """The torque gate has latched a fault: tell all boards, unless this plant's own has done
        so. Never raises.
        """
        if self._open and not self.loop.faults:
            self._panic(reason)

    def close(self) -> None:
        """Switch torque off and release both buses. Never raises; may be called twice."""
        self.disarm()
        self._open = False
        self.runner.stop()
        self.loop.close()
        self._spine.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # for diagnostics

    def counters(self) -> dict[str, float]:
        """Punctuality of the loop, misses and losses on both buses, restarts, by name."""
        numbers = dict(self.runner.stats.numbers())
        numbers["servo_reconnects"] = float(self.loop.reconnects)
        cycle = self.loop.newest
        if cycle is not None and np.isfinite(cycle.voltage).any():  # link boards send no voltage
            numbers["supply_v"] = float(np.nanmin(cycle.voltage))
        if (reading := self._newest_reading()) is not None:
            status = reading.status
            numbers["can_state"] = float(list(type(status.state)).index(status.state))
            numbers["can_restarts"] = float(status.restarts)
            numbers["can_missed"] = float(status.counts.missed.sum())
            numbers["can_malformed"] = float(status.counts.malformed.sum())
            numbers["can_late"] = float(status.counts.late.sum())
            numbers["can_repeated"] = float(status.counts.repeated.sum())
            numbers["can_unknown"] = float(status.counts.unknown)
            numbers["imu_rejected"] = float(reading.imu.rejected.sum())
        return numbers

    def warnings(self) -> tuple[str, ...]:
        """Warnings of both buses and of the force sensors, each with the remedy."""
        reading = self._newest_reading()
        spine = () if reading is None else reading.status.warnings
        suspects = suspect_texts(self._force_watch.suspects, self._robot.joint_names)
        return (*self.loop.warnings, *self._zero.warnings, *suspects, *spine)

    def answering_links(self) -> tuple[int, ...]:
        """Links, from 1, whose boards have answered since the spine was opened."""
        reading = self._newest_reading()
        if reading is None:
            return ()
        return tuple(int(index) + 1 for index in np.flatnonzero(np.isfinite(reading.status.age)))

    # inside

    def _samples(self) -> tuple[ForceSample | None, ImuSample | None]:
        """The newest force and IMU samples that are not too old, in ROS time."""
        reading = self._newest_reading()
        if reading is None:
            return None, None
        if self._clock.monotonic_ns() - reading.stamp_ns > self._settings.sample_age * 1e9:
            return None, None
        stamp_ns = self._clock.stamp_ns(reading.stamp_ns)
        force, imu = reading.force.sample, reading.imu.sample
        return force._replace(stamp_ns=stamp_ns), imu._replace(stamp_ns=stamp_ns)

    def _newest_reading(self) -> SpineReading | None:
        return self._spine.newest()

    def _watch_zero(self, cycle: ServoCycle) -> None:
        """Samples at rest and without torque tell the zero of the force sensors."""
        if self.loop.armed or not (np.abs(cycle.velocity) <= STILL).all():
            self._zero.disturbed()
        elif (
            reading := self._newest_reading()
        ) is not None and reading.stamp_ns != self._newest_ns:
            self._newest_ns = reading.stamp_ns
            self._zero.add(reading.stamp_ns, reading.force)

    def _watch_forces(self, cycle: ServoCycle) -> None:
        """Forces under torque tell which sensors seem wrong."""
        reading = self._newest_reading()
        if self.loop.armed and reading is not None:
            force, imu = reading.force.sample.force, reading.imu.sample.linear_acceleration
            self._force_watch.update(reading.stamp_ns, force, imu, cycle.position, cycle.velocity)

    def _other_faults(self, cycle: ServoCycle) -> tuple[str, ...]:
        """Faults of the spine, and of joints that its IMUs contradict; read in every servo tick."""
        try:
            reading = self._spine.newest()
        except PlantError as error:
            return (str(error),)
        if reading is None or reading.stamp_ns < self._judge_from_ns:
            return ()
        found = self._joint_imu.update(
            cycle.stamp_ns,
            cycle.position,
            cycle.velocity,
            cycle.valid,
            reading.imu.sample,
            delay=float(np.nan_to_num(reading.status.delay).max()),
        )
        return (*reading.status.faults, *disagreement_texts(found, self._robot.joint_names))

    def _panic(self, reason: str) -> None:
        if self._settings.panic_on_fault:
            self._spine.panic(reason)

    def _require_open(self) -> None:
        if not self._open:
            raise PlantError("the robot plant is closed; open it first")
