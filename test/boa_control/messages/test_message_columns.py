# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages topic by topic, and tick by tick."""

from boa_control.messages.message_columns import MessageColumn, by_ticks, by_topics
from boa_control.messages.topics import CLOCK, DEBUG, EVENTS


def test_by_ticks_the_columns_keep_their_order() -> None:
    columns = [
        MessageColumn(EVENTS, [b"a", b"b", b"c"], [0, 2, 2]),
        MessageColumn(CLOCK, [b"0", b"1", b"2"]),
        MessageColumn(DEBUG, [], []),
    ]
    assert by_ticks(columns, 3) == [
        [(EVENTS, b"a"), (CLOCK, b"0")],
        [(CLOCK, b"1")],
        [(EVENTS, b"b"), (EVENTS, b"c"), (CLOCK, b"2")],
    ]


def test_by_topics_every_topic_has_its_column() -> None:
    given = [(1, [(EVENTS, b"a"), (CLOCK, b"1"), (EVENTS, b"b")]), (4, [(EVENTS, b"c")])]
    assert by_topics((CLOCK, DEBUG, EVENTS), given) == [
        MessageColumn(CLOCK, [b"1"], [1]),
        MessageColumn(DEBUG, [], []),
        MessageColumn(EVENTS, [b"a", b"b", b"c"], [1, 1, 4]),
    ]
