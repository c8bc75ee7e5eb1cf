# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which of the planned contacts the robot really touches, and how far each has been taken on.

Contacts are planned from the map; force does not switch them. But a post that stands off its place
is met early or late, and pressing towards it at full force through thin air would end in a blow. So
the force of a contact rises only while the joint force sensors see it, and sinks again to a gentle
approach when it is not detected for long.

A sensor measures what the contacts do that were planned when its sample was taken. Until that is
read the plan has moved on, and the force of a post that the body has just left would be taken for
that of another: `LateForces` keeps the contacts that a sample can show.

A sensor that tells nothing, or the same for long (`estimation.stuck_sensors`), is NaN. Then level
and force of its contacts stay as they are here, the measured rest of the gearboxes fades
(`law.transmission`), and no post is said to be missing (`post_map.presence_map`).
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from boa_control.compiled.detection import EngagementRules, engage
from boa_control.controllers.hoal.contacts.plan import SameContacts
from boa_control.controllers.hoal.contacts.tuning import ContactTuning
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.model.contact_set import ContactSet
from boa_control.plant import ForceSample
from boa_description.arrays import Array, Flags, Indices


class Engagement:
    """How far each contact of the path has been taken on, from `approach` to 1.

    Attributes:
        silent: contacts of the last update that no sensor tells of, shape (nc,).
    """

    silent: Flags

    def __init__(
        self, contacts: int, period: float, tuning: ContactTuning = SHIPPED.contacts
    ) -> None:
        """`period`: of the control ticks, s."""
        self._contacts = contacts
        self._rules = EngagementRules(
            rise=period * tuning.rise,
            fade=period * tuning.fade,
            blend=period / (period + tuning.filter_time),
            approach=tuning.approach,
            touch=tuning.touch_force,
            release=tuning.release_force,
        )
        self.reset()

    def reset(self) -> None:
        """Nothing has been detected yet."""
        self._level = np.full(self._contacts, self._rules.approach)
        self._force = np.zeros(self._contacts)
        self.silent = np.zeros(0, bool)

    def grow(self, contacts: int) -> None:
        """As many contacts are planned by now; further ones have not been detected yet."""
        more = contacts - self._contacts
        if not more:
            return
        self._contacts = contacts
        self._level = np.append(self._level, np.full(more, self._rules.approach))
        self._force = np.append(self._force, np.zeros(more))

    def go_on_from(self, before: Engagement, same: SameContacts) -> None:
        """The same contacts are as far taken on as along the path before."""
        self._level[same.new] = before._level[same.former]
        self._force[same.new] = before._force[same.former]

    def force(self, contacts: ContactSet) -> Array:
        """Detected force of each contact, smoothed, shape (nc,), N."""
        return self._force[contacts.contact]

    def update(self, contacts: ContactSet, forces: Array | None) -> Array:
        """Take in one tick; return the level of each contact, shape (nc,).

        Args:
            forces: as `measured_forces` gives them. Without sensors (None) every contact counts as
                detected; where one is silent (NaN), level and force stay as they are.
        """
        if forces is None:
            return self._all_detected(contacts.contact)
        level, self.silent = np.empty(forces.size), np.empty(forces.size, bool)
        memory = self._level, self._force
        engage(level, self.silent, memory, contacts.contact, forces, self._rules)
        return level

    def _all_detected(self, contact: Indices) -> Array:
        """One tick without sensors, with these contacts."""
        level = np.minimum(self._level[contact] + self._rules.rise, 1.0)
        force = self._force[contact]
        self.silent = np.zeros(contact.size, bool)
        self._level.fill(self._rules.approach)
        self._force.fill(0.0)
        self._level[contact], self._force[contact] = level, force
        return level


def open_contacts(contacts: ContactSet, level: Array) -> Flags:
    """Which contacts are to carry fully and are not at full `level`, (nc,), yet; shape (nc,)."""
    return np.asarray((contacts.activation >= 1.0) & ~contacts.redundant & (level < 1.0))


def not_taken_on(contacts: ContactSet, level: Array) -> int:
    """How many they are."""
    return int(np.count_nonzero(open_contacts(contacts, level)))


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

    def __init__(self, tuning: ContactTuning = SHIPPED.contacts) -> None:
        self._memory_ns = round(tuning.memory * 1e9)
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
        since_ns = max(taken_ns, stamp_ns - self._memory_ns)
        while len(former) > 1 and former[1][0] < since_ns:
            former.popleft()
        then = former[0][1] if former and taken_ns < stamp_ns else None
        former.append((stamp_ns, now))
        return (now,) if then is None else (now, then)
