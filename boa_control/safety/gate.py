# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The torque gate: the one function every torque of a controller passes. It can only reduce.

Each rule is a cap on the magnitude of each joint's torque, in N m; the output is the command with
its magnitude cut to the smallest cap. So the output has the command's sign, is never larger, and is
zero when any rule says zero. Faults latch: they disarm, and only `reset_fault` clears them. See
docs/plants.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import NamedTuple

import numpy as np

from boa_control.plant import PlantError, SensorFrame
from boa_control.safety.command import Command
from boa_control.safety.faults import (
    Fault,
    command_faults,
    frame_faults,
    judge_frame,
    latch,
    silence_fault,
    unremarkable,
)
from boa_description.arrays import Array, Flags
from boa_description.robot import Limits, Robot

VELOCITY_FADE = 0.2  # share of the velocity limit over which accelerating torque fades to zero
COMMAND_FADE = 0.5  # share of the command age limit after which the ramp to zero begins
COMMAND_LOST = 10  # a controller silent for this many command age limits is gone: latch


class Rule(StrEnum):
    """Reasons to reduce a torque."""

    ARMED = "armed"  # not armed, or a fault is latched
    TORQUE = "torque"
    RATE = "rate"
    JOINT_RANGE = "joint_range"
    VELOCITY = "velocity"
    JOINT_AGE = "joint_age"
    COMMAND_AGE = "command_age"
    SENSOR_AGE = "sensor_age"


FRESHNESS = frozenset((Rule.COMMAND_AGE, Rule.SENSOR_AGE))


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Limits and names of the robot that the gate uses.

    Attributes:
        limits: the limits, SI.
        lower, upper: joint range, rad.
        joint_names: one per joint.
        period: control period, s; the rate limit is per tick.
    """

    limits: Limits
    lower: float
    upper: float
    joint_names: tuple[str, ...]
    period: float

    @classmethod
    def of(cls, robot: Robot, period_ns: int, limits: Limits | None = None) -> GateSettings:
        """Settings for a robot, optionally with other limits than the description's."""
        return cls(
            limits or robot.limits,
            robot.joint.lower,
            robot.joint.upper,
            robot.joint_names,
            period_ns / 1e9,
        )

    @property
    def torque_step(self) -> float:
        """Most by which a torque may grow in a tick, N m."""
        return self.limits.torque_rate * self.period

    @property
    def joints(self) -> int:
        """Number of joints."""
        return len(self.joint_names)


class GateState(NamedTuple):
    """Memory of the gate from tick to tick.

    Attributes:
        armed: torques may act.
        torque: last output, shape (n_joints,), N m.
        faults: latched, in order of appearance.
        last_command_ns: stamp of the newest fresh command since arming; None before the first.
        stale: freshness rules that were cutting at the last tick.
    """

    armed: bool
    torque: Array
    faults: tuple[Fault, ...] = ()
    last_command_ns: int | None = None
    stale: frozenset[Rule] = frozenset()


class GateDecision(NamedTuple):
    """Torque that may be applied, and why it is less than commanded.

    Attributes:
        torque: shape (n_joints,), N m.
        saturated: shape (n_joints,), bool, where the command was reduced.
        rules: the rules that reduced something.
        trips: protective events that began at this tick: new faults, `command_age`, `sensor_age`.
        faults: everything latched.
        warnings: measured values near their limit.
        armed: torques may act.
    """

    torque: Array
    saturated: Flags
    rules: tuple[Rule, ...]
    trips: tuple[str, ...]
    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]
    armed: bool


def initial_state(settings: GateSettings) -> GateState:
    """Disarmed, nothing latched."""
    return GateState(armed=False, torque=np.zeros(settings.joints))


def arm(
    state: GateState, frame: SensorFrame | None, now_ns: int, settings: GateSettings
) -> GateState:
    """Let torques act from the next tick on.

    Raises:
        PlantError: a fault is latched or present, or there is no fresh reading of every joint.
    """
    faults = state.faults or (
        frame_faults(frame, settings.limits, settings.joint_names) if frame is not None else ()
    )
    if faults:
        raise PlantError(
            f"cannot arm, fault {faults[0]}"
            + (f" (and {len(faults) - 1} more)" if faults[1:] else "")
        )
    if frame is None:
        raise PlantError("cannot arm, no sensor frame yet; wait for the plant's first reading")
    age, limit = (now_ns - frame.stamp_ns) / 1e9, settings.limits.sensor_age
    if not 0 <= age <= limit:
        raise PlantError(
            f"cannot arm, sensor frame is {age:.3f} s old, limit {limit} s; is the plant running?"
        )
    blind = ~(np.isfinite(frame.position) & np.isfinite(frame.velocity))
    if blind.any():
        raise PlantError(
            f"cannot arm, {settings.joint_names[int(blind.argmax())]} has no valid reading; "
            f"check its cable and power"
        )
    return state if state.armed else initial_state(settings)._replace(armed=True)


