"""sensor_msgs/JointState: measured joints, torques, and named numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    Mark,
    MessageError,
    Template,
    deserialize,
    header,
    in_order,
    message,
    nanoseconds,
)
from boa_description.arrays import Array

JOINT_STATE = "sensor_msgs/msg/JointState"
FIELDS = ("position", "velocity", "effort")


class JointStateCodec:
    """JointState messages of the given joints with some of the fields position, velocity, effort.

    Args:
        names: joint names, in the order of the arrays.
        fields: the fields that are sent; the others stay empty.
        topic: for error messages.
    """

    def __init__(self, names: Sequence[str], fields: Sequence[str], topic: str) -> None:
        self._names = tuple(names)
        self._fields = tuple(fields)
        self._topic = topic
        self._template = Template(self._build)

    def _build(self, mark: Mark) -> Any:
        numbers = {
            f: mark(f, len(self._names)) if f in self._fields else np.zeros(0) for f in FIELDS
        }
        return message(JOINT_STATE, header=header(), name=list(self._names), **numbers)

    def encode(self, stamp_ns: int, **numbers: Array) -> bytes:
        """Serialise one message; each field has shape (n_joints,)."""
        return self._template.write(stamp_ns, **numbers)

    def encode_many(self, stamps_ns: Sequence[int], **numbers: Array) -> list[bytes]:
        """Serialise one message per stamp; each field has shape (len(stamps_ns), n_joints)."""
        return self._template.write_many(stamps_ns, **numbers)

    def decode(self, raw: bytes) -> tuple[int, dict[str, Array]]:
        """Return stamp (ns) and the fields, in our order of joints whatever the sender's.

        Raises:
            MessageError: not a JointState, other joints than ours, or a field of another length.
        """
        known = self.decode_own(raw)
        if known is not None:
            return known
        content = deserialize(raw, JOINT_STATE)
        return nanoseconds(content.header.stamp), {
            field: self._ordered(content, field) for field in self._fields
        }

    def decode_own(self, raw: bytes) -> tuple[int, dict[str, Array]] | None:
        """The same of a message as `encode` writes it; None of any other."""
        known = self._template.read(raw)
        return None if known is None else (known[0], dict(known[1]))

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


class ScalarsCodec:
    """Named numbers as a JointState: name[i] = position[i]. PlotJuggler, Foxglove and `ros2 topic
    echo` show the names.

    A template is kept for every set of names that occurs, so names should not vary freely. Most
    messages have the names of the one before, and are read with its template.
    """

    MAX_TEMPLATES = 500

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._templates: dict[tuple[str, ...], JointStateCodec] = {}
        self._newest: tuple[str, ...] = ()  # names of the message that was read last
        self._repeated: JointStateCodec | None = None  # of names that were read twice in a row

    def encode(self, stamp_ns: int, names: tuple[str, ...], values: Array) -> bytes:
        """Serialise the values, shape (len(names),)."""
        return self._codec(names).encode(stamp_ns, position=values)

    def encode_many(
        self, stamps_ns: Sequence[int], names: tuple[str, ...], values: Array
    ) -> list[bytes]:
        """Serialise one message per stamp; values have shape (len(stamps_ns), len(names))."""
        return self._codec(names).encode_many(stamps_ns, position=values)

    def _codec(self, names: tuple[str, ...]) -> JointStateCodec:
        codec = self._templates.get(names)
        if codec is None:
            if len(self._templates) >= self.MAX_TEMPLATES:
                self._templates.clear()
            codec = self._templates[names] = JointStateCodec(names, ("position",), self._topic)
        return codec

    def decode(self, raw: bytes) -> tuple[int, dict[str, float]]:
        """Return stamp (ns) and name -> value.

        Raises:
            MessageError: not such a message.
        """
        known = None if self._repeated is None else self._repeated.decode_own(raw)
        if known is not None:
            stamp, fields = known
            return stamp, dict(zip(self._newest, fields["position"].tolist(), strict=True))
        content = deserialize(raw, JOINT_STATE)
        if len(content.name) != len(content.position):
            raise MessageError(
                f"{self._topic}: {len(content.name)} names for {len(content.position)} values"
            )
        names = tuple(content.name)
        self._repeated = self._codec(names) if names == self._newest else None
        self._newest = names
        values = map(float, content.position)
        return nanoseconds(content.header.stamp), dict(zip(names, values, strict=True))
