# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Records of a controller beside its torques, gathered over some ticks.

Contacts with their forces by the sensors and the debug record cost more than a control step when
they are worked out for one tick, and nobody waits for them: torques have gone out by then.
"""

from itertools import groupby
from typing import NamedTuple

import numpy as np

from boa_control.controller import ControlOutput, debug_layout
from boa_control.messages.control import ControlEncoder
from boa_control.messages.topics import Outgoing

LONGEST_DELAY = 0.016  # s that a message may wait for others
MOST = 8  # ticks, so that working them out takes a small part of a period of 1 ms


def ticks_together(period: float) -> int:
    """Of how many ticks of `period`, s, the messages that nobody waits for are made together."""
    return min(max(round(LONGEST_DELAY / period), 1), MOST)


class Answer(NamedTuple):
    """An output, the frame that it answers (ns), and the duration of the step, us."""

    stamp_ns: int
    output: ControlOutput
    control_step_us: float


class ControlRecords:
    """Gathers outputs; gives their messages, torques left out."""

    def __init__(self, encoder: ControlEncoder, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._encoder = encoder
        self._most = ticks_together(period)
        self._waiting: list[Answer] = []

    def __len__(self) -> int:
        """Outputs that wait."""
        return len(self._waiting)

    @property
    def due(self) -> bool:
        """Whether messages should be taken now; before, it saves time to wait."""
        return len(self._waiting) >= self._most

    def add(self, stamp_ns: int, output: ControlOutput, control_step_us: float) -> None:
        """Add the output of a tick."""
        self._waiting.append(Answer(stamp_ns, output, control_step_us))

    def take(self) -> Outgoing:
        """The messages of all that wait, in order."""
        waiting, self._waiting = self._waiting, []
        return [
            message
            for _, alike in groupby(waiting, lambda answer: debug_layout(answer.output))
            for messages in self._messages(list(alike))
            for message in messages
        ]

    def _messages(self, answers: list[Answer]) -> list[Outgoing]:
        """Of outputs with the same debug values."""
        return self._encoder.records(
            [answer.stamp_ns for answer in answers],
            [answer.output for answer in answers],
            np.array([answer.control_step_us for answer in answers]),
        )
