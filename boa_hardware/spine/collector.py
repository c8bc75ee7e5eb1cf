# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sort the frames that answer one SYNC SENSOR into one sample set, and count what is missing.

Pure bookkeeping on identifiers, bytes and times; no bus. The frames carry no sequence number, so a
frame belongs to the newest SYNC; one that comes after its set was closed is counted as late and
dropped.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Array
from boa_hardware.spine.decoder import Decoder
from boa_hardware.spine.protocol import Opcode, frames, message, split
from boa_hardware.spine.settings import SpineSettings

COLUMNS = (
    "acceleration_x",
    "acceleration_y",
    "yaw_rate",
    "yaw",
    "cfs_x",
    "cfs_y",
    "current",
    "velocity",
    "angle",
    "temperature",
)
SINGLE_FRAMES = (Opcode.ACC, Opcode.IMU, Opcode.CFS)


@dataclass(frozen=True, slots=True)
class SensorSet:
    """Answers of all link boards to one SYNC SENSOR. Missing values are NaN.

    Attributes:
        stamp_ns: when the SYNC was sent, ns.
        values: shape (n_links, 10), columns as in `COLUMNS`, SI units (force sensor: counts of the
            converter).
        delay: shape (n_links,), s from the SYNC to the arrival of the link's last frame; NaN if
            none came.
    """

    stamp_ns: int
    values: Array
    delay: Array

    @property
    def acceleration(self) -> Array:
        """Shape (n_links, 2), m/s2."""
        return self.values[:, 0:2]

    @property
    def yaw_rate(self) -> Array:
        """Shape (n_links,), rad/s."""
        return self.values[:, 2]

    @property
    def yaw(self) -> Array:
        """Shape (n_links,), rad, as the board reports it (absolute, may wrap)."""
        return self.values[:, 3]

    @property
    def cfs(self) -> Array:
        """Constraint force sensor, x and y, shape (n_links, 2), counts."""
        return self.values[:, 4:6]

    @property
    def servo(self) -> Array:
        """Current A, velocity rad/s, angle rad, temperature degC; shape (n_links, 4)."""
        return self.values[:, 6:10]


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Losses and oddities on the spine since the start. Arrays have shape (n_links,).

    Attributes:
        syncs: SYNC SENSOR frames sent.
        missed: sets in which at least one needed frame of the link did not come in time.
        malformed: frames with a wrong length or a value that is not a number.
        late: frames that came after their set was closed.
        repeated: frames of a kind that the set already had.
        unknown: frames that no link of this robot sends.
    """

    syncs: int
    missed: NDArray[np.int64]
    malformed: NDArray[np.int64]
    late: NDArray[np.int64]
    repeated: NDArray[np.int64]
    unknown: int


class Collector:
    """Collects one sample set at a time.

    Args:
        settings: units, byte order, which frames boards send.
        links: number of links, 1 to 63.
    """

    def __init__(self, settings: SpineSettings, links: int) -> None:
        self._links = links
        specs = frames(settings)
        kinds = (Opcode.ALL_SENSORS,) if settings.fd_frame else SINGLE_FRAMES
        if settings.servo_frames and not settings.fd_frame:
            kinds = (*kinds, Opcode.SERVO)
        self._decoders = {
            int(op): Decoder(message(specs[op], 1, settings.byte_order)) for op in kinds
        }
        self._columns = {int(op): COLUMNS.index(specs[op].signals[0].name) for op in kinds}
        self._to_si = _si_factors(settings)
        self._needed = self._needed_frames(settings, kinds)
        self._open = False
        self._syncs = 0
        self._unknown = 0
        self._missed, self._malformed, self._late, self._repeated = ([0] * links for _ in range(4))
        self._spoilt = [""] * links
        self._last = [-math.inf] * links  # s, stamp of the newest complete answer of each link
        self._start_set(0)

    def _needed_frames(
        self, settings: SpineSettings, kinds: tuple[Opcode, ...]
    ) -> list[frozenset[int]]:
        """Frames a set waits for: all but the force sensor (servo) of the end link without a joint
        on that side.
        """
        needed = [set(map(int, kinds)) for _ in range(self._links)]
        for opcode, board in (
            (Opcode.CFS, settings.force_board),
            (Opcode.SERVO, settings.servo_board),
        ):
            needed[0 if board == "head_side" else -1].discard(int(opcode))
        return [frozenset(opcodes) for opcodes in needed]

    def begin(self, stamp_ns: int) -> None:
        """A SYNC SENSOR has just been sent at `stamp_ns`."""
        self._start_set(stamp_ns)
        self._open = True
        self._syncs += 1

    def _start_set(self, stamp_ns: int) -> None:
        self._stamp_ns = stamp_ns
        self._rows = [[math.nan] * len(COLUMNS) for _ in range(self._links)]
        self._arrival_ns: list[int | None] = [None] * self._links
        self._received: list[set[int]] = [set() for _ in range(self._links)]
        self._outstanding = sum(map(len, self._needed))

    @property
    def complete(self) -> bool:
        """Every needed frame of the current set has come."""
        return self._outstanding == 0

    def awaits(self, now_ns: int, fault_age: float) -> bool:
        """Frames are missing from a link that has answered within `fault_age` s: waiting makes
        sense.
        """
        oldest = now_ns * 1e-9 - fault_age
        return not self.complete and any(
            last >= oldest and not needed <= received
            for last, needed, received in zip(self._last, self._needed, self._received, strict=True)
        )

    def accept(self, identifier: int, data: bytes | bytearray, arrival_ns: int) -> bool:
        """Take one received frame.

        Returns:
            True if it was a sensor frame of this robot (also a bad or late one), else False.
        """
        opcode, link = split(identifier)
        index = link - 1
        if opcode not in self._decoders or not 0 <= index < self._links:
            return False
        if not self._open:
            self._late[index] += opcode in self._needed[index]
            return True
        values = self._decoders[opcode].values(data)
        if values is None or not all(map(math.isfinite, values)):
            self._malformed[index] += 1
            what = f"of {len(data)} bytes" if values is None else "with values that are NaN"
            self._spoilt[index] = f"{Opcode(opcode).name} frames {what}"
            return True
        column = self._columns[opcode]
        self._rows[index][column : column + len(values)] = values
        self._arrival_ns[index] = arrival_ns
        if opcode in self._received[index]:
            self._repeated[index] += 1
        else:
            self._received[index].add(opcode)
            self._outstanding -= opcode in self._needed[index]
        return True

    def note_unknown(self) -> None:
        """Count a frame that neither this collector nor anybody else understood."""
        self._unknown += 1

    def close(self) -> SensorSet:
        """End the set; frames that still come for it are late."""
        self._open = False
        for index, (needed, received) in enumerate(zip(self._needed, self._received, strict=True)):
            if needed <= received:
                self._spoilt[index] = ""
                self._last[index] = self._stamp_ns * 1e-9
            else:
                self._missed[index] += 1
        delay = [
            math.nan if at is None else (at - self._stamp_ns) * 1e-9 for at in self._arrival_ns
        ]
        return SensorSet(self._stamp_ns, np.array(self._rows) * self._to_si, np.array(delay))

    def age(self, now_ns: int) -> Array:
        """Shape (n_links,), s since the SYNC of each link's last complete answer; else infinite."""
        return now_ns * 1e-9 - np.array(self._last)

    def spoilt(self) -> tuple[str, ...]:
        """For each link, which of its frames cannot be used, in words, since its last complete
        answer; "" where none has come.
        """
        return tuple(self._spoilt)

    def counts(self) -> LinkCounts:
        """A copy of the counters."""
        lists = (self._missed, self._malformed, self._late, self._repeated)
        missed, malformed, late, repeated = (np.array(counter, np.int64) for counter in lists)
        return LinkCounts(self._syncs, missed, malformed, late, repeated, self._unknown)


def _si_factors(settings: SpineSettings) -> Array:
    """Shape (10,): sign and unit of each column."""
    imu, sign = settings.imu, float(settings.servo.sign)
    rate = math.radians(1) if imu.rate_unit == "deg/s" else 1.0
    angle = math.radians(1) if imu.angle_unit == "deg" else 1.0
    ax, ay = imu.acceleration_signs
    return np.array(
        [ax, ay, rate * imu.rate_sign, angle * imu.angle_sign, 1, 1, sign, sign, sign, 1],
        dtype=float,
    )
