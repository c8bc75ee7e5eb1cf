"""`ControlOutput` as the messages torque_command, contacts, controller/debug, corrected_map and
events.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from boa_control.controller import ContactEstimate, ControlOutput, EstimateColumns, read_estimates
from boa_control.messages.cdr import SECOND, MessageError, deserialize, message, serialize
from boa_control.messages.contact_runs import contact_runs
from boa_control.messages.contacts import EstimatedContactsCodec, Keys
from boa_control.messages.corrected_map import CorrectedMapCodec
from boa_control.messages.force_arrows import ContactForceArrows
from boa_control.messages.joints import JointStateCodec, ScalarsCodec
from boa_control.messages.topics import (
    CONTACT_FORCE_MARKERS,
    CONTACTS,
    CORRECTED_MAP,
    DEBUG,
    EVENTS,
    TORQUE_APPLIED,
    TORQUE_COMMAND,
    Topic,
)
from boa_control.messages.view_clock import VIEW_RATE, ViewClock
from boa_description.arrays import Array, Indices
from boa_description.robot import Robot

Outgoing = list[tuple[Topic, bytes]]

READY = "ready"  # debug names that do not come from the controller's own record
STEP_TIME = "control_step_us"
CONTACT_PREFIX = "contacts/"


@dataclass(frozen=True, slots=True)
class EventMessage:
    """One event: when (ns), who reports it (controller, gate) and what happened."""

    stamp_ns: int
    source: str
    text: str


def encode_event(event: EventMessage) -> bytes:
    """Serialise an event as `seconds source text`."""
    seconds, rest = divmod(event.stamp_ns, SECOND)
    return serialize(
        message("std_msgs/msg/String", data=f"{seconds}.{rest:09d} {event.source} {event.text}")
    )


def decode_event(raw: bytes) -> EventMessage:
    """Read an event. Raises MessageError for a string of another form."""
    text = deserialize(raw, "std_msgs/msg/String").data
    stamp, _, rest = text.partition(" ")
    source, _, what = rest.partition(" ")
    seconds, _, fraction = stamp.partition(".")
    if not (seconds.isdecimal() and fraction.isdecimal() and len(fraction) == 9 and what):
        raise MessageError(
            f"{EVENTS.name}: '{text[:80]}' is no event; expected '12.346000000 controller what "
            f"happened'"
        )
    return EventMessage(int(seconds) * SECOND + int(fraction), source, what)


class TorqueCodec(JointStateCodec):
    """torque_command and torque_applied: effort per joint, N m."""

    def __init__(self, robot: Robot, topic: Topic) -> None:
        super().__init__(robot.joint_names, ("effort",), topic.name)


class ControlEncoder:
    """Turns controller outputs into messages; the torque comes first."""

    def __init__(self, robot: Robot, view_rate: float = VIEW_RATE) -> None:
        """`view_rate` is that of the arrows, Hz."""
        self._torque = TorqueCodec(robot, TORQUE_COMMAND)
        self._contacts = EstimatedContactsCodec(robot, CONTACTS.name)
        self._arrows = ContactForceArrows(robot)
        self._view_clock = ViewClock(view_rate)
        self._debug = ScalarsCodec(DEBUG.name)
        self._map = CorrectedMapCodec()

    def torque(self, stamp_ns: int, output: ControlOutput) -> tuple[Topic, bytes]:
        """The torque command that answers the frame of `stamp_ns`."""
        return TORQUE_COMMAND, self._torque.encode(stamp_ns, effort=output.torque)

    def record(
        self, stamp_ns: int, output: ControlOutput, control_step_us: float = math.nan
    ) -> Outgoing:
        """Everything else: contacts, debug record, arrows when they are due, news of the map,
        events.
        """
        names, values = _flatten(
            {**output.debug, READY: float(output.ready), STEP_TIME: control_step_us}
        )
        for contact in output.contacts:
            names += _contact_names(self._contacts.name(contact))
            values += (
                contact.force,
                contact.force_std,
                contact.reference,
                float(contact.established),
            )
        outgoing = [
            (CONTACTS, self._contacts.encode(stamp_ns, output.contacts)),
            (DEBUG, self._debug.encode(stamp_ns, tuple(names), np.array(values))),
        ]
        return outgoing + self._rest(stamp_ns, output, self._view_clock.due(stamp_ns))

    def _rest(self, stamp_ns: int, output: ControlOutput, arrows_due: bool) -> Outgoing:
        """Arrows and events, which not every tick has."""
        outgoing: Outgoing = []
        if arrows_due:
            outgoing.append((CONTACT_FORCE_MARKERS, self._arrows.encode(stamp_ns, output.contacts)))
        if output.corrected_map is not None:
            outgoing.append((CORRECTED_MAP, self._map.encode(stamp_ns, output.corrected_map)))
        outgoing += [
            (EVENTS, encode_event(EventMessage(stamp_ns, "controller", text)))
            for text in output.events
        ]
        return outgoing

    def encode(
        self, stamp_ns: int, output: ControlOutput, control_step_us: float = math.nan
    ) -> Outgoing:
        """All messages of one tick."""
        return [self.torque(stamp_ns, output), *self.record(stamp_ns, output, control_step_us)]

    def encode_many(
        self,
        stamps_ns: Sequence[int],
        outputs: Sequence[ControlOutput],
        debug: Mapping[str, Array],
        contacts: EstimateColumns,
        control_step_us: Array,
    ) -> list[Outgoing]:
        """Messages of many ticks: those of `encode`, made together; arguments as `record_many`."""
        torques = self._torque.encode_many(
            stamps_ns, effort=np.array([output.torque for output in outputs])
        )
        records = self.record_many(stamps_ns, outputs, debug, contacts, control_step_us)
        return [
            [(TORQUE_COMMAND, torque), *record]
            for torque, record in zip(torques, records, strict=True)
        ]

    def record_many(
        self,
        stamps_ns: Sequence[int],
        outputs: Sequence[ControlOutput],
        debug: Mapping[str, Array],
        contacts: EstimateColumns,
        control_step_us: Array,
    ) -> list[Outgoing]:
        """Messages of many ticks: those of `record`, made together.

        Args:
            debug: records of all outputs as columns (T, ...), instead of their own.
            contacts: estimates of all outputs.
            control_step_us: shape (T,).
        """
        ready = np.array([output.ready for output in outputs], float)
        record = {**debug, READY: ready, STEP_TIME: control_step_us}
        due = [self._view_clock.due(stamp) for stamp in stamps_ns]
        read_estimates([one.contacts for one, drawn in zip(outputs, due, strict=True) if drawn])
        messages = zip(
            stamps_ns,
            outputs,
            due,
            self._contacts.encode_many(stamps_ns, contacts),
            self._debug_many(stamps_ns, record, contacts),
            strict=True,
        )
        return [
            [
                (CONTACTS, touching),
                (DEBUG, numbers),
                *self._rest(stamp, output, drawn),
            ]
            for stamp, output, drawn, touching, numbers in messages
        ]

    def _debug_many(
        self, stamps_ns: Sequence[int], record: Mapping[str, Array], contacts: EstimateColumns
    ) -> list[bytes]:
        """Debug records with what the message of contacts has no place for."""
        own = [
            name
            for key, column in record.items()
            for name in (_element_names(key, column.shape[1:]) if column.ndim > 1 else (key,))
        ]
        numbers: Array = np.hstack(
            [column.reshape(len(stamps_ns), -1) for column in record.values()]
        )
        of_contacts = np.column_stack(
            (contacts.force, contacts.force_std, contacts.reference, contacts.established)
        )
        keys = Keys(contacts.report, contacts.link, contacts.obstacle)
        raws: list[bytes] = []
        for ticks, rows, size in contact_runs(len(stamps_ns), keys.tick, keys[1:]):
            alike = keys.of(slice(rows.start, rows.start + size))
            names = [name for key in alike for name in _contact_names(self._contacts.named(key))]
            stamps = stamps_ns[ticks]
            values: Array = np.hstack((numbers[ticks], of_contacts[rows].reshape(len(stamps), -1)))
            raws += self._debug.encode_many(stamps, (*own, *names), values)
        return raws


class ControlDecoder:
    """Reads a controller's messages back."""

    def __init__(self, robot: Robot) -> None:
        self._command = TorqueCodec(robot, TORQUE_COMMAND)
        self._applied = TorqueCodec(robot, TORQUE_APPLIED)
        self._contacts = EstimatedContactsCodec(robot, CONTACTS.name)
        self._debug = ScalarsCodec(DEBUG.name)

    def torque_command(self, raw: bytes) -> tuple[int, Array]:
        """Stamp of the frame that is answered (ns), torques (n_joints,). Raises MessageError."""
        stamp, fields = self._command.decode(raw)
        return stamp, fields["effort"]

    def torque_applied(self, raw: bytes) -> tuple[int, Array]:
        """Stamp (ns) of the frame of that tick, torques (n_joints,). Raises MessageError."""
        stamp, fields = self._applied.decode(raw)
        return stamp, fields["effort"]

    def debug(self, raw: bytes) -> tuple[int, dict[str, float]]:
        """Stamp (ns), named numbers as sent. Raises MessageError."""
        return self._debug.decode(raw)

    def output(
        self, torque: Array, contacts: bytes, debug: bytes, events: Iterable[EventMessage] = ()
    ) -> tuple[ControlOutput, float]:
        """One tick's output and the duration of the step, us (NaN if unknown).

        Raises:
            MessageError: one of them is not what it should be.
        """
        numbers = self._debug.decode(debug)[1]
        estimates = self._contacts.decode(contacts)[1]
        complete = tuple(
            _complete(contact, self._contacts.name(contact), numbers) for contact in estimates
        )
        own = {
            name: value for name, value in numbers.items() if not name.startswith(CONTACT_PREFIX)
        }
        ready, step_us = own.pop(READY, 1.0) != 0, own.pop(STEP_TIME, math.nan)
        texts = tuple(event.text for event in events)
        return ControlOutput(torque, complete, texts, unflatten(own), ready), step_us


