"""Faults that the torque gate latches, and its warnings. Pure functions on frames and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from boa_control.plant import SensorFrame
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


def plant_fault(text: str) -> Fault:
    """A fault that the plant itself tells; its text begins with the part concerned and a colon."""
    return Fault(FaultName.PLANT, text.split(":")[0], text)


def latch(faults: tuple[Fault, ...], present: Iterable[Fault]) -> tuple[Fault, ...]:
    """Add what is not latched already; one entry per kind and part."""
    known = {(fault.name, fault.subject) for fault in faults}
    for fault in present:
        if (fault.name, fault.subject) not in known and len(faults) < MAX_FAULTS:
            known.add((fault.name, fault.subject))
            faults = (*faults, fault)
    return faults


def frame_faults(
    frame: SensorFrame, limits: Limits, joint_names: tuple[str, ...]
) -> tuple[Fault, ...]:
    """Faults that a frame shows: those of the plant, silent joints, temperature, joint force."""
    faults = [plant_fault(text) for text in frame.faults]
    age, temperature, force = frame.joint_age, frame.temperature, joint_force(frame)

    def collect(
        bad: NDArray[np.bool_], name: FaultName, what: str, value: Array, limit: float, rest: str
    ) -> None:
        unit = rest.split(";")[0]
        for joint in np.flatnonzero(bad):
            text = f"{joint_names[joint]}: {what} {value[joint]:.3f} {unit}, limit {limit} {rest}"
            faults.append(Fault(name, joint_names[joint], text))

    silent = ~(age <= limits.sensor_age)  # NaN: never answered
    hot, loaded = temperature >= limits.temperature_fault, force >= limits.joint_force_fault
    collect(
        silent,
        FaultName.JOINT_STALE,
        "last reply is old:",
        age,
        limits.sensor_age,
        "s; check cable and power",
    )
    collect(
        hot,
        FaultName.TEMPERATURE,
        "temperature",
        temperature,
        limits.temperature_fault,
        "degC; let it cool down",
    )
    collect(
        loaded,
        FaultName.JOINT_FORCE,
        "joint force",
        force,
        limits.joint_force_fault,
        "N; unload the joint",
    )
    return tuple(faults)


def frame_warnings(
    frame: SensorFrame, limits: Limits, joint_names: tuple[str, ...]
) -> tuple[str, ...]:
    """Measured values near their limit, one line each."""
    force = joint_force(frame)
    hot, loaded = frame.temperature >= limits.temperature_warn, force >= limits.joint_force_warn
    texts = [
        f"{joint_names[j]}: temperature {frame.temperature[j]:.0f} degC, warning at "
        f"{limits.temperature_warn} degC"
        for j in np.flatnonzero(hot)
    ]
    texts += [
        f"{joint_names[j]}: joint force {force[j]:.1f} N, warning at {limits.joint_force_warn} N"
        for j in np.flatnonzero(loaded)
    ]
    return tuple(texts)


def joint_force(frame: SensorFrame) -> Array:
    """Largest force component per joint, shape (n_joints,), N: a K3D40's range holds per component.
    NaN if missing.
    """
    if frame.joint_force is None:
        return np.full(frame.position.shape, np.nan)
    largest: Array = np.fmax.reduce(np.abs(frame.joint_force.force), axis=1)
    return largest


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


def silence_fault(silence: float, patience: float) -> tuple[Fault, ...]:
    """The controller has been silent for `silence` s, more than `patience` s."""
    if silence <= patience:
        return ()
    text = f"no torque command for {silence:.3f} s, limit {patience:.3f} s; restart the controller"
    return (Fault(FaultName.COMMAND_LOST, "command", text),)
