# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of the posts as the controller `hoal` measures it while the robot moves: reported, and
named where the robot was told otherwise.
"""

from __future__ import annotations

import math

import numpy as np

from boa_control.controller import Briefing
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.link_forces import link_forces
from boa_control.estimation.post_friction import Estimate, PostFrictionObserver
from boa_control.estimation.sideways_balance import JOINT_ZONE
from boa_control.events import Event, EventKind, EventQueue
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import Sideways
from boa_description.arrays import Array
from boa_description.scene import GRAVITY


class PostFriction:
    """One estimate per run of the friction of all posts, and of the floor along the links.

    Attributes:
        estimate: the present one.
        coefficient: of the posts, with which the control law counts: as briefed, until the estimate
            is surely another one.
        events: not told yet.
    """

    def __init__(self, briefing: Briefing, tuning: Tuning = SHIPPED) -> None:
        """Start from what the briefing says."""
        self._tuning = tuning.law
        self._chain = PlanarChain(briefing.robot)
        self._every = max(1, round(tuning.steering.solve_time / briefing.period))
        self._told_at_first = briefing.contact_friction
        self._step = tuning.law.adoption * briefing.period
        self._observer = PostFrictionObserver(
            briefing.contact_friction,
            briefing.ground.mu,
            briefing.robot.link.mass * GRAVITY,
            tuning.law.memory / (self._every * briefing.period),
        )
        self.reset()

    def reset(self) -> None:
        """Nothing has been measured."""
        self._observer.reset()
        self._ticks = 0
        self._told = self.coefficient = self._told_at_first
        self.events = EventQueue()
        self.estimate = self._observer.estimate

    @property
    def debug(self) -> dict[str, float | Array]:
        """The present knowledge, for the log."""
        return {"post_friction": self.estimate.posts, "post_friction_std": self.estimate.posts_std}

    @property
    def known(self) -> Estimate | None:
        """What is measured, as soon as it is sure."""
        return self.estimate if self.estimate.posts_std <= self._tuning.sure else None

    def advance(self, speed: float) -> bool:
        """Use one tick at a `speed` in the direction of travel, m/s; whether a sample is due."""
        self._ticks += 1
        if self.coefficient != self._told:
            missing = self._told - self.coefficient
            self.coefficient += min(max(missing, -self._step), self._step)
        return not self._ticks % self._every and speed >= self._tuning.least_speed

    def observe(self, tick: Tick, contacts: ContactSet, sideways: Sideways, direction: int) -> None:
        """Use one sample; `sideways`: inertia and friction of the floor across the links,
        `direction`: 1 if the head leads, -1 if the tail does.
        """
        tuning = self._tuning
        forces = link_forces(tick.frame, self._chain, sideways)
        if forces is None:
            return
        normal = normal_forces(forces.across, contacts, self._chain.pitch)
        self._observer.update(forces.along, normal, direction)
        self.estimate = now = self._observer.estimate
        if self.known and abs(now.posts - self._told) > max(tuning.otherwise, 3 * now.posts_std):
            self._told = now.posts
            note = in_words(now)
            self.events.add(Event(kind=EventKind.POST_FRICTION, value=now.posts, note=note))


def in_words(estimate: Estimate) -> str:
    """Both coefficients with their standard deviations."""
    posts, floor, posts_std, floor_std = estimate
    return f"posts {posts:.2f} +- {posts_std:.2f}, floor {floor:.3f} +- {floor_std:.3f}"


def normal_forces(across: Array, contacts: ContactSet, pitch: float) -> Array:
    """Size of the posts' forces on the links, shape (n,), N: 0 where none touches, NaN where one
    touches near a joint of the link.
    """
    normal = np.zeros_like(across)
    for link, offset in zip(contacts.link.tolist(), contacts.offset.tolist(), strict=True):
        if JOINT_ZONE <= offset <= pitch - JOINT_ZONE:
            normal[link] += abs(across[link])
            continue
        normal[link] = math.nan
        beside = link - 1 if offset < JOINT_ZONE else link + 1
        if 0 <= beside < normal.size:
            normal[beside] = math.nan
    return normal
