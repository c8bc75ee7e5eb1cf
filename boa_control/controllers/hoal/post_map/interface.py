"""How far the controller trusts the map of posts: one interface for all variants."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, Self

import numpy as np

from boa_control.controllers.hoal.contacts.plan import ContactPlan, SameContacts
from boa_control.controllers.hoal.set_points import Travel
from boa_control.events import Event
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.optimisation.contact_qp import Weights
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags, Indices


class MapTick(NamedTuple):
    """One tick as a map of posts sees it.

    Attributes:
        frame: of the sensors.
        state, contacts: from `fit` and `plan`.
        level: shape (nc,), how far each contact has been taken on.
        force: shape (nc,), measured, smoothed, N.
        silent: contacts that no sensor tells of now, shape (nc,); without sensors none is, and all
            count as detected.
        closing: the robot still takes hold of its first posts.
        travel: which way the robot goes, and how fast at most.
        passed_on: gives the torques that the joints pass on, shape (n - 1,), N m; in this tick
            only.
        load: largest of the joint forces, N; 0 without sensors.
        searching: while it takes hold, it searches the posts that it does not feel.
    """

    frame: SensorFrame
    state: PathState
    contacts: ContactSet
    level: Array
    force: Array
    silent: Flags
    closing: bool
    travel: Travel
    passed_on: Callable[[], Array]
    load: float = 0.0
    searching: bool = False

    @property
    def touching(self) -> Flags:
        """Contacts that have been taken on fully, shape (nc,)."""
        return np.asarray(self.level >= 1.0)


class PostMap(Protocol):
    """The posts as the controller believes in them. A new variant is a class with these members.

    Attributes:
        trusted: posts need not be detected once the start-up is over.
        measured: `update` wants to know of every tick what is detected, also then.
        startup_damping: of the joints during the start-up, N m s/rad.
        shape_limit: of the accelerations that a shape error asks for, rad/s2.
        weights: of the QP; how dear the shape is depends on how well it is known.
        met: post of the plan on which the leading end runs before it is beside it; None: none.
    """

    trusted: bool
    measured: bool
    startup_damping: float
    shape_limit: float
    weights: Weights
    met: int | None

    @property
    def speed_limit(self) -> float:
        """Of the speed along the path, m/s."""

    @property
    def misled(self) -> str:
        """Why posts as touch tells of them leave no way on; empty where they may."""

    def reset(self) -> None:
        """Back to the map as given."""

    def go_on_from(self, before: Self, same: SameContacts) -> None:
        """Keep what is known of the posts on the way over to this path from that of `before`, a map
        of the same class; `same` are the contacts at the body.
        """

    def fit(self, state: PathState, velocity: Array) -> tuple[PathState, Array]:
        """The chain as it fits the posts, and the measured joint rates, shape (n - 1,), rad/s, less
        those with which that fit changes.
        """

    def plan(self, state: PathState) -> ContactSet:
        """The contacts of a chain from `fit`."""

    def apportion(
        self,
        force: Array,
        contacts: ContactSet,
        frame: SensorFrame,
        across: Array,
        passed_on: Callable[[], Array],
    ) -> Array:
        """Forces of the contacts, shape (nc,), N, where a link may touch two of them.

        Args:
            force: by the balance across links, shape (nc,), N.
            contacts: from `plan`.
            frame: of the sensors.
            across: force across each link from outside, shape (n,), N.
            passed_on: as of `MapTick`.
        """

    def update(self, tick: MapTick) -> Array | None:
        """Learn from one tick; return `detected` of the contact plan, for all of its contacts."""

    def news(self) -> CorrectedMap | None:
        """The map as corrected, when there is news of it; called once in a tick."""

    def pop_events(self) -> tuple[Event, ...]:
        """Events since the last call."""

    @property
    def contacts(self) -> int:
        """Number of contacts of the whole path by now."""

    def unexpected(self, link: int) -> None:
        """Something that is not on the map presses on a link, counted from 0."""

    def expected(self, state: PathState, contacts: ContactSet) -> ContactSet:
        """Contacts that may press on the body; `contacts`: from `plan`."""

    def doubt(self, contacts: ContactSet) -> Array | float:
        """By how much the posts may stand off along the path, shape (nc,) or one for all, m."""

    def absent(self, contacts: ContactSet) -> Indices:
        """Those obstacles of `contacts` that were searched as far as one may stand off its place,
        and not measured.
        """

    def probed(self, contacts: ContactSet) -> Flags | None:
        """Contacts that press gently because they were not detected yet, shape (nc,). None: there
        are no such.
        """

    def pressed(self, contacts: ContactSet, force: Array) -> None:
        """With what forces the contacts were called to press in this tick, shape (nc,), N."""

    def slip(
        self,
        gap: Array,
        plan: ContactPlan,
        state: PathState,
        rate: float,
        frame: SensorFrame,
        closing: bool,
    ) -> Array | None:
        """Desired acceleration of the gaps, shape (nc,), m/s2; None: all are kept as they are.

        Args:
            gap: J, shape (nc, n + 2).
            plan: from the `detected` that `update` returned.
            state: of the chain on the path. rate: at which it moves along it, m/s.
            frame: of the sensors.
            closing: as of `MapTick`.
        """
