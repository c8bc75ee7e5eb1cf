# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages of many ticks, topic by topic: what is made together needs no list for every tick.
Consecutive ticks with the same contacts: their messages have one layout.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from boa_control.messages.topics import Outgoing, Topic
from boa_description.arrays import Indices


class Run(NamedTuple):
    """Ticks with the same contacts, and the rows of a table of contacts that belong to them.

    Attributes:
        ticks, rows: slices. size: number of contacts of each tick.
    """

    ticks: slice
    rows: slice
    size: int


def contact_runs(count: int, tick: Indices, keys: tuple[Indices, ...]) -> Iterator[Run]:
    """The runs of `count` ticks, in order.

    Args:
        tick: of every contact, ascending, shape (R,).
        keys: arrays (R,) which together name a contact.
    """
    size = np.bincount(tick, minlength=count)
    begins = np.ones(count, bool)
    begins[1:] = size[1:] != size[:-1]
    # each contact against the one at the same place in the set of the tick before
    rows = np.flatnonzero(~begins[tick])
    before = rows - size[tick[rows]]
    for key in keys:
        begins[tick[rows[key[rows] != key[before]]]] = True
    first = np.flatnonzero(begins).tolist()
    end = [0, *np.cumsum(size).tolist()]
    for start, stop in zip(first, [*first[1:], count], strict=False):
        yield Run(slice(start, stop), slice(end[start], end[stop]), int(size[start]))


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
