# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Standard ROS 2 messages as bytes (CDR), without ROS.

Messages that are sent every tick always have the same layout: the same names, the same number of
joints. So one is serialised once, as a `Template`; afterwards its numbers are written and read in
place. That costs a microsecond where building the message object costs up to a hundred. What does
not fit the template (other senders order or pad as they like) is read field by field with
`deserialize`.
"""

import functools
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore

from boa_description.arrays import Array, Integers
from boa_description.errors import BoaError

Mark = Callable[..., Array]
Numbers = Mapping[str, Array]
Names = TypeVar("Names")

SECOND = 1_000_000_000
HEADER = b"\x00\x01\x00\x00"  # plain CDR, little endian
STAMP_AT = 4  # every type that carries a stamp begins with it, right after the encapsulation header
_STAMP, _BIG_ENDIAN_STAMP = struct.Struct("<iI"), struct.Struct(">iI")
_MARK = -1.5e300  # no measured value comes near
MOST_LAYOUTS = 500  # of which a codec keeps templates: those used last
MARKED_NS = 1_835_884_395 * SECOND + 912_559_483  # a stamp that no message has by chance


class MessageError(BoaError):
    """A message that cannot be used: names topic or type, what is wrong, what was expected."""


@functools.cache
def typestore() -> Typestore:
    """The message definitions of ROS 2 Jazzy."""
    return get_typestore(Stores.ROS2_JAZZY)


def prepare(msgtype: str) -> None:
    """Have the reader and writer of a message type generated now; the first message would wait for
    it, up to 30 ms.
    """
    typestore().get_msgdef(msgtype)


def message(msgtype: str, **fields: Any) -> Any:
    """Make a message object, e.g. `message("geometry_msgs/msg/Vector3", x=1.0, y=0.0, z=0.0)`."""
    return typestore().types[msgtype](**fields)


def serialize(content: Any) -> bytes:
    """Serialise a message object made with `message`; filled up to whole words of 4 bytes, as DDS
    delivers it.
    """
    raw = bytes(typestore().serialize_cdr(content, content.__msgtype__, little_endian=True))
    return raw + bytes(-len(raw) % 4)


def deserialize(raw: bytes, msgtype: str) -> Any:
    """Read any serialised message of a type, in either byte order.

    Raises:
        MessageError: the bytes are not a message of that type.
    """
    try:
        return typestore().deserialize_cdr(raw, msgtype)
    # truncated or foreign bytes fail in many ways inside the generated readers
    except Exception as error:
        raise MessageError(f"{len(raw)} bytes are not a {msgtype}: {error}") from error


def time(stamp_ns: int) -> Any:
    """builtin_interfaces/Time of a stamp in nanoseconds."""
    seconds, nanoseconds = divmod(int(stamp_ns), SECOND)
    return message("builtin_interfaces/msg/Time", sec=seconds, nanosec=nanoseconds)


def header(stamp_ns: int = 0, frame: str = "") -> Any:
    """std_msgs/Header."""
    return message("std_msgs/msg/Header", stamp=time(stamp_ns), frame_id=frame)


def nanoseconds(stamp: Any) -> int:
    """Stamp in nanoseconds of a builtin_interfaces/Time."""
    return int(stamp.sec) * SECOND + int(stamp.nanosec)


def vector(values: Array) -> Any:
    """geometry_msgs/Vector3 of three numbers."""
    return message(
        "geometry_msgs/msg/Vector3", x=float(values[0]), y=float(values[1]), z=float(values[2])
    )


def point(values: Array) -> Any:
    """geometry_msgs/Point of three numbers."""
    return message(
        "geometry_msgs/msg/Point", x=float(values[0]), y=float(values[1]), z=float(values[2])
    )


def quaternion(values: Array) -> Any:
    """geometry_msgs/Quaternion of x, y, z, w."""
    x, y, z, w = map(float, values)
    return message("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)


def pose(row: Array) -> Any:
    """geometry_msgs/Pose of seven numbers: position, and quaternion x, y, z, w."""
    at, turn = point(row[:3]), quaternion(row[3:])
    return message("geometry_msgs/msg/Pose", position=at, orientation=turn)


def transform(row: Array) -> Any:
    """geometry_msgs/Transform of seven numbers, as of `pose`."""
    shift, turn = vector(row[:3]), quaternion(row[3:])
    return message("geometry_msgs/msg/Transform", translation=shift, rotation=turn)


def twist(row: Array) -> Any:
    """geometry_msgs/Twist of six numbers: linear, and angular velocity."""
    return message("geometry_msgs/msg/Twist", linear=vector(row[:3]), angular=vector(row[3:]))


def wrench(row: Array) -> Any:
    """geometry_msgs/Wrench of six numbers: force, and torque."""
    return message("geometry_msgs/msg/Wrench", force=vector(row[:3]), torque=vector(row[3:]))


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where numbers are in the serialised message."""

    start: int
    count: int
    shape: tuple[int, ...]


