# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Events as a person reads them: a contact near a joint that is counted to one link and the other
by turns passes the joint once, or not at all.
"""

from collections.abc import Sequence
from dataclasses import replace

from boa_control.events import Event, EventKind
from boa_tools.runs.runlog import LoggedEvent

TURNS_NS = 500_000_000  # between two passes of one post, below which they belong together


def calmed(events: Sequence[LoggedEvent]) -> list[LoggedEvent]:
    """The events in their order; of passes of one post that follow each other at once, one from the
    first link to the last, when it began; none where it comes back.
    """
    told: list[LoggedEvent] = []
    open_: dict[int | None, tuple[int, int]] = {}  # post -> place in `told`, time of its last pass
    for logged in events:
        event = logged.event
        if event.kind is EventKind.CONTACT_PASSED:
            place, last = open_.get(event.post, (-1, 0))
            if place >= 0 and logged.stamp_ns - last < TURNS_NS:
                before = told[place]
                told[place] = replace(before, event=replace(before.event, to_link=event.to_link))
            else:
                place = len(told)
                told.append(logged)
            open_[event.post] = place, logged.stamp_ns
        else:
            if event.kind in (EventKind.CONTACT_GAINED, EventKind.CONTACT_LOST):
                open_.pop(event.post, None)
            told.append(logged)
    return [logged for logged in told if not _comes_back(logged.event)]


def _comes_back(event: Event) -> bool:
    return event.kind is EventKind.CONTACT_PASSED and event.link == event.to_link
