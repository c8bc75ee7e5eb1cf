# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long to wait for an answer beyond the time that the wire takes: as long as adapter and
computer have needed of late.
"""

LONGEST = 0.008  # s of a tick; an adapter that needs more is not set up (latency timer)
ALLOWANCE = 2.0  # times the longest latency of late
REMEMBERED = 200  # answers after which half of a latency is forgotten
_FORGET = 0.5 ** (1.0 / REMEMBERED)


class ReplyDeadline:
    """Follows the latency: at once when it grows, slowly when it falls.

    Args:
        shortest: s, margin however quick the answers are; where it is above `LONGEST`, it stays.
    """

    def __init__(self, shortest: float) -> None:
        self._shortest = shortest
        self._latency = 0.0

    @property
    def margin(self) -> float:
        """Time to wait beyond that of the wire, s."""
        allowed = min(ALLOWANCE * self._latency, LONGEST)
        return max(self._shortest, allowed)

    @property
    def again(self) -> float:
        """The same for a second request, s; 0 where the first has left no time for it. Else few
        missed answers would already be a long silence.
        """
        grown = self.margin > self._shortest
        return 0.0 if grown and self.margin + self._shortest > LONGEST else self._shortest

    def late(self) -> None:
        """An answer came after everything that was waited for it."""
        self.answered(self.margin + self.again)

    def answered(self, latency: float) -> None:
        """A complete answer came `latency` s after the wire could have brought it."""
        self._latency = max(latency, _FORGET * self._latency)
