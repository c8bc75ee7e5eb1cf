"""The contacts whose forces a sample shows that arrives late.

A sensor measures what the contacts do that were planned when its sample was taken. Until that is
read the plan has moved on, and the force of a post that the body has just left would be taken for
that of another.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from boa_control.model.contact_set import ContactSet
from boa_control.plant import ForceSample
from boa_description.arrays import Array

MEMORY = 0.05  # s; sensors of 100 Hz tell of what was 5 to 20 ms ago


class Expected(NamedTuple):
    """Contacts that may press.

    Attributes:
        contacts: planned, with those just before and behind the body.
        doubt: by how much each may stand off along the path, shape (nc,) or one for all, m.
    """

    contacts: ContactSet
    doubt: Array | float = 0.0


class LateForces:
    """Remembers the contacts of the last ticks."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Nothing has been planned yet."""
        self._former: deque[tuple[int, Expected]] = deque()

    def explained_by(
        self, now: Expected, stamp_ns: int, sample: ForceSample | None
    ) -> tuple[Expected, ...]:
        """The contacts of this tick, and those whose torques acted when a late sample was taken.

        Args:
            now: of this tick. stamp_ns: of its frame, ns; later than that of the last call.
            sample: of the joint forces, as read in this tick.
        """
        former = self._former
        taken_ns = stamp_ns if sample is None else sample.stamp_ns
        since_ns = max(taken_ns, stamp_ns - round(MEMORY * 1e9))
        while len(former) > 1 and former[1][0] < since_ns:
            former.popleft()
        then = former[0][1] if former and taken_ns < stamp_ns else None
        former.append((stamp_ns, now))
        return (now,) if then is None else (now, then)
