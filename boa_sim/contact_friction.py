"""Coulomb friction between links and obstacles, as a force of our own.

MuJoCo's friction cones (condim 3) relax the complementarity: a sliding contact is pushed open and chatters.
So contacts stay frictionless in the engine, and friction here follows the engine's normal forces, smoothed a little.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boa_control.plant import ContactTruth

Array = NDArray[np.float64]

FILTER_TIME = 0.004  # s; normal forces are smoothed by this much before friction follows them
SLIP_SPEED = 0.005  # m/s; friction is viscous below
STEP_SHARE = 0.5  # share of one link's sliding momentum that friction may take within a physics step


class FilteredContacts:
    """Contacts with smoothed normal forces. A new contact starts at zero force; a lost one is gone at once."""

    def __init__(self, step: float) -> None:
        """`step` is the physics step, s."""
        self._blend = step / (FILTER_TIME + step)
        self.contacts: tuple[ContactTruth, ...] = ()

    def follow(self, contacts: Iterable[ContactTruth]) -> None:
        """Take in the contacts of one physics step."""
        known = {(contact.link, contact.obstacle): contact.normal_force for contact in self.contacts}
        self.contacts = tuple(self._smooth(contact, known) for contact in contacts)

    def _smooth(self, contact: ContactTruth, known: dict[tuple[int, int], float]) -> ContactTruth:
        before = known.get((contact.link, contact.obstacle), 0.0)
        return replace(contact, normal_force=before + self._blend * (contact.normal_force - before))

    def reset(self) -> None:
        """Forget all contacts."""
        self.contacts = ()


def tangent_of(contact: ContactTruth) -> Array:
    """Positive direction of the tangential force, shape (2,): the normal turned by -90 degrees."""
    return np.array([contact.normal[1], -contact.normal[0]])


def tangential_force(mu: float, normal_force: float, sliding: float, mass: float, step: float) -> float:
    """Coulomb friction -mu N v / max(|v|, slip speed), N, but never enough to turn the sliding round in one step.

    Args:
        mu: friction coefficient.
        normal_force: N.
        sliding: tangential velocity of the link at the contact point, m/s.
        mass: of one link, kg.
        step: physics step, s.
    """
    strongest = STEP_SHARE * mass * abs(sliding) / step
    size = min(mu * normal_force * min(abs(sliding) / SLIP_SPEED, 1.0), strongest)
    return -size if sliding > 0 else size