def disarm(state: GateState) -> GateState:
    """No torque any more; faults stay."""
    return state._replace(armed=False, torque=np.zeros_like(state.torque), last_command_ns=None)


def reset_fault(state: GateState) -> GateState:
    """Forget the faults; ends disarmed."""
    return disarm(state)._replace(faults=(), stale=frozenset())


def gate(
    state: GateState,
    frame: SensorFrame,
    command: Command | None,
    now_ns: int,
    settings: GateSettings,
    reported: tuple[Fault, ...] = (),
) -> tuple[GateState, GateDecision]:
    """Decide which torque may act for the coming control period.

    Args:
        state: from the tick before.
        frame: newest measurements.
        command: newest command, None when none has arrived.
        now_ns: present time on the clock of the stamps, ns.
        settings: limits and joint names.
        reported: faults of this tick that neither frame nor command show.

    Returns:
        The new state and the decision; |decision.torque| <= |command.torque| elementwise with equal
        signs.
    """
    limits = settings.limits
    if command is not None and not reported and _calm(state, frame, command, now_ns, settings):
        torque = command.torque + 0.0  # no negative zero
        passed = GateDecision(torque, np.zeros(settings.joints, bool), (), (), (), (), armed=True)
        return GateState(armed=True, torque=torque, last_command_ns=command.stamp_ns), passed
    shown, warnings = judge_frame(frame, limits, settings.joint_names)
    wrong = command_faults(command.torque, settings.joint_names) if command is not None else ()
    present = (
        *reported,
        *shown,
        *wrong,
        *silence_fault(
            _silence(state, command, now_ns, limits.command_age),
            COMMAND_LOST * limits.command_age,
            _lateness(state, command, now_ns),
        ),
    )
    faults = latch(state.faults, present)
    armed = state.armed and not faults
    commanded = command.torque if command is not None and not wrong else np.zeros(settings.joints)

    caps = _caps(commanded, state.torque, armed, frame, command, now_ns, settings)
    torque, saturated, rules = _reduced(commanded, caps)

    stale: frozenset[Rule] = FRESHNESS.intersection(rules) if armed else frozenset()
    begun = [fault.name for fault in faults[len(state.faults) :]]
    trips = (*begun, *sorted(stale - state.stale))
    fresh = armed and command is not None and _age(command.stamp_ns, now_ns) <= limits.command_age
    newest = command.stamp_ns if fresh and command is not None else state.last_command_ns
    decision = GateDecision(torque, saturated, rules, trips, faults, warnings, armed)
    return GateState(armed, torque, faults, newest if armed else None, stale), decision


def _calm(
    state: GateState, frame: SensorFrame, command: Command, now_ns: int, settings: GateSettings
) -> bool:
    """Whether there is nothing to tell, and everything is so far from its limits that no cap of
    `_caps` can cut, as at nearly all ticks: the command passes. On a few joints plain numbers are
    several times as fast as arrays. Where something is NaN no comparison holds.
    """
    limits, lower, upper = settings.limits, settings.lower, settings.upper
    if not (
        state.armed
        and not state.faults
        and command.torque.shape == (settings.joints,)
        and _command_share(command, now_ns, limits.command_age) >= 1.0
        and _age(frame.stamp_ns, now_ns) <= limits.sensor_age
        and unremarkable(frame, limits)
    ):
        return False
    torque, step, margin = limits.torque, settings.torque_step, limits.joint_margin
    speed, fade = limits.velocity, VELOCITY_FADE * limits.velocity
    for wish, before, angle, rate in zip(
        command.torque.tolist(),
        state.torque.tolist(),
        frame.position.tolist(),
        frame.velocity.tolist(),
        strict=True,
    ):
        kept = abs(before) if wish * before > 0.0 else 0.0
        if not (
            abs(wish) <= torque
            and abs(wish) <= kept + step
            and margin < angle - lower
            and margin < upper - angle
            and fade < speed - abs(rate)
        ):
            return False
    return True


