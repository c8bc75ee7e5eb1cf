# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Desired contact forces: those in equilibrium with what the body needs on its way that are nearest
to a preload. Beside that need they are internal forces, the null space of the base rows of P'.
"""

import numpy as np

from boa_control.compiled.qp import UNBOUNDED
from boa_control.compiled.rows import MotionRows
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.interface import PostMap
from boa_control.controllers.hoal.set_points import Steering
from boa_control.controllers.hoal.tick import Tick
from boa_control.model.contact_set import ContactSet
from boa_control.optimisation.equilibrium import Equilibrium
from boa_description.arrays import Array


class DesiredForces:
    """What the QP shall come near to, from the set-point and how far the posts are known."""

    def __init__(self, parameters: Parameters, post_map: PostMap, steering: Steering) -> None:
        self._tuning, self._kept = parameters.tuning, parameters.floor_share
        self._map, self._steering = post_map, steering
        self._known = self._tuning.law.known(parameters.map_error)
        self._balanced = BalancedForces()

    def of(self, tick: Tick, rows: MotionRows) -> tuple[Array, Array]:
        """Desired and least contact forces, shape (nc,) each, N."""
        contacts, steering = tick.plan.contacts, self._steering
        desired, floor = contacts.preload(tick.share, steering.force, steering.force_floor)
        balance = self._balance_share(tick)
        if balance > 0:
            balanced = self._balanced.forces(
                contacts, rows.push, rows.carried, tick.state.mass, desired, floor
            )
            desired = balanced if balance == 1 else desired + balance * (balanced - desired)
        known = self._known
        if known and not self._map.trusted:  # more than balance gives drives the body off
            least = np.minimum(floor, np.maximum(desired, self._tuning.contacts.touch_force))
            floor = known * least + (1.0 - known) * floor
        return desired, floor if self._kept == 1.0 else self._kept * floor

    def _balance_share(self, tick: Tick) -> float:
        """How far the desired forces are those in equilibrium, 0 to 1.

        Equal forces seldom are: they move the body. They are desired where posts may stand so
        far off the map that its balance is not theirs, as long as a planned one is not detected.
        While posts are taken hold of all that are planned count as touched: what the others do not
        give takes the body to them.
        """
        return self._known if tick.closing else max(self._known, tick.plan.held)


class BalancedForces:
    """Forces in equilibrium near a preload: they move nothing by themselves."""

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
        balanced = desired.copy()
        balanced[one] = self._equilibrium.forces(
            push[one], carried, mass, desired[one], lowest[one]
        )
        balanced[other] = -balanced[contacts.partner()[other]]
        return balanced
