# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`ControlOutput` as the messages torque_command, contacts, controller/debug, corrected_map and
events.
"""

import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from boa_control.controller import (
    ControlOutput,
    EstimateColumns,
    debug_columns,
    estimate_columns,
)
from boa_control.events import Event
from boa_control.messages.contacts import UNKNOWN, EstimatedContactsCodec, Keys
from boa_control.messages.corrected_map import CorrectedMapCodec
from boa_control.messages.events import CONTROLLER, encode_events
from boa_control.messages.force_arrows import ContactForceArrows
from boa_control.messages.joints import JointStateCodec, NamedNumbers, ScalarsCodec
from boa_control.messages.message_columns import MessageColumn, by_ticks, by_topics, contact_runs
from boa_control.messages.named_arrays import element_names, unflatten
from boa_control.messages.plant_views import VIEW_RATE, ViewClock
from boa_control.messages.topics import (
    CONTACT_FORCE_MARKERS,
    CONTACTS,
    CORRECTED_MAP,
    DEBUG,
    EVENT_STATUS,
    EVENTS,
    TORQUE_APPLIED,
    TORQUE_COMMAND,
    Outgoing,
    Topic,
)
from boa_control.plant import parts, put_together
from boa_description.arrays import Array
from boa_description.robot import Robot

READY = "ready"  # debug names that do not come from the controller's own record
STEP_TIME = "control_step_us"
CONTACT_PREFIX = "contacts/"
FURTHER = math.nan, math.nan, 1.0  # force_std, reference, established of a contact, if not said


class TorqueCodec(JointStateCodec):
    """torque_command and torque_applied: effort per joint, N m."""

    def __init__(self, robot: Robot, topic: Topic) -> None:
        super().__init__(robot.joint_names, ("effort",), topic.name)


class ControlEncoder:
    """Turns controller outputs into messages; the torque comes first."""

    def __init__(self, robot: Robot, view_rate: float = VIEW_RATE) -> None:
        """`view_rate` is that of the arrows, Hz."""
        self._torque = TorqueCodec(robot, TORQUE_COMMAND)
        self._contacts = EstimatedContactsCodec(robot)
        self._arrows = ContactForceArrows(robot)
        self._view_clock = ViewClock(view_rate)
        self._debug = ScalarsCodec()
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
        return self.records((stamp_ns,), (output,), np.array([control_step_us]))[0]

    def records(
        self, stamps_ns: Sequence[int], outputs: Sequence[ControlOutput], control_step_us: Array
    ) -> list[Outgoing]:
        """The same of some ticks whose outputs have one `debug_layout`."""
        contacts = estimate_columns([output.contacts for output in outputs])
        debug = debug_columns(outputs)
        columns = self.record_many(stamps_ns, outputs, debug, contacts, control_step_us)
        return by_ticks(columns, len(outputs))

    def _news(self, stamp_ns: int, output: ControlOutput) -> Outgoing:
        """News of the map, and events."""
        outgoing: Outgoing = []
        if output.corrected_map is not None:
            outgoing.append((CORRECTED_MAP, self._map.encode(stamp_ns, output.corrected_map)))
        return outgoing + encode_events(stamp_ns, CONTROLLER, output.events)

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
    ) -> list[MessageColumn]:
        """All messages of many ticks; arguments as `record_many`."""
        torques = self._torque.encode_many(
            stamps_ns, effort=np.array([output.torque for output in outputs])
        )
        records = self.record_many(stamps_ns, outputs, debug, contacts, control_step_us)
        return [MessageColumn(TORQUE_COMMAND, torques), *records]

    def record_many(
        self,
        stamps_ns: Sequence[int],
        outputs: Sequence[ControlOutput],
        debug: Mapping[str, Array],
        contacts: EstimateColumns,
        control_step_us: Array,
    ) -> list[MessageColumn]:
        """Messages of many ticks, all but torques.

        Args:
            debug: records of all outputs as columns (T, ...), instead of their own.
            contacts: estimates of all outputs.
            control_step_us: shape (T,).
        """
        ready = np.array([output.ready for output in outputs], float)
        record = {**debug, READY: ready, STEP_TIME: control_step_us}
        drawn = [tick for tick, stamp in enumerate(stamps_ns) if self._view_clock.due(stamp)]
        touching = [outputs[tick].contacts for tick in drawn]
        put_together(touching)
        arrows = self._arrows.encode_many([stamps_ns[tick] for tick in drawn], touching)
        news = (
            (tick, self._news(stamps_ns[tick], output))
            for tick, output in enumerate(outputs)
            if output.events or output.corrected_map is not None
        )
        return [
            MessageColumn(CONTACTS, self._contacts.encode_many(stamps_ns, contacts)),
            MessageColumn(DEBUG, self._debug_many(stamps_ns, record, contacts)),
            MessageColumn(CONTACT_FORCE_MARKERS, arrows, drawn),
            *by_topics((CORRECTED_MAP, EVENT_STATUS, EVENTS), news),
        ]

    def _debug_many(
        self, stamps_ns: Sequence[int], record: Mapping[str, Array], contacts: EstimateColumns
    ) -> list[bytes]:
        """Debug records with what the message of contacts has no place for."""
        own = [
            name
            for key, column in record.items()
            for name in (element_names(key, column.shape[1:]) if column.ndim > 1 else (key,))
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
            names = [name for key in alike for name in _contact_names(self._contacts.name(key))]
            stamps = stamps_ns[ticks]
            values: Array = np.hstack((numbers[ticks], of_contacts[rows].reshape(len(stamps), -1)))
            raws += self._debug.encode_many(stamps, (*own, *names), values)
        return raws


class ControlDecoder:
    """Reads a controller's messages back."""

    def __init__(self, robot: Robot) -> None:
        self._command = TorqueCodec(robot, TORQUE_COMMAND)
        self._applied = TorqueCodec(robot, TORQUE_APPLIED)
        self._contacts = EstimatedContactsCodec(robot)
        self._debug = ScalarsCodec()

    def torque_applied(self, raw: bytes) -> tuple[int, Array]:
        """Stamp (ns) of the frame of that tick, torques (n_joints,). Raises MessageError."""
        stamp, fields = self._applied.decode(raw)
        return stamp, fields["effort"]

    def torque_commands(self, raws: Sequence[bytes]) -> Array:
        """The torques of many commands, shape (T, n_joints). Raises MessageError."""
        return self._command.decode_many(raws)[1]["effort"]

    def torques_applied(self, raws: Sequence[bytes]) -> Array:
        """The same of what the gate let through."""
        return self._applied.decode_many(raws)[1]["effort"]

    def output(
        self, torque: Array, contacts: bytes, debug: bytes, events: tuple[Event, ...] = ()
    ) -> tuple[ControlOutput, float]:
        """One tick's output and the duration of the step, us (NaN if unknown); as `outputs`."""
        return self.outputs([torque], [contacts], [debug], [events])[0]

    def outputs(
        self,
        torques: Iterable[Array],
        contacts: Sequence[bytes],
        debug: Sequence[bytes],
        events: Iterable[tuple[Event, ...]],
    ) -> list[tuple[ControlOutput, float]]:
        """Outputs of many ticks and the durations of their steps, us (NaN if unknown).

        Raises:
            MessageError: one of the messages is not what it should be.
        """
        touching = self._contacts.decode_many(contacts)
        start = np.searchsorted(touching.report, np.arange(len(debug) + 1)).tolist()
        further = np.empty((len(touching.link), len(FURTHER)))
        records: list[_Record] = []
        for numbers in self._debug.decode_many(debug):
            first, last = len(records), len(records) + len(numbers.values)
            rows = slice(start[first], start[last])
            keys = Keys(touching.report[rows] - first, touching.link[rows], touching.obstacle[rows])
            further[rows] = self._further(keys, numbers)
            records += _records(numbers)
        force_std, reference, established = further.T
        touching = touching._replace(
            force_std=force_std, reference=reference, established=established != 0
        )
        return [
            (ControlOutput(torque, part, told, one.debug, one.ready), one.control_step_us)
            for torque, part, told, one in zip(
                torques, parts(touching, len(debug)), events, records, strict=True
            )
        ]

    def _further(self, contacts: Keys, numbers: NamedNumbers) -> Array:
        """What debug records say of contacts: the columns `FURTHER`."""
        place = {name: column for column, name in enumerate(numbers.names)}
        keys = contacts.of(slice(None))
        places = {}
        for key in set(keys):
            names = _contact_names(self._contacts.name(key))[1:]
            places[key] = [place.get(name, UNKNOWN) for name in names]
        columns = np.array([places[key] for key in keys], int).reshape(-1, len(FURTHER))
        unknown = np.full(len(numbers.values), np.nan)
        values = np.column_stack((numbers.values, unknown))[contacts.tick[:, None], columns]
        return np.where(columns == UNKNOWN, FURTHER, values)


class _Record(NamedTuple):
    """One debug record: the controller's own, and what it does not come from."""

    debug: dict[str, float | Array]
    ready: bool
    control_step_us: float


def _records(numbers: NamedNumbers) -> Iterator[_Record]:
    """Debug records without what they say of contacts."""
    own = [k for k, name in enumerate(numbers.names) if not name.startswith(CONTACT_PREFIX)]
    record = unflatten([numbers.names[k] for k in own], numbers.values[:, own])
    ticks = len(numbers.values)
    ready = record.pop(READY, np.ones(ticks)) != 0
    step_us = record.pop(STEP_TIME, np.full(ticks, math.nan))
    values = (column.tolist() if column.ndim == 1 else column for column in record.values())
    for is_ready, duration, *row in zip(ready.tolist(), step_us.tolist(), *values, strict=True):
        yield _Record(dict(zip(record, row, strict=True)), is_ready, duration)


@functools.lru_cache(maxsize=1000)
def _contact_names(contact: str) -> tuple[str, ...]:
    """Names in the debug record of what the message of contacts has no place for."""
    values = "force_n", "force_std_n", "reference_n", "established"
    return tuple(f"{CONTACT_PREFIX}{contact}/{value}" for value in values)