def _reduced(
    commanded: Array, caps: Mapping[Rule, Array | float]
) -> tuple[Array, Flags, tuple[Rule, ...]]:
    """The command (n_joints,), N m, cut to the smallest cap; where it was cut, and by which
    rules.
    """
    magnitude = np.abs(commanded)
    allowed: Array = reduce(np.minimum, caps.values(), magnitude)
    torque = np.copysign(allowed, commanded) + 0.0  # no negative zero
    saturated: Flags = allowed < magnitude
    # what exceeds the torque limit is cut by that rule alone
    within = np.minimum(magnitude, caps[Rule.TORQUE])
    rules = tuple(
        rule
        for rule, cap in caps.items()
        if np.any(cap < (magnitude if rule is Rule.TORQUE else within))
    )
    return torque, saturated, rules


def _caps(
    commanded: Array,
    last: Array,
    armed: bool,
    frame: SensorFrame,
    command: Command | None,
    now_ns: int,
    settings: GateSettings,
) -> dict[Rule, Array | float]:
    """Largest magnitude each rule allows, for all joints or (n_joints,), N m."""
    limits = settings.limits
    direction = np.copysign(1.0, commanded)
    kept = np.maximum(direction * last, 0.0)  # the last output, where it had the commanded sign

    return {
        Rule.ARMED: np.inf if armed else 0.0,
        Rule.TORQUE: limits.torque,
        Rule.RATE: kept + settings.torque_step,  # towards zero is always free
        Rule.JOINT_RANGE: limits.torque * _range_share(direction, frame.position, settings),
        Rule.VELOCITY: limits.torque * _velocity_share(direction, frame.velocity, limits.velocity),
        # blind for a tick: hold or reduce, never more
        Rule.JOINT_AGE: np.where(frame.joint_age > 0, kept, np.inf),
        Rule.COMMAND_AGE: limits.torque * _command_share(command, now_ns, limits.command_age),
        Rule.SENSOR_AGE: np.inf if _age(frame.stamp_ns, now_ns) <= limits.sensor_age else 0.0,
    }


def _range_share(direction: Array, position: Array, settings: GateSettings) -> Array:
    """Share of the torque limit that the soft joint range leaves; none at unknown position."""
    room = np.where(direction < 0, position - settings.lower, settings.upper - position)
    margin = settings.limits.joint_margin
    share = _fade(room, margin) if margin > 0 else (room > 0).astype(float)
    return np.where(np.isfinite(position), share, 0.0)


def _velocity_share(direction: Array, velocity: Array, limit: float) -> Array:
    """Share of the torque limit left to torque that accelerates; none at unknown velocity."""
    room = limit - direction * velocity
    return np.where(np.isfinite(velocity), _fade(room, VELOCITY_FADE * limit), 0.0)


def _fade(distance: Array, width: float) -> Array:
    """1 where `distance` is at least `width`, linearly down to 0 where it is 0 or less."""
    return np.maximum(np.minimum(distance, width), 0.0) / width


def _command_share(command: Command | None, now_ns: int, limit: float) -> float:
    """1 for a fresh command, ramping down to 0 at the age limit."""
    if command is None:
        return 0.0
    left = 1.0 - _age(command.stamp_ns, now_ns) / limit
    return min(max(left / (1.0 - COMMAND_FADE), 0.0), 1.0)


def _age(stamp_ns: int, now_ns: int) -> float:
    """Age in s; a stamp from the future is as bad as one from long ago."""
    return (now_ns - stamp_ns) / 1e9 if now_ns >= stamp_ns else float("inf")


def _silence(state: GateState, command: Command | None, now_ns: int, limit: float) -> float:
    """Time since the last fresh command, s; 0 while commands are fresh or before the first."""
    if state.last_command_ns is None or _command_share(command, now_ns, limit) > 0:
        return 0.0
    return (now_ns - state.last_command_ns) / 1e9


def _lateness(state: GateState, command: Command | None, now_ns: int) -> float | None:
    """Age of a command that has come since the last fresh one, s, negative where its stamp lies
    ahead; None where none has.
    """
    if command is None or command.stamp_ns == state.last_command_ns:
        return None
    return (now_ns - command.stamp_ns) / 1e9
