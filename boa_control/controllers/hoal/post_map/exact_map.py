# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A map whose posts stand where it says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boa_control.compiled.gaps import OpenGapRules, brake_open_gaps
from boa_control.controllers.hoal.contacts.detection import Expected
from boa_control.controllers.hoal.contacts.plan import SameContacts
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.tick import Tick
from boa_control.events import Event
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.optimisation.contact_qp import Weights
from boa_control.paths.corrected_map import CorrectedMap
from boa_description.arrays import Array, Flags, Indices

NONE: Indices = np.zeros(0, int)


class ExactMap:
    """The variant of `PostMap` that plans from the map alone."""

    trusted = True
    measured = False
    shape_limit = math.inf
    speed_limit = math.inf
    weights = Weights()
    met: int | None = None
    misled = ""

    def __init__(
        self, joints: int, schedule: ContactSchedule, period: float, parameters: Parameters
    ) -> None:
        """`period`: of the control ticks, s."""
        tuning, damping = parameters.tuning, parameters.contact_damping
        self._joints = joints
        self._schedule = schedule
        blend = period / (period + 1.0 / damping) if damping else 0.0
        still, most = tuning.steering.still_speed, tuning.law.acceleration
        self._brakes = OpenGapRules(blend, still, damping, most)
        self.startup_damping = tuning.start.damping
        self.reset()

    def reset(self) -> None:
        """The joints move as on the path."""
        self._off = np.zeros(self._joints)  # rad/s, of the joints beside their way, smoothed

    def go_on_from(self, before: Any, same: SameContacts) -> None:
        """Nothing has been learnt."""

    def fit(self, state: PathState, velocity: Array) -> tuple[PathState, Array]:
        """The chain on the path itself."""
        return state, velocity

    def plan(self, state: PathState) -> ContactSet:
        """The posts between tail and head."""
        return self._schedule.at(state)

    def expected(self, tick: Tick) -> Expected:
        """Those that are planned; they stand where the map says."""
        return Expected(tick.contacts)

    def apportion(self, force: Array, tick: Tick) -> Array:  # noqa: ARG002
        """As they are: only contacts inside the body are planned."""
        return force

    def update(self, tick: Tick) -> Array | None:  # noqa: ARG002
        """Every planned contact carries, detected or not."""
        return None

    def news(self) -> CorrectedMap | None:
        """None: nothing is corrected."""
        return None

    def pop_events(self) -> tuple[Event, ...]:
        """None ever."""
        return ()

    @property
    def contacts(self) -> int:
        """Those of the path."""
        return len(self._schedule.positions)

    def unexpected(self, link: int) -> None:
        """Not kept."""

    def absent(self, contacts: ContactSet) -> Indices:  # noqa: ARG002
        """None: the map is right."""
        return NONE

    def probed(self, contacts: ContactSet) -> Flags | None:  # noqa: ARG002
        """None: nothing is tried."""
        return None

    def pressed(self, contacts: ContactSet, force: Array) -> None:
        """Nothing to conclude."""

    def slip(self, gap: Array, tick: Tick) -> Array | None:
        """Braking of gaps that open or close, where joint rates show that they do. To keep the
        acceleration of a gap alone leaves it the rate that it has: a contact that has let go would
        part further, and close with a blow.
        """
        if tick.closing:
            return None
        presence = tick.plan.presence
        braked = np.empty(presence.size)
        way = tick.joint_rate, tick.along, tick.progress.rate
        moving: bool = brake_open_gaps(braked, self._off, gap, presence, way, self._brakes)
        return braked if moving else None
