"""Which contacts the controller counts on in one tick, and how much force each may carry."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array, Flags


class ContactPlan(NamedTuple):
    """The planned contacts with the three reasons for which one carries less than the full force.

    Attributes:
        contacts: with `contacts.activation`, shape (nc,), 0 to 1: where on the body the contact is.
        felt: shape (nc,), 0 to 1: how far it has been taken on; 0 for a post that is searched;
            None where all contacts count as felt.
        startup: 0 to 1: how far the start-up has come.
    """

    contacts: ContactSet
    felt: Array | None
    startup: float

    @classmethod
    def inside(cls, contacts: ContactSet, felt: Array | None, startup: float) -> Self:
        """Of those of the contacts that are inside the body."""
        chosen = contacts.activation > 0.0
        if felt is not None:
            felt = felt[chosen]
            if np.count_nonzero(felt == 1.0) == felt.size:
                felt = None  # as at most ticks
        return cls(contacts.select(chosen), felt, startup)

    @property
    def share(self) -> Array:
        """Of the desired force that each contact may carry, shape (nc,), 0 to 1."""
        share = self.contacts.activation
        if self.startup != 1.0:
            share = share * self.startup
        return share if self.felt is None else share * self.felt

    @property
    def presence(self) -> Array:
        """How surely each contact touches, whatever the start-up: where times felt, shape (nc,)."""
        activation = self.contacts.activation
        return activation if self.felt is None else activation * self.felt

    @property
    def held(self) -> float:
        """How far all contacts that are due have been taken on, 0 to 1."""
        if self.felt is None:
            return 1.0
        return 1.0 - max([0.0, *(self.contacts.activation * (1.0 - self.felt)).tolist()])

    @property
    def _unfelt(self) -> Flags | None:
        """Contacts that are not felt, shape (nc,); None where there are none."""
        if self.felt is None or np.count_nonzero(self.felt) == self.felt.size:
            return None
        return np.asarray(self.felt == 0.0)

    def carrying(self, share: Array, force: Array) -> tuple[ContactSet, Array, Array]:
        """The contacts that carry, with their elements of `share` and `force`, shape (nc,)."""
        unfelt = self._unfelt
        if unfelt is None:
            return self.contacts, share, force
        return self.contacts.select(~unfelt), share[~unfelt], force[~unfelt]
