# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages of many ticks, topic by topic: what is made together needs no list for every tick."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from boa_control.messages.topics import Outgoing, Topic


class MessageColumn(NamedTuple):
    """Messages of one topic.

    Attributes:
        topic: of all of them.
        raws: the messages, in order.
        ticks: number of the tick that each belongs to, ascending; None: one for every tick.
    """

    topic: Topic
    raws: Sequence[bytes]
    ticks: Sequence[int] | None = None


def by_ticks(columns: Iterable[MessageColumn], count: int) -> list[Outgoing]:
    """The messages of each of `count` ticks, in order of the columns."""
    outgoing: list[Outgoing] = [[] for _ in range(count)]
    for topic, raws, ticks in columns:
        for tick, raw in zip(range(count) if ticks is None else ticks, raws, strict=True):
            outgoing[tick].append((topic, raw))
    return outgoing


def by_topics(
    topics: Iterable[Topic], messages: Iterable[tuple[int, Outgoing]]
) -> list[MessageColumn]:
    """The columns of these topics, from the messages of some ticks with their numbers, ascending;
    for what not every tick has.
    """
    found: dict[Topic, tuple[list[bytes], list[int]]] = {topic: ([], []) for topic in topics}
    for tick, outgoing in messages:
        for topic, raw in outgoing:
            raws, ticks = found[topic]
            raws.append(raw)
            ticks.append(tick)
    return [MessageColumn(topic, *column) for topic, column in found.items()]
