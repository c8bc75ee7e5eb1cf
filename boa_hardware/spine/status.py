# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reports of the spine beside the samples, and the wording of its faults."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from boa_description.arrays import Array
from boa_hardware.sensors.force import ForceReading
from boa_hardware.sensors.imu import ImuReading
from boa_hardware.spine.collector import LinkCounts
from boa_hardware.spine.health import BusState

BUS_REMEDY = {
    BusState.WARNING: "errors on the bus; check termination and cabling before it gets worse",
    BusState.PASSIVE: "check termination (2 x 120 ohm), bit rate and cabling",
    BusState.SILENT: "no board answers: check the boards' power, the bit rate and that the bus "
    "is connected",
    BusState.OFF: "short circuit or wrong bit rate? The bus is restarted by itself (SocketCAN: "
    "set restart-ms 100)",
    BusState.DOWN: "the adapter is gone or closed: check its USB cable; it is opened again by "
    "itself",
}


@dataclass(frozen=True, slots=True)
class SpineStatus:
    """State of the bus and its links.

    Attributes:
        state: of the CAN bus.
        restarts: how often the channel was restarted.
        age: shape (n_links,), s since each link's last complete answer.
        delay: shape (n_links,), s from this SYNC to the arrival of the link's last frame; NaN if
            none came.
        unreadable: frames that the CAN driver received and could not read.
        counts: losses and oddities per link since the start.
        panic: why a PANIC was received or sent, else None.
        warnings: the robot can work with them for a while. faults: must stop the robot. One text
            each, with the remedy.
    """

    state: BusState
    restarts: int
    age: Array
    delay: Array
    unreadable: int
    counts: LinkCounts
    panic: str | None
    warnings: tuple[str, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpineReading:
    """Everything that one SYNC SENSOR brought.

    Attributes:
        stamp_ns: time of the SYNC, ns of the spine's clock.
        force, imu: samples for the plant contract, with their checks.
        servo: shape (n_joints, 4), current A, velocity rad/s, angle rad, temperature degC; NaN
            where not sent.
        status: of the bus.
    """

    stamp_ns: int
    force: ForceReading
    imu: ImuReading
    servo: Array
    status: SpineStatus


@dataclass(slots=True)
class Notices:
    """Announcements of boards and other participants; faults stay until `clear`."""

    panic: str | None = None
    other_master: str | None = None
    fatal: dict[int, int] = field(default_factory=dict)
    warnings: deque[str] = field(default_factory=lambda: deque(maxlen=20))

    def clear(self) -> None:
        """Forget everything."""
        self.panic = self.other_master = None
        self.fatal.clear()
        self.warnings.clear()

    def faults(self) -> list[str]:
        """One text per notice that must stop the robot."""
        texts = [
            f"spine: link {link} reports fatal error {code}; power-cycle it"
            for link, code in self.fatal.items()
        ]
        if self.panic is not None:
            texts.append(
                f"spine: PANIC ({self.panic}); servos stay off until a power cycle, then reset "
                f"the fault"
            )
        if self.other_master is not None:
            texts.append(
                f"spine: another master is on the bus ({self.other_master}); stop the other program"
            )
        return texts


def bus_texts(state: BusState) -> list[str]:
    """One line about the state of the bus; none if it is good."""
    return [f"spine: {state.value}; {BUS_REMEDY[state]}"] if state in BUS_REMEDY else []


def age_texts(age: Array, limit: float, spoilt: tuple[str, ...]) -> list[str]:
    """Lines about links that have not answered completely for longer than `limit` s: one about
    those that are silent, one about each that sends frames that cannot be used, `spoilt` by link.
    """
    stale = np.flatnonzero(age > limit).tolist()
    silent = [index for index in stale if not spoilt[index]]
    texts = [
        f"spine: link {index + 1} sends {spoilt[index]} {_since(age[index])}; check that sensor "
        "and the firmware of the link board"
        for index in stale
        if spoilt[index]
    ]
    if silent:
        links = ", ".join(str(index + 1) for index in silent)
        texts.append(
            f"spine: no complete answer from link {links} {_since(age[silent].max())}; check "
            "cable and power of the link board"
        )
    return texts


def _since(age: float) -> str:
    return f"for {age:.2f} s" if np.isfinite(age) else "since the start"