class Template:
    """A serialised message whose stamp and numbers are replaced in place.

    `build(mark)` makes the message object; wherever numbers are to be replaced it puts those of
    `mark(name, *shape)`, consecutive in the message. The layout is then located in the serialised
    bytes, so it is the serialiser's and not ours. The stamp that is replaced is the one with which
    the message begins; in messages that hold several it is every stamp of `MARKED_NS`.
    """

    def __init__(self, build: Callable[[Mark], Any]) -> None:
        marks: dict[str, Array] = {}

        def mark(name: str, *shape: int) -> Array:
            first = sum(array.size for array in marks.values())
            marks[name] = _MARK * (
                1 + np.arange(first, first + int(np.prod(shape))).reshape(shape) / 2**20
            )
            return marks[name]

        content = build(mark)
        self.msgtype: str = content.__msgtype__
        self._buffer = bytearray(serialize(content))
        self._stamps = _marked_stamps(bytes(self._buffer)) or (STAMP_AT,)
        self._slots: dict[str, _Slot] = {}
        self._views: dict[str, Array] = {}
        for name, values in marks.items():
            start = (
                self._buffer.find(values.astype("<f8").tobytes())
                if values.size
                else len(self._buffer)
            )
            if start < 0:
                raise ValueError(
                    f"{self.msgtype}: the numbers of '{name}' are not consecutive in the message"
                )
            self._slots[name] = _Slot(start, values.size, values.shape)
            self._views[name] = np.frombuffer(self._buffer, "<f8", values.size, start).reshape(
                values.shape
            )
        self._fixed = self._fixed_parts()
        self._row = self._row_type()

    def _row_type(self) -> np.dtype[np.void]:
        """One message as a row of a table, of which stamps and numbers are columns."""
        stamps = {f"stamp {at}": (at, ("<i4,<u4")) for at in self._stamps}
        numbers = {
            name: (slot.start, ("<f8", slot.shape))
            for name, slot in self._slots.items()
            if slot.count
        }
        offsets, formats = zip(*(stamps | numbers).values(), strict=True)
        return np.dtype(
            {
                "names": [*stamps, *numbers],
                "formats": formats,
                "offsets": offsets,
                "itemsize": len(self._buffer),
            }
        )

    def _fixed_parts(self) -> tuple[tuple[slice, bytes], ...]:
        """Everything that is neither stamp nor number: what a message must have in common with the
        template.
        """
        stamps = [(at, at + _STAMP.size) for at in self._stamps]
        numbers = [(slot.start, slot.start + 8 * slot.count) for slot in self._slots.values()]
        parts, at = [], 0
        for start, end in sorted(stamps + numbers):
            parts.append(slice(at, start))
            at = end
        parts.append(slice(at, len(self._buffer)))
        return tuple((part, bytes(self._buffer[part])) for part in parts if part.start < part.stop)

    def write(self, stamp_ns: int, **numbers: Array) -> bytes:
        """Message with this stamp and these numbers; every slot must be given its shape."""
        stamp = divmod(int(stamp_ns), SECOND)
        for at in self._stamps:
            _STAMP.pack_into(self._buffer, at, *stamp)
        for name, view in self._views.items():
            view[...] = numbers[name]
        return bytes(self._buffer)

    def write_many(self, stamps_ns: Sequence[int], **numbers: Array) -> list[bytes]:
        """The messages that `write` makes one by one, for many stamps at once.

        Args:
            numbers: every slot with one row per message, shape (len(stamps_ns), ...).
        """
        size, count = len(self._buffer), len(stamps_ns)
        table = np.frombuffer(bytearray(self._buffer * count), self._row)
        seconds, rest = np.divmod(np.array(stamps_ns, np.int64), SECOND)
        for at in self._stamps:
            stamp = table[f"stamp {at}"]
            stamp["f0"], stamp["f1"] = seconds, rest
        for name, slot in self._slots.items():
            if slot.count:
                table[name] = numbers[name]
        raw = table.tobytes()
        return [raw[start : start + size] for start in range(0, count * size, size)]

    def read(self, raw: bytes) -> tuple[int, Numbers] | None:
        """Return stamp (ns) and numbers of a message; None where it differs in more than these.

        The first stamp, where the message holds several.
        """
        if not self.fits(raw):
            return None
        numbers = {
            name: np.frombuffer(raw, "<f8", slot.count, slot.start).reshape(slot.shape).copy()
            for name, slot in self._slots.items()
        }
        seconds, rest = _STAMP.unpack_from(raw, self._stamps[0])
        return int(seconds) * SECOND + int(rest), numbers

    def read_many(self, raws: Sequence[bytes]) -> tuple[Integers, Numbers] | None:
        """What `read` returns of each of many messages, together: stamps (T,) and numbers (T, ...);
        None where one of them differs in more than these.
        """
        size = len(self._buffer)
        if any(len(raw) != size for raw in raws):
            return None
        table = np.frombuffer(b"".join(raws), self._row)
        content = table.view(np.uint8).reshape(-1, size)
        for part, fixed in self._fixed:
            if (content[:, part] != np.frombuffer(fixed, np.uint8)).any():
                return None
        stamp = table[f"stamp {self._stamps[0]}"]
        numbers = {
            name: table[name].copy() if slot.count else np.zeros((len(table), *slot.shape))
            for name, slot in self._slots.items()
        }
        return stamp["f0"].astype(np.int64) * SECOND + stamp["f1"], numbers

    def fits(self, raw: bytes) -> bool:
        """Whether the message differs from the template in stamp and numbers only."""
        return len(raw) == len(self._buffer) and all(
            raw[part] == fixed for part, fixed in self._fixed
        )

    def cut(self, raw: bytes, name: str) -> bytes:
        """The bytes of the numbers `name` (little-endian doubles) of a message that fits."""
        slot = self._slots[name]
        return raw[slot.start : slot.start + 8 * slot.count]


