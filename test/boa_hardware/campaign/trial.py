# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One fault, one run: the robot plant under its torque gate, on emulated buses, simulated time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from boa_control.plant import PlantError, SensorFrame
from boa_control.safety.command import Command
from boa_control.safety.faults import Fault
from boa_control.safety.supervisor import Supervisor
from boa_control.safety.torque_sources import (
    TorqueSource,
    claim,
    second_appeared,
    sources_fault,
)
from boa_hardware.config import RobotSettings, Topology
from boa_hardware.emulator.script import FaultScript
from test.boa_hardware.campaign.audit import Sent, audit
from test.boa_hardware.virtual import VirtualRobot
from test.boa_hardware.witness import WatchedBoa

WARM_UP = 0.15  # s under torque before the fault
AMPLITUDE, FREQUENCY = 0.6, 1.5  # of the torques that shake the chain, N m and Hz
PATIENCE = 2.0  # s that buses get to come back by themselves
CONTROLLER = TorqueSource(b"controller", "/boa/controller")
NO_TORQUE = 0.01  # N m, below one count of current


@dataclass(frozen=True, slots=True)
class Case:
    """One fault and what must come of it.

    Attributes:
        name: short, unique.
        injected: in words.
        script: the fault, given the time at which it is to begin, s.
        act: done once at that time, instead or in addition.
        topology: of the servos.
        stops: torque must end, with a latched fault; else the run must go on to its end.
        fault: part of the text of a latched fault.
        within: s from the injection until no motor gives torque.
        duration: s of the run after the injection.
        warning: part of a warning that the plant must have given.
        heals: the fault is taken away afterwards; `reset_fault` and `arm` must then work.
    """

    name: str
    injected: str
    script: Callable[[float], FaultScript] = lambda _: FaultScript()
    act: Callable[[Trial], None] | None = None
    topology: Topology = "rs485"
    stops: bool = True
    fault: str = ""
    within: float = 0.1
    duration: float = 0.4
    warning: str = ""
    heals: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one trial.

    Attributes:
        went_on: armed to the end.
        faults: latched, as the gate tells them.
        torque_off: s from the injection until no motor gave torque any more; None: torque to the
            end.
        ticks_to_latch: control ticks from the injection to the first latched fault; None: none.
        stale_ticks: ticks in which some joint had no fresh reading.
        violations: torques that reached a servo without being commanded, fresh, armed and within
            limits.
        torques_seen: torque goals other than zero that the witness saw.
        recovered: it could be reset, armed and moved again; None where that was not tried.
        warnings: of the gate and of the plant since the injection, each wording once.
    """

    went_on: bool
    faults: tuple[str, ...]
    torque_off: float | None
    ticks_to_latch: int | None
    stale_ticks: int
    violations: tuple[str, ...]
    torques_seen: int
    recovered: bool | None
    warnings: tuple[str, ...] = ()


@dataclass
class Trial:
    """The run of one case.

    Attributes:
        answer: what the controller does with a frame; may be replaced by a fault.
        healing: what takes a fault away that the emulated robot cannot.
        each_tick: what others do beside the robot, once per tick before it.
        foreign: a command that is not the controller's; should its torques arrive, they are wrong.
        sources: publishers of torque commands that are there, by the name of their node.
        connections: how many have ever connected.
        owner_alive: False: the plant's owner does nothing any more while its bus thread goes on.
        process_alive: False: the whole plant process is gone.
    """

    case: Case
    boa: WatchedBoa = field(init=False)
    robot: VirtualRobot = field(init=False)
    supervisor: Supervisor = field(init=False)
    owner_alive: bool = True
    process_alive: bool = True
    each_tick: list[Callable[[], None]] = field(default_factory=list)
    healing: list[Callable[[], None]] = field(default_factory=list)
    foreign: Command | None = None
    sources: list[TorqueSource] = field(default_factory=lambda: [CONTROLLER])
    connections: int = 1
    commands: list[Sent] = field(default_factory=list)
    armed_spans: list[tuple[float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.boa = WatchedBoa(RobotSettings(topology=self.case.topology), seed=1)
        self.robot = VirtualRobot(self.boa)
        self.answer: Callable[[SensorFrame], Command] = self.shake
        self._stale = 0
        self._warnings: dict[str, None] = {}
        self._tick = 0

    @property
    def now(self) -> float:
        """Time on the emulator's clock, s."""
        return self.robot.now

    @property
    def joints(self) -> int:
        """Number of joints."""
        return self.boa.robot.joints

    def shake(self, frame: SensorFrame) -> Command:
        """A living controller: torques that shake the chain."""
        phase = np.arange(self.joints)
        torque = AMPLITUDE * np.cos(2 * np.pi * FREQUENCY * self.now + phase)
        return Command(torque, frame.stamp_ns)

    def run(self) -> Outcome:
        """Warm up, inject, watch, and try to recover."""
        self.robot.plant.open()
        with Supervisor(self.robot.plant) as supervisor:
            self.supervisor = supervisor
            supervisor.read()
            self.arm()
            self._drive(WARM_UP)
            start = self.now
            stale = self._stale
            self.boa.add(self.case.script(start))
            if self.case.act is not None:
                self.case.act(self)
            torque_off, latch = self._watch(start)
            status = supervisor.status
            went_on = status.armed and self.process_alive and self.owner_alive
            outcome = Outcome(
                went_on=went_on,
                faults=tuple(map(str, status.faults)),
                torque_off=torque_off,
                ticks_to_latch=latch,
                stale_ticks=self._stale - stale,
                violations=self.audit(),
                torques_seen=sum(seen.torque != 0 for seen in self.boa.witness.seen),
                recovered=None,
                warnings=tuple(self._warnings),
            )
            if not (self.case.stops and self.case.heals):
                return outcome
            recovered = self._recovers()
            return replace(outcome, recovered=recovered, violations=self.audit())

    def arm(self) -> None:
        """As the plant node does: for the one source of torques there is. Raises PlantError."""
        self._owner = claim(tuple(self.sources), len(self.sources), self.connections)
        self.supervisor.arm()

    def _second_source(self) -> tuple[Fault, ...]:
        """As the plant node does: torque is removed first."""
        armed = self.supervisor.status.armed
        if not armed or not second_appeared(self._owner, self.connections):
            return ()
        self.supervisor.disarm()
        return (sources_fault(self._owner, tuple(self.sources)),)

    def audit(self) -> tuple[str, ...]:
        """See `test.boa_hardware.campaign.audit.audit`."""
        boa, period_ns = self.boa, self.robot.plant.control_period_ns
        hold = boa.settings.command_hold + period_ns * 1e-9
        return audit(boa.witness.seen, self.commands, self.armed_spans, boa.robot.limits, hold)

    def _drive(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self._one_tick()

    def _one_tick(self) -> None:
        if not self.process_alive:
            self.robot.pass_time(0.005)
            return
        if not self.owner_alive:
            self.robot.runner.step()
            return
        for happens in self.each_tick:
            happens()
        before = self.now
        frame = self.supervisor.read()
        self._stale += bool((frame.joint_age > 0).any())
        command = self.answer(frame)
        stamp = self.robot.monotonic(command.stamp_ns)
        if command is not self.foreign:
            self.commands.append(Sent(self.now, stamp, command.torque.copy()))
        was_armed = self.supervisor.status.armed
        self.supervisor.apply(command, self._second_source())
        if was_armed:
            self.armed_spans.append((before, self.now))
        warnings = (*self.supervisor.status.warnings, *self.robot.plant.warnings())
        self._warnings.update(dict.fromkeys(warnings))
        self._tick += 1

    def _watch(self, start: float) -> tuple[float | None, int | None]:
        """Run on; when torque ended for good, and after how many ticks a fault was latched."""
        end = start + self.case.duration
        torque_until, first = start, self._tick
        latch: int | None = None
        while self.now < end:
            self._one_tick()
            self.boa.body.run_to(self.now)  # also when nobody reads it
            if np.abs(self.boa.body.torque).max() > NO_TORQUE:
                torque_until = self.now
            if latch is None and self.supervisor.status.faults:
                latch = self._tick - first
        return (None if torque_until > end - 0.02 else torque_until - start), latch

    def _recovers(self) -> bool:
        """Take the fault away (link boards forget a PANIC with their power), reset, arm, move."""
        boa = self.boa
        boa.heal()
        self.each_tick.clear()
        for heal in self.healing:
            heal()
        self.sources = [CONTROLLER]
        if self.case.topology == "spine":
            boa.power_cycle_boards(self.now)
        self.answer = self.shake
        end = self.now + PATIENCE
        while self.now < end:
            self._drive(0.05)
            try:
                self.supervisor.reset_fault()
                self._drive(0.02)
                self.arm()
            except PlantError:
                continue
            self._drive(0.05)
            if self.supervisor.status.armed:
                return bool(np.abs(boa.body.torque).max() > 0.5 * AMPLITUDE)
        return False
