# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults that the torque gate latches, and its warnings. Pure functions on frames and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from boa_control.events import Event
from boa_control.plant import SensorFrame, force_components
from boa_description.arrays import Array
from boa_description.robot import Limits

MAX_FAULTS = 20  # the first ones matter; a plant that rewords its faults must not fill the memory


class FaultName(StrEnum):
    """Latched faults. The names are stable: logs, metrics and tests use them."""

    COMMAND_SHAPE = "command_shape"
    COMMAND_NOT_FINITE = "command_not_finite"
    COMMAND_LOST = "command_lost"
    TWO_TORQUE_SOURCES = "two_torque_sources"
    JOINT_STALE = "joint_stale"
    JOINT_FORCE = "joint_force"
    TEMPERATURE = "temperature"
    PLANT = "plant"
    CONTROLLER = "controller"


@dataclass(frozen=True, slots=True)
class Fault:
    """A latched fault: its kind, the part concerned, the text (thing, value, limit, remedy)."""

    name: FaultName
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"

    def record(self) -> dict[str, str]:
        """The fault as JSON has it."""
        return {"name": str(self.name), "subject": self.subject, "message": self.message}

    @classmethod
    def of(cls, record: Mapping[str, str]) -> Fault:
        """Read `record` back. Raises ValueError where it is none."""
        try:
            return cls(FaultName(record["name"]), record["subject"], record["message"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"{record} is no fault: name, subject, message needed") from error

    @classmethod
    def of_story(cls, story: str) -> Fault:
        """A fault of a recording before 0.2, which kept the text only: "joint_force: joint_03: ..."

        A story without a name was told by a plant that was gone.
        """
        name, _, message = story.partition(": ")
        if name not in set(FaultName):
            return plant_fault(story)
        subject = "command" if name.startswith("command") else message.partition(":")[0]
        return cls(FaultName(name), subject, message)


def with_fault(event: Event, fault: Fault | None) -> Event:
    """The event with the fault that is its reason, if there is one."""
    if fault is None:
        return event
    return replace(event, reason=str(fault.name), subject=fault.subject, note=fault.message)


def fault_of(event: Event) -> Fault | None:
    """The fault that is the reason of an event. Raises ValueError where it is none."""
    if event.subject is None:
        return None
    return Fault(FaultName(event.reason or ""), event.subject, event.note or "")


def plant_fault(text: str) -> Fault:
    """A fault that the plant itself tells; its text begins with the part concerned and a colon."""
    return Fault(FaultName.PLANT, text.split(":")[0], text)


def latch(faults: tuple[Fault, ...], present: Iterable[Fault]) -> tuple[Fault, ...]:
    """Add what is not latched already; one entry per kind and part."""
    for fault in present:
        known = {(one.name, one.subject) for one in faults}
        if (fault.name, fault.subject) not in known and len(faults) < MAX_FAULTS:
            faults = (*faults, fault)
    return faults


def frame_faults(
    frame: SensorFrame, limits: Limits, joint_names: tuple[str, ...]
) -> tuple[Fault, ...]:
    """Faults that a frame shows: those of the plant, silent joints, temperature, joint force."""
    return judge_frame(frame, limits, joint_names)[0]


def judge_frame(
    frame: SensorFrame, limits: Limits, joint_names: tuple[str, ...]
) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    """Faults as `frame_faults`, and warnings: measured values near their limit, one line each."""
    if unremarkable(frame, limits):
        return (), ()
    age, temperature, force = frame.joint_age, frame.temperature, joint_force(frame)
    silent = _joints(~(age <= limits.sensor_age))  # NaN: never answered
    hot = _joints(temperature >= min(limits.temperature_warn, limits.temperature_fault))
    loaded = _joints(force >= min(limits.joint_force_warn, limits.joint_force_fault))
    faults = (
        *map(plant_fault, frame.faults),
        *_stale(silent, age, limits.sensor_age, joint_names),
        *(
            _hot(joint_names[j], temperature[j], limits.temperature_fault)
            for j in hot
            if temperature[j] >= limits.temperature_fault
        ),
        *(
            _loaded(joint_names[j], force[j], limits.joint_force_fault)
            for j in loaded
            if force[j] >= limits.joint_force_fault
        ),
    )
    warnings = (
        *(
            f"{joint_names[j]}: temperature {temperature[j]:.0f} degC, warning at "
            f"{limits.temperature_warn} degC"
            for j in hot
            if temperature[j] >= limits.temperature_warn
        ),
        *(
            f"{joint_names[j]}: joint force {force[j]:.1f} N, warning at "
            f"{limits.joint_force_warn} N"
            for j in loaded
            if force[j] >= limits.joint_force_warn
        ),
    )
    return faults, warnings


def unremarkable(frame: SensorFrame, limits: Limits) -> bool:
    """Whether a frame shows neither faults nor warnings, as nearly all do. On a few joints plain
    numbers are several times as fast as arrays. A NaN can only make this false: no comparison with
    one holds, and `max` and `min` keep it or drop it, as the limits do.
    """
    if frame.faults or np.count_nonzero(frame.joint_age):
        return False
    warm = min(limits.temperature_warn, limits.temperature_fault)
    if not max(frame.temperature.tolist()) < warm:
        return False
    if frame.joint_force is None:
        return True
    heavy = min(limits.joint_force_warn, limits.joint_force_fault)
    forces = frame.joint_force.force.ravel()
    if forces.dot(forces) < heavy**2:  # none is larger than all of them together
        return True
    single = forces.tolist()
    return max(single) < heavy and min(single) > -heavy


def _stale(
    silent: Sequence[int], age: Array, limit: float, joint_names: tuple[str, ...]
) -> tuple[Fault, ...]:
    """One fault for each silent joint; where all are, one that does not blame the first cable."""
    parts = {joint_names[j]: (age[j], "check cable and power") for j in silent}
    if len(parts) == len(joint_names) > 1:
        remedy = "check supply and adapter, and stop other programs of a busy computer"
        parts = {"all joints": (age.max(), remedy)}
    return tuple(
        Fault(
            FaultName.JOINT_STALE,
            part,
            f"{part}: last reply is old: {old:.3f} s, limit {limit} s; {remedy}",
        )
        for part, (old, remedy) in parts.items()
    )


def _hot(joint: str, temperature: float, limit: float) -> Fault:
    text = f"temperature {temperature:.3f} degC, limit {limit} degC; let it cool down"
    return Fault(FaultName.TEMPERATURE, joint, f"{joint}: {text}")


def _loaded(joint: str, force: float, limit: float) -> Fault:
    text = f"joint force {force:.3f} N, limit {limit} N; unload the joint"
    return Fault(FaultName.JOINT_FORCE, joint, f"{joint}: {text}")


def joint_force(frame: SensorFrame) -> Array:
    """Largest force component per joint, shape (n_joints,), N: a K3D40's range holds per component.
    NaN if missing.
    """
    if frame.joint_force is None:
        return np.full(frame.position.shape, np.nan)
    return force_components(frame.joint_force.force)


def _joints(chosen: NDArray[np.bool_]) -> list[int]:
    """Indices where `chosen`, shape (n_joints,), is true."""
    return chosen.nonzero()[0].tolist()


def command_faults(torque: Array, joint_names: tuple[str, ...]) -> tuple[Fault, ...]:
    """Faults of a command's torques: wrong shape, not finite."""
    if torque.shape != (len(joint_names),):
        text = f"torque command has shape {torque.shape}, the robot has {len(joint_names)} joints"
        return (
            Fault(
                FaultName.COMMAND_SHAPE, "command", f"{text}; start the controller with this robot"
            ),
        )
    finite = np.isfinite(torque)
    if finite.all():
        return ()
    joint = int(finite.argmin())
    text = f"torque command for {joint_names[joint]} is {torque[joint]}"
    return (
        Fault(
            FaultName.COMMAND_NOT_FINITE,
            joint_names[joint],
            f"{text}; stop and repair the controller",
        ),
    )


def silence_fault(silence: float, patience: float, late: float | None = None) -> tuple[Fault, ...]:
    """No command could be used for `silence` s, more than `patience` s.

    Args:
        late: age of commands that come nevertheless, s, negative where their stamps lie ahead;
            None: none come.
    """
    if silence <= patience:
        return ()
    if late is None:
        text = (
            f"no torque command for {silence:.3f} s, limit {patience:.3f} s; restart the controller"
        )
    elif late < 0.0:
        text = (
            f"answers come, but their stamps are {-late:.3f} s ahead of the plant's time, for "
            f"{silence:.3f} s; let the controller answer with the stamp of joint_states"
        )
    else:
        text = (
            f"answers come, but {late:.3f} s late, for {silence:.3f} s; give the controller a "
            "faster computer, or a lower control rate"
        )
    return (Fault(FaultName.COMMAND_LOST, "command", text),)
