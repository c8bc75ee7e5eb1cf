# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Events that there may be, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from boa_control.events import Event, EventKind, PlantState, StartPosts

# what a message can carry
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40)
NUMBER = st.floats(allow_nan=False)
COUNT = st.integers(0, 10**6)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Any kind with all fields; states and reasons are of those few kinds that do not take any."""
    kind = draw(st.sampled_from(EventKind))
    faultless = kind in (EventKind.GATE_TRIP, EventKind.RUN_ENDED) and draw(st.booleans())
    return Event(
        kind=kind,
        post=draw(COUNT),
        link=draw(COUNT),
        to_link=draw(COUNT),
        side=draw(TEXT),
        place=draw(st.tuples(NUMBER, NUMBER)),
        s=draw(NUMBER),
        speed=draw(NUMBER),
        force=draw(NUMBER),
        force_floor=draw(NUMBER),
        value=draw(NUMBER),
        count=draw(COUNT),
        state=draw(st.sampled_from(PlantState)),
        reason=draw(st.sampled_from(StartPosts)),
        subject=None if faultless else draw(TEXT),
        note=draw(TEXT),
        record=draw(TEXT),
    )
