# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""sensor_msgs/JointState: measured joints, torques, and named numbers."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from boa_control.messages.cdr import (
    MOST_LAYOUTS,
    Mark,
    MessageError,
    Template,
    deserialize,
    header,
    in_order,
    message,
    nanoseconds,
    same_layout,
)
from boa_control.messages.topics import DEBUG
from boa_description.arrays import Array, Integers

JOINT_STATE = "sensor_msgs/msg/JointState"
FIELDS = ("position", "velocity", "effort")


class JointStateCodec:
    """JointState messages of the given joints with some of the fields position, velocity, effort.

    Args:
        names: joint names, in the order of the arrays.
        fields: the fields that are sent; the others stay empty.
        topic: for error messages.

    Attributes:
        template: of its messages.
    """

    def __init__(self, names: Sequence[str], fields: Sequence[str], topic: str) -> None:
        self._names = tuple(names)
        self._fields = tuple(fields)
        self._topic = topic
        self.template = Template(self._build)

    def _build(self, mark: Mark) -> Any:
        numbers = {
            f: mark(f, len(self._names)) if f in self._fields else np.zeros(0) for f in FIELDS
        }
        return message(JOINT_STATE, header=header(), name=list(self._names), **numbers)

    def encode(self, stamp_ns: int, **numbers: Array) -> bytes:
        """Serialise one message; each field has shape (n_joints,)."""
        return self.template.write(stamp_ns, **numbers)

    def encode_many(self, stamps_ns: Sequence[int], **numbers: Array) -> list[bytes]:
        """Serialise one message per stamp; each field has shape (len(stamps_ns), n_joints)."""
        return self.template.write_many(stamps_ns, **numbers)

    def decode(self, raw: bytes) -> tuple[int, dict[str, Array]]:
        """Return stamp (ns) and the fields, in our order of joints whatever the sender's.

        Raises:
            MessageError: not a JointState, other joints than ours, or a field of another length.
        """
        known = self.template.read(raw)
        if known is not None:
            return known[0], dict(known[1])
        content = deserialize(raw, JOINT_STATE)
        return nanoseconds(content.header.stamp), {
            field: self._ordered(content, field) for field in self._fields
        }

    def decode_many(self, raws: Sequence[bytes]) -> tuple[Integers, dict[str, Array]]:
        """Stamps (T,), ns, and fields (T, n_joints) of many messages: those of `decode`."""
        known = self.template.read_many(raws)
        if known is not None:
            return known[0], dict(known[1])
        stamps, fields = zip(*map(self.decode, raws), strict=True)
        return np.array(stamps), {
            field: np.array([one[field] for one in fields]) for field in self._fields
        }

    def _ordered(self, content: Any, field: str) -> Array:
        values = getattr(content, field)
        if len(values) != len(content.name):
            raise MessageError(
                f"{self._topic}: {field} has {len(values)} values for {len(content.name)} names; "
                f"expected one per joint, {len(self._names)}"
            )
        if len(set(content.name)) != len(content.name):
            raise MessageError(f"{self._topic}: a joint name appears twice in {content.name}")
        return in_order(dict(zip(content.name, values, strict=True)), self._names, self._topic)


class NamedNumbers(NamedTuple):
    """Messages in a row that name the same numbers.

    Attributes:
        names: n of them. stamps: shape (T,), ns. values: shape (T, n).
    """

    names: tuple[str, ...]
    stamps: Integers
    values: Array


class ScalarsCodec:
    """Named numbers of controller/debug as a JointState: name[i] = position[i]. PlotJuggler,
    Foxglove and `ros2 topic echo` show the names.

    A template is kept for every set of names that occurs, so names should not vary freely. Most
    messages have the names of the one before, and are read with its template.
    """

    def __init__(self) -> None:
        self._codec = lru_cache(MOST_LAYOUTS)(
            lambda names: JointStateCodec(names, ("position",), DEBUG.name)
        )
        self._newest: tuple[Template, tuple[str, ...]] | None = None  # of the last message read

    def encode(self, stamp_ns: int, names: tuple[str, ...], values: Array) -> bytes:
        """Serialise the values, shape (len(names),)."""
        return self._codec(names).encode(stamp_ns, position=values)

    def encode_many(
        self, stamps_ns: Sequence[int], names: tuple[str, ...], values: Array
    ) -> list[bytes]:
        """Serialise one message per stamp; values have shape (len(stamps_ns), len(names))."""
        return self._codec(names).encode_many(stamps_ns, position=values)

    def decode(self, raw: bytes) -> tuple[int, dict[str, float]]:
        """Return stamp (ns) and name -> value.

        Raises:
            MessageError: not such a message.
        """
        template, names = self._layout_of(raw)
        known = template.read(raw)
        if known is not None:
            stamp, fields = known
            return stamp, dict(zip(names, fields["position"].tolist(), strict=True))
        content = deserialize(raw, JOINT_STATE)
        if len(content.name) != len(content.position):
            raise MessageError(
                f"{DEBUG.name}: {len(content.name)} names for {len(content.position)} values"
            )
        values = map(float, content.position)
        return nanoseconds(content.header.stamp), dict(zip(names, values, strict=True))

    def decode_many(self, raws: Sequence[bytes]) -> Iterator[NamedNumbers]:
        """Read many messages, in order: those of `decode`, those with the same names together.

        Raises:
            MessageError: as `decode`.
        """
        for names, run, known in same_layout(raws, self._layout_of):
            if known is not None:
                yield NamedNumbers(names, known[0], known[1]["position"])
            else:
                stamp, numbers = self.decode(run[0])
                values = np.array([list(numbers.values())])
                yield NamedNumbers(tuple(numbers), np.array([stamp]), values)

    def _layout_of(self, raw: bytes) -> tuple[Template, tuple[str, ...]]:
        """Template and names of a message, most often those of the one before."""
        if self._newest is None or not self._newest[0].fits(raw):
            names = tuple(deserialize(raw, JOINT_STATE).name)
            self._newest = self._codec(names).template, names
        return self._newest
