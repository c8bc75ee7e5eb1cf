# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gives the messages of a live run the same times and order that an in-process run gives them.

The time of recording is the time of the tick, not of the wall clock, so the same run gives the same
bag. Sensor samples carry the stamp of their SYNC, which may lie ticks back; they belong to the
joint states that follow them, unless these are older: on a busy machine samples overtake them.
Things without a stamp belong to the next tick, too.
"""

from typing import NamedTuple

from boa_control.messages.cdr import MessageError, stamp_of
from boa_control.messages.events import decode_sentence
from boa_control.messages.sensors import sensor_topics
from boa_control.messages.topics import EVENTS, JOINT_STATES, Topic

Timed = tuple[Topic, int, bytes]


class _Held(NamedTuple):
    """A message that waits for a tick."""

    topic: Topic
    time_ns: int | None  # None: that of the tick
    not_before: int  # stamp of the oldest tick that it may belong to
    raw: bytes


class BagOrder:
    """Feed messages as they arrive; get them back with their times when these are known.

    Attributes:
        newest_ns: stamp of the newest joint states; None before the first.
        over: time has gone back (the simulation was reset): nothing more belongs to this run.
        largest_gap_ns: longest time between two joint states, to tell whether ticks were lost.
    """

    def __init__(self) -> None:
        self.newest_ns: int | None = None
        self.over = False
        self.largest_gap_ns = 0
        self._held: list[_Held] = []
        self._samples = sensor_topics()

    def take(self, topic: Topic, raw: bytes) -> list[Timed]:
        """Take a message; return what can be written now. Raises MessageError where there is no
        time to be found.
        """
        if self.over:
            return []
        if topic is JOINT_STATES:
            return self._tick(raw)
        time_ns = self._time(topic, raw)
        if time_ns is None or self.newest_ns is None:
            sampled = topic in self._samples and topic.stamp_at is not None
            not_before = stamp_of(raw, topic.stamp_at or 0) if sampled else 0
            self._held.append(_Held(topic, time_ns, not_before, raw))
            return []
        return [(topic, time_ns, raw)]

    def _time(self, topic: Topic, raw: bytes) -> int | None:
        """Time of a message; None for that of the next tick, also where its stamp is not set."""
        if topic in self._samples or topic.latched:
            return None
        if topic is EVENTS:
            return _possible(topic, decode_sentence(raw).stamp_ns) or None
        if topic.stamp_at is None:
            raise MessageError(f"{topic.name}: messages without a stamp cannot be recorded")
        return _possible(topic, stamp_of(raw, topic.stamp_at)) or None

    def _tick(self, raw: bytes) -> list[Timed]:
        stamp = _possible(JOINT_STATES, stamp_of(raw))
        if self.newest_ns is not None:
            if stamp <= self.newest_ns:
                self.over = True
                return []
            self.largest_gap_ns = max(self.largest_gap_ns, stamp - self.newest_ns)
        self.newest_ns = stamp
        early = [held for held in self._held if held.not_before > stamp]
        self._held = [held for held in self._held if held.not_before <= stamp]
        timed = [*self.rest(), (JOINT_STATES, stamp, raw)]
        self._held = early
        return timed

    def rest(self) -> list[Timed]:
        """Messages still held back; they belong to the newest tick. None before the first."""
        newest = self.newest_ns
        if newest is None:
            return []
        rest, self._held = self._held, []
        return [
            (held.topic, newest if held.time_ns is None else held.time_ns, held.raw)
            for held in rest
        ]


def _possible(topic: Topic, stamp_ns: int) -> int:
    """The same stamp. Raises MessageError for one that no bag can hold."""
    if not 0 <= stamp_ns < 2**63:
        raise MessageError(
            f"{topic.name}: a stamp of {stamp_ns * 1e-9:.3f} s; expected s since 1970, or of a "
            f"simulation"
        )
    return stamp_ns
