# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far the controller trusts the map of posts: one interface for all variants."""

from typing import Any, Protocol

import numpy as np

from boa_control.controllers.hoal.contacts.detection import Expected
from boa_control.controllers.hoal.contacts.plan import SameContacts
from boa_control.controllers.hoal.tick import Tick
from boa_control.events import EventQueue
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.optimisation.contact_qp import Weights
from boa_control.paths.corrected_map import CorrectedMap
from boa_description.arrays import Array, Flags, Indices

NO_POSTS: Indices = np.zeros(0, int)


class PostMap(Protocol):
    """The posts as the controller believes in them. A new variant derives from this class, and
    may leave out what has a body here: then nothing is learnt, corrected or tried.

    Attributes:
        trusted: posts need not be detected once the start-up is over.
        measured: `update` wants to know of every tick what is detected, also then.
        startup_damping: of the joints during the start-up, N m s/rad.
        shape_limit: of the accelerations that a shape error asks for, rad/s2.
        weights: of the QP; how dear the shape is depends on how well it is known.
        events: not told yet.
        met: post of the plan on which the leading end runs before it is beside it; None: none.
    """

    trusted: bool
    measured: bool
    startup_damping: float
    shape_limit: float
    weights: Weights
    events: EventQueue
    met: int | None = None

    @property
    def speed_limit(self) -> float:
        """Of the speed along the path, m/s."""

    @property
    def misled(self) -> str:
        """Why posts as touch tells of them leave no way on; empty where they may."""
        return ""

    def reset(self) -> None:
        """Back to the map as given."""

    def go_on_from(self, before: Any, same: SameContacts) -> None:
        """Keep what the map of the path before, of the same class, knows of the posts; `same` are
        the contacts at the body.
        """
        return

    def fit(self, state: PathState, velocity: Array) -> tuple[PathState, Array]:
        """The chain as it fits the posts, and the measured joint rates, shape (n - 1,), rad/s, less
        those with which that fit changes.
        """

    def plan(self, state: PathState) -> ContactSet:
        """The contacts of a chain from `fit`."""

    def apportion(self, force: Array, tick: Tick) -> Array:
        """Forces of the contacts, shape (nc,), N, where a link may touch two of them.

        Args:
            force: by the balance across links, shape (nc,), N.
            tick: with `loads`.
        """
        return force

    def update(self, tick: Tick) -> Array | None:
        """Learn from one tick; return `level` of the contact plan, for all of its contacts; None:
        every one carries, detected or not.
        """
        return None

    def news(self) -> CorrectedMap | None:
        """The map as corrected, when there is news of it, else None; called once in a tick."""
        return None

    @property
    def contacts(self) -> int:
        """Number of contacts of the whole path by now."""

    def unexpected(self, link: int) -> None:
        """Something that is not on the map presses on a link, counted from 0."""
        return

    def expected(self, tick: Tick) -> Expected:
        """Contacts that may press on the body."""

    def absent(self, contacts: ContactSet) -> Indices:
        """Those posts of `contacts` that were searched as far as one may stand off its place,
        and not measured.
        """
        return NO_POSTS

    def probed(self, contacts: ContactSet) -> Flags | None:
        """Contacts that press gently because they were not detected yet, shape (nc,). None: there
        are no such.
        """
        return None

    def pressed(self, contacts: ContactSet, force: Array) -> None:
        """With what forces the contacts were called to press in this tick, shape (nc,), N."""
        return

    def slip(self, gap: Array, tick: Tick) -> Array | None:
        """Desired acceleration of the gaps, shape (nc,), m/s2; None: all are kept as they are.

        Args:
            gap: J of `tick.plan`, shape (nc, n + 2).
        """