def same_layout(
    raws: Sequence[bytes], layout_of: Callable[[bytes], tuple[Template, Names]]
) -> Iterator[tuple[Names, Sequence[bytes], tuple[Integers, Numbers] | None]]:
    """Consecutive messages of one layout: its names, the messages, and what `read_many` returns of
    them; None with a single message that does not fit its template: somebody else's way of writing.

    Args:
        layout_of: makes or finds the template of a message, and says what it names.
    """
    start = 0
    while start < len(raws):
        template, names = layout_of(raws[start])
        end = start
        while end < len(raws) and template.fits(raws[end]):
            end += 1
        known = template.read_many(raws[start:end]) if end > start else None
        end = max(end, start + 1)
        yield names, raws[start:end], known
        start = end


def _marked_stamps(raw: bytes) -> tuple[int, ...]:
    """Where stamps of `MARKED_NS` are in a serialised message."""
    marked = _STAMP.pack(*divmod(MARKED_NS, SECOND))
    return tuple(at for at in range(STAMP_AT, len(raw), 4) if raw.startswith(marked, at))


def stamp_of(raw: bytes, at: int = STAMP_AT) -> int:
    """Stamp in nanoseconds of a serialised message that begins with one (a header, a clock), or has
    one at byte `at`.

    Raises:
        MessageError: too short to carry a stamp.
    """
    if len(raw) < at + _STAMP.size:
        raise MessageError(f"a message of {len(raw)} bytes carries no stamp")
    seconds, rest = (_STAMP if raw[1] else _BIG_ENDIAN_STAMP).unpack_from(raw, at)
    return int(seconds) * SECOND + int(rest)


def in_order(names: Mapping[str, float], expected: tuple[str, ...], what: str) -> Array:
    """Values of the expected names, in their order.

    Raises:
        MessageError: a name is missing, or there is one too many.
    """
    missing = [name for name in expected if name not in names]
    if missing or len(names) != len(expected):
        extra = [name for name in names if name not in expected]
        problem = f"{missing[0]} is missing" if missing else f"{extra[0]} is not one of them"
        raise MessageError(
            f"{what}: {problem}; expected each of {expected[0]} to {expected[-1]} once"
        )
    return np.array([names[name] for name in expected], dtype=np.float64)
