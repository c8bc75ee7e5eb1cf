"""The contact forces that the controller wishes for once it holds its posts."""

from __future__ import annotations

import numpy as np

from boa_control.compiled.qp import UNBOUNDED
from boa_control.model.contact_set import ContactSet
from boa_control.optimisation.equilibrium import Equilibrium
from boa_description.arrays import Array


class BalancedWish:
    """Forces near a preload and in equilibrium, so that the wish itself moves nothing."""

    def __init__(self) -> None:
        self._equilibrium = Equilibrium()

    def forces(
        self,
        contacts: ContactSet,
        push: Array,
        carried: Array,
        mass: Array,
        desired: Array,
        least: Array,
    ) -> Array:
        """Forces in equilibrium, shape (nc,), N.

        Args:
            push: P, generalised forces of unit contact forces, shape (nc, n + 2).
            carried: forces that the contacts shall carry, shape (3,) or more; the base comes first.
            mass: M, shape (n + 2, n + 2).
            desired, least: of `ContactSet.preload`, shape (nc,), N.
        """
        if not contacts.two_sided:
            return self._equilibrium.forces(push, carried, mass, desired, least)
        # one of two opposite posts stands for the pair and may push either way
        one, other = ~contacts.redundant, contacts.redundant
        lowest = np.where(contacts.opposed(), -UNBOUNDED, least)
        wish = desired.copy()
        wish[one] = self._equilibrium.forces(push[one], carried, mass, desired[one], lowest[one])
        wish[other] = -wish[contacts.partner()[other]]
        return wish