def _complete(contact: ContactEstimate, name: str, numbers: Mapping[str, float]) -> ContactEstimate:
    prefix = f"{CONTACT_PREFIX}{name}/"
    return contact._replace(
        force_std=numbers.get(prefix + "force_std_n", math.nan),
        reference=numbers.get(prefix + "reference_n", math.nan),
        established=numbers.get(prefix + "established", 1.0) != 0,
    )


def _flatten(record: Mapping[str, float | Array]) -> tuple[list[str], list[float]]:
    """Names and values of scalars and arrays: `k` of shape (3,) becomes k[0], k[1], k[2]; of (2, 2)
    k[0,0], ...
    """
    names: list[str] = []
    values: list[float] = []
    for key, value in record.items():
        if isinstance(value, np.ndarray) and value.ndim:
            names += _element_names(key, value.shape)
            values += value.ravel().tolist()
        else:
            names.append(key)
            values.append(float(value))
    return names, values


@functools.lru_cache(maxsize=1000)
def _contact_names(contact: str) -> tuple[str, ...]:
    """Names in the debug record of what the message of contacts has no place for."""
    values = "force_n", "force_std_n", "reference_n", "established"
    return tuple(f"{CONTACT_PREFIX}{contact}/{value}" for value in values)


@functools.lru_cache(maxsize=1000)
def _element_names(key: str, shape: tuple[int, ...]) -> list[str]:
    return [f"{key}[{','.join(map(str, index))}]" for index in np.ndindex(*shape)]


