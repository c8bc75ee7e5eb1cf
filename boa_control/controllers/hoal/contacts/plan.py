# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which contacts the controller counts on in one tick, and how much force each may carry."""

from typing import NamedTuple, Self

import numpy as np

from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array, Flags, Indices


class ContactPlan(NamedTuple):
    """The planned contacts with the three reasons for which one carries less than the full force.

    Attributes:
        contacts: with `contacts.activation`, shape (nc,), 0 to 1: where on the body the contact is.
        level: shape (nc,), 0 to 1: how far it has been taken on; 0 for a post that is searched;
            None: all fully.
        startup: 0 to 1: how far the start-up has come.
    """

    contacts: ContactSet
    level: Array | None
    startup: float

    @classmethod
    def inside(cls, contacts: ContactSet, level: Array | None, startup: float) -> Self:
        """Of those of the contacts that are inside the body."""
        chosen = contacts.activation > 0.0
        if level is not None:
            level = level[chosen]
            if np.count_nonzero(level == 1.0) == level.size:
                level = None  # as at most ticks
        return cls(contacts.select(chosen), level, startup)

    @property
    def share(self) -> Array:
        """Of the desired force that each contact may carry, shape (nc,), 0 to 1."""
        share = self.contacts.activation
        if self.startup != 1.0:
            share = share * self.startup
        return share if self.level is None else share * self.level

    @property
    def presence(self) -> Array:
        """How surely each contact touches, whatever the start-up: where times level, shape
        (nc,).
        """
        activation = self.contacts.activation
        return activation if self.level is None else activation * self.level

    @property
    def held(self) -> float:
        """How far all contacts that are due have been taken on, 0 to 1."""
        if self.level is None:
            return 1.0
        return 1.0 - max([0.0, *(self.contacts.activation * (1.0 - self.level)).tolist()])

    @property
    def _undetected(self) -> Flags | None:
        """Contacts that are not detected, shape (nc,); None where there are none."""
        if self.level is None or np.count_nonzero(self.level) == self.level.size:
            return None
        return np.asarray(self.level == 0.0)

    def carrying(self, share: Array, force: Array) -> tuple[ContactSet, Array, Array]:
        """The contacts that carry, with their elements of `share` and `force`, shape (nc,)."""
        undetected = self._undetected
        if undetected is None:
            return self.contacts, share, force
        return self.contacts.select(~undetected), share[~undetected], force[~undetected]


class SameContacts(NamedTuple):
    """Contacts along the former path and along the new one that are the same, in pairs: indices
    in `PlannedPath.contacts`, shape (k,) each.
    """

    former: Indices
    new: Indices


def same_contacts(former: ContactSet, new: ContactSet, within: float) -> SameContacts:
    """Pairs of contacts at the same place of the body, from both sets of a robot at rest; `within`,
    m, along a link they are one.
    """
    pairs = [
        (int(former.contact[i]), int(new.contact[j]))
        for j in range(new.contact.size)
        for i in range(former.contact.size)
        if former.side[i] == new.side[j]
        and former.link[i] == new.link[j]
        and abs(former.offset[i] - new.offset[j]) <= within
    ]
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return SameContacts(first, second)
