# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A map whose posts stand where it says."""

from __future__ import annotations

import math

import numpy as np

from boa_control.compiled.gaps import OpenGapRules, brake_open_gaps
from boa_control.controllers.hoal.contacts.detection import Expected
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.interface import PostMap
from boa_control.controllers.hoal.tick import Tick
from boa_control.events import EventQueue
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.optimisation.contact_qp import Weights
from boa_description.arrays import Array


class ExactMap(PostMap):
    """The variant of `PostMap` that plans from the map alone."""

    trusted = True
    measured = False
    shape_limit = math.inf
    speed_limit = math.inf
    weights = Weights()

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
        self.events = EventQueue()
        self._off = np.zeros(self._joints)  # rad/s, of the joints beside their way, smoothed

    def fit(self, state: PathState, velocity: Array) -> tuple[PathState, Array]:
        """The chain on the path itself."""
        return state, velocity

    def plan(self, state: PathState) -> ContactSet:
        """The posts between tail and head."""
        return self._schedule.at(state)

    def expected(self, tick: Tick) -> Expected:
        """Those that are planned; they stand where the map says."""
        return Expected(tick.contacts)

    @property
    def contacts(self) -> int:
        """Those of the path."""
        return len(self._schedule.positions)

    def slip(self, gap: Array, tick: Tick) -> Array | None:
        """Braking of gaps that open or close, where joint rates show that they do. To keep the
        acceleration of a gap alone leaves it the rate that it has: a contact that has let go would
        part further, and close with a blow.
        """
        if tick.closing:
            return None
        presence = tick.plan.presence
        braked = np.empty(presence.size)
        way = tick.frame.velocity, tick.state.dphi, tick.progress.rate
        moving: bool = brake_open_gaps(braked, self._off, gap, presence, way, self._brakes)
        return braked if moving else None