def unflatten(numbers: Mapping[str, float]) -> dict[str, float | Array]:
    """Undo the naming of array elements; elements that are missing are NaN."""
    layout = _layout(tuple(numbers))
    record: dict[str, float | Array] = {name: numbers[name] for name in layout.scalars}
    for key, part in layout.arrays.items():
        array = np.full(part.shape, np.nan)
        array[part.places] = [numbers[name] for name in part.names]
        record[key] = array
    return record


class _Elements(NamedTuple):
    """Elements of one array: their names, and their places as numpy indexes them."""

    names: tuple[str, ...]
    places: tuple[Indices, ...]
    shape: tuple[int, ...]


class _Layout(NamedTuple):
    """Names of scalars, and the arrays, of a record of named numbers."""

    scalars: tuple[str, ...]
    arrays: Mapping[str, _Elements]


@functools.lru_cache(maxsize=1000)
def _layout(names: tuple[str, ...]) -> _Layout:
    scalars: list[str] = []
    elements: dict[str, dict[str, tuple[int, ...]]] = {}
    for name in names:
        key, bracket, index = name.removesuffix("]").partition("[")
        if bracket:
            elements.setdefault(key, {})[name] = tuple(map(int, index.split(",")))
        else:
            scalars.append(name)
    arrays = {}
    for key, places in elements.items():
        place = np.array(list(places.values()))
        shape: tuple[int, ...] = tuple((place.max(axis=0) + 1).tolist())
        arrays[key] = _Elements(tuple(places), tuple(place.T), shape)
    return _Layout(tuple(scalars), arrays)
