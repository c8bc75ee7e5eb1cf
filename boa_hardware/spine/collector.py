"""Sort the frames that answer one SYNC SENSOR into one sample set, and keep count of what is missing.

Pure bookkeeping on identifiers, bytes and times; no bus. The frames carry no sequence number, so a frame
belongs to the newest SYNC; one that comes after its set was closed is counted as late and dropped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from cantools.database.can import Message
from cantools.database.errors import DecodeError
from numpy.typing import NDArray

from boa_control.plant import Array
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
    """What all link boards answered to one SYNC SENSOR. Missing values are NaN.

    Attributes:
        stamp_ns: when the SYNC was sent, ns.
        values: shape (n_links, 10), columns as in `COLUMNS`, SI units (force sensor: counts of the converter).
        delay: shape (n_links,), s from the SYNC to the arrival of the link's last frame; NaN if none came.
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
    """What happened on the spine since the start. Arrays have shape (n_links,).

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
    """Collects one sample set at a time; decoding is cantools'.

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
        self._kinds = {opcode: column for column, opcode in enumerate(kinds)}
        self._messages: dict[int, Message] = {op: message(specs[op], 1, settings.byte_order) for op in kinds}
        self._columns: dict[int, list[int]] = {
            opcode: [COLUMNS.index(signal.name) for signal in specs[opcode].signals] for opcode in kinds
        }
        self._to_si = _si_factors(settings)
        self._needed = self._needed_frames(settings)
        self._open = False
        self._syncs = 0
        self._unknown = 0
        self._missed, self._malformed, self._late, self._repeated = (np.zeros(links, np.int64) for _ in range(4))
        self._last = np.full(links, -np.inf)  # s, stamp of the newest complete answer of each link
        self._start_set(0)

    def _needed_frames(self, settings: SpineSettings) -> NDArray[np.bool_]:
        """Frames a set waits for: all but the force sensor of the end link that has no joint on that side."""
        needed = np.ones((self._links, len(self._kinds)), dtype=bool)
        for opcode, board in ((Opcode.CFS, settings.force_board), (Opcode.SERVO, settings.servo_board)):
            if opcode in self._kinds:
                needed[0 if board == "head_side" else -1, self._kinds[opcode]] = False
        return needed

    def begin(self, stamp_ns: int) -> None:
        """A SYNC SENSOR has just been sent at `stamp_ns`."""
        self._start_set(stamp_ns)
        self._open = True
        self._syncs += 1

    def _start_set(self, stamp_ns: int) -> None:
        self._stamp_ns = stamp_ns
        self._values = np.full((self._links, len(COLUMNS)), np.nan)
        self._delay = np.full(self._links, np.nan)
        self._received = np.zeros_like(self._needed)
        self._outstanding = int(self._needed.sum())

    @property
    def complete(self) -> bool:
        """Every needed frame of the current set has come."""
        return self._outstanding == 0

    def accept(self, identifier: int, data: bytes | bytearray, arrival_ns: int) -> bool:
        """Take one received frame.

        Returns:
            True if it was a sensor frame of this robot (also a bad or late one), else False.
        """
        opcode, link = split(identifier)
        kind = self._kinds.get(Opcode(opcode)) if opcode in self._messages else None
        index = link - 1
        if kind is None or not 0 <= index < self._links:
            return False
        if not self._open:
            self._late[index] += int(self._needed[index, kind])
            return True
        values = self._decode(opcode, bytes(data))
        if values is None:
            self._malformed[index] += 1
            return True
        self._values[index, self._columns[opcode]] = values
        self._delay[index] = (arrival_ns - self._stamp_ns) * 1e-9
        if self._received[index, kind]:
            self._repeated[index] += 1
        else:
            self._received[index, kind] = True
            self._outstanding -= int(self._needed[index, kind])
        return True

    def note_unknown(self) -> None:
        """Count a frame that neither this collector nor anybody else understood."""
        self._unknown += 1

    def _decode(self, opcode: int, data: bytes) -> list[float] | None:
        layout = self._messages[opcode]
        if len(data) != layout.length:
            return None
        try:
            decoded = layout.decode_simple(data, decode_choices=False)
        except DecodeError:
            return None
        values = [float(decoded[COLUMNS[column]]) for column in self._columns[opcode]]  # type: ignore[arg-type]
        return values if all(map(math.isfinite, values)) else None

    def close(self) -> SensorSet:
        """End the set; frames that still come for it are late."""
        self._open = False
        whole = (self._received | ~self._needed).all(axis=1)
        self._missed += ~whole
        self._last[whole] = self._stamp_ns * 1e-9
        return SensorSet(self._stamp_ns, self._values * self._to_si, self._delay)

    def age(self, now_ns: int) -> Array:
        """Shape (n_links,), s since the SYNC of each link's last complete answer; infinite before the first."""
        return now_ns * 1e-9 - self._last

    def counts(self) -> LinkCounts:
        """A copy of the counters."""
        return LinkCounts(
            self._syncs,
            self._missed.copy(),
            self._malformed.copy(),
            self._late.copy(),
            self._repeated.copy(),
            self._unknown,
        )


def _si_factors(settings: SpineSettings) -> Array:
    """Shape (10,): sign and unit of each column."""
    imu, sign = settings.imu, float(settings.servo.sign)
    rate = math.radians(1) if imu.rate_unit == "deg/s" else 1.0
    angle = math.radians(1) if imu.angle_unit == "deg" else 1.0
    ax, ay = imu.acceleration_signs
    return np.array([ax, ay, rate * imu.rate_sign, angle * imu.angle_sign, 1, 1, sign, sign, sign, 1], dtype=float)
