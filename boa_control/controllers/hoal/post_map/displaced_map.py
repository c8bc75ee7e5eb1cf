# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A map whose posts may stand off their places.

The reference bends to the posts (`deformation`), the robot goes no faster than it may meet them
(`approach_speed`), a contact carries only as far as it is detected, and gaps that open or close
meanwhile are braked. What is detected of the posts is read in `measurement`, where they are planned
is kept in `landmarks`, those that are not detected are searched (`search`), and those that the map
lacks are added in `discovery`.
"""

from __future__ import annotations

import math

import numpy as np

from boa_control.compiled.gaps import BrakeRules, brake_gaps
from boa_control.controllers.hoal.contacts.detection import Expected
from boa_control.controllers.hoal.contacts.plan import SameContacts
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.approach_speed import (
    SpeedLimit,
    handover_limit,
    last_hold_limit,
    leading_speed,
)
from boa_control.controllers.hoal.post_map.deformation import DeformedReference
from boa_control.controllers.hoal.post_map.discovery import PostDiscovery
from boa_control.controllers.hoal.post_map.interface import NO_POSTS, PostMap
from boa_control.controllers.hoal.post_map.landmarks import Landmarks
from boa_control.controllers.hoal.post_map.measurement import PostMeasurement
from boa_control.controllers.hoal.post_map.record import MapRecord
from boa_control.controllers.hoal.post_map.search import PostSearch
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.body_drift import turn_rate
from boa_control.estimation.gaps import gap_rates, gap_std
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathModel, PathState
from boa_control.optimisation.contact_qp import Weights
from boa_control.optimisation.kept_travel import kept_travel
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array, Indices
from boa_description.robot import Robot


class DisplacedMap(PostMap):
    """The variant of `PostMap` that learns where the posts really stand."""

    trusted = False
    measured = True

    def __init__(
        self,
        robot: Robot,
        model: PathModel,
        schedule: ContactSchedule,
        path: PlannedPath,
        period: float,
        parameters: Parameters,
    ) -> None:
        """`period`: of the control ticks, s."""
        chain, error = model.chain, parameters.map_error
        repeat = path.curve.repeat
        tuning = self._tuning = parameters.tuning
        rules = tuning.post_map
        self.startup_damping = tuning.start.damping_displaced
        self.shape_limit = rules.shape_limit
        # the direction of travel of the map is not that of the posts: were shape dearer than
        # travel, it would hold the robot back
        self.weights = Weights(acceleration=Weights().travel, base=rules.base_weight)
        self._chain = chain
        self._path_reference = model.reference
        self._error = error
        self._turning = 0.0 if repeat is None else repeat.rotation
        damping = parameters.contact_damping
        self._brakes = BrakeRules(damping, tuning.law.acceleration, rules.search_speed, rules.lead)
        self._braking = rules.braking_share * parameters.acceleration
        self._lacking = parameters.blind_speed is not None  # it may not have all posts
        self._posts = Landmarks(path, schedule, chain.pitch, error, tuning)
        self._felt = PostMeasurement(chain, self._lacking, rules)
        self._record = MapRecord(self._posts.radius, period, rules)
        self._unmapped = PostDiscovery(model, path.curve, self._posts, self._record, error, tuning)
        self._limit = SpeedLimit(parameters, robot, period)
        reach = robot.link.radius + float(np.max(self._posts.radius, initial=0.0))
        self._flank_speed = self._limit.entry_speed(reach, reach)  # it meets a post straight
        self._preview = max(rules.preview, self._limit.view(error, reach))
        self._reference = DeformedReference(chain, period, error, self._turning, tuning)
        self._search = PostSearch(self.contacts, error, self._reference.interval, tuning)
        self.reset()

    @property
    def speed_limit(self) -> float:
        """Of the speed along the path, m/s."""
        return self._limit.speed

    def reset(self) -> None:
        """Back to the map as given."""
        for part in (self._posts, self._reference, self._search, self._record, self._limit):
            part.reset()
        self._unmapped.reset()
        self.events = self._record.events
        self._seen_at, self._seen = -math.inf, frozenset[int]()
        self._last_hold = math.inf  # m/s
        self._leading: complex = 1.0  # speed of the leading end per speed along the path
        self._handover = math.inf  # m/s
        self._off: Array = np.zeros(self._chain.links - 1)  # rad, of the joints from the reference
        self._direction = 1
        self._astray = False  # a post seems to stand further off its place than any does
        self.met: int | None = None

    def go_on_from(self, before: DisplacedMap, same: SameContacts) -> None:
        """Keep the shape of the body, and what touch has said of the posts."""
        self._reference.go_on_from(before._reference)
        self._search.go_on_from(before._search, same.former, same.new)
        self._posts.go_on_from(before._posts, same)
        self._record.go_on_from(before._record, self._posts.radius, self._posts.belief)
        self._limit = before._limit

    @property
    def misled(self) -> str:
        """Why posts as touch tells of them leave no way on; empty where they may."""
        if self._astray:
            return "posts are taken for others"
        return self._unmapped.no_way(self._direction)

    def fit(self, state: PathState, velocity: Array) -> tuple[PathState, Array]:
        """The chain bent to the posts, and the joint rates without those of the bending."""
        return self._reference.apply(state), velocity - self._reference.rate[3:]

    def plan(self, state: PathState) -> ContactSet:
        """The posts where they are assumed to stand, also those shortly before the body."""
        return self._posts.at(state, self._preview, self._search.place)

    def apportion(self, force: Array, tick: Tick) -> Array:
        """Of the posts that may press there, who exerts each force."""
        return self._felt.apportion(force, tick, self._posts.known(tick.contacts).std)

    def update(self, tick: Tick) -> Array:
        """Learn where the posts stand; after closing, one that is searched carries nothing."""
        contacts, level, travel = tick.contacts, tick.level, tick.travel
        self._tick, self._direction = tick, travel.direction
        self._off = tick.frame.position - tick.state.q[3:]
        known = self._posts.known(contacts)
        met = self._felt.met(tick, known.off, known.located)
        self.met = None if met is None else contacts.post.item(met)
        if met is not None and known.located[met]:
            met = None  # one that the flanks have located is known better
        if self._reference.due or met is not None:
            self._learn(tick, met)
        if self._unmapped.try_way(travel.direction):
            self._search.grow(self.contacts)
        due = self._reference.due
        if due:
            self._posts.follow()
            self._last_hold = self._leave(tick)
            self._lead(tick)
        known = self._posts.known(contacts)
        self._reference.update(tick.state, contacts, known.located, travel.direction)
        if due:
            self._search_on(tick, known.std)
        searched = self._search.place[contacts.contact]
        slowest = min(travel.speed, self._last_hold, self._handover)
        travel = Travel(travel.direction, slowest, travel.goal)
        self._limit.update(contacts, level, known.doubt, searched, travel, self._leading)
        return level if tick.closing else level * (level > self._tuning.contacts.approach)

    def _search_on(self, tick: Tick, doubt: Array) -> None:
        """Search undetected posts. `doubt`: standard deviations of their places, m."""
        contacts, state = tick.contacts, tick.state
        self._search.update(contacts, self._reference.ahead(contacts), doubt, tick.travel.direction)
        if tick.closing:
            return
        gap = contacts.rows(self._chain, state, 0.0)[0]
        detected = tick.level > self._tuning.contacts.approach
        presence = contacts.activation * np.where(detected, tick.level, 0.0)
        frame = np.exp(1j * state.turn * self._turning) * state.along[contacts.link]
        normal = frame * (contacts.normal @ np.array([1.0, 1j]))
        std = gap_std(self._posts.belief.covariance, contacts.post, normal, gap[:, :3], presence)
        # gaps between the body as it is and the posts where they are searched
        away = contacts.clearance + gap_rates(gap, presence, self._off)
        self._search.advance(contacts, tick.level, away, std)

    def _lead(self, tick: Tick) -> None:
        """How fast the body that keeps its posts comes to others with its leading end, and how fast
        it may hand them over from link to link.
        """
        state, direction = tick.state, tick.travel.direction
        detected = tick.level > self._tuning.contacts.approach
        held = tick.contacts.select(detected & (tick.contacts.activation > 0.0))
        gap = held.rows(self._chain, state, 0.0)[0]
        self._leading = leading_speed(self._chain, state, kept_travel(gap, state.dq), direction)
        self._handover = handover_limit(
            self._path_reference, state, held, direction, self._flank_speed, self._braking
        )

    def _leave(self, tick: Tick) -> float:
        """Speed at which the posts at the trailing end may be left, m/s."""
        if tick.closing:
            return math.inf
        across = self._search.across(tick.contacts.contact)
        return last_hold_limit(
            self._chain,
            tick.state,
            tick.contacts,
            tick.level,
            across,
            tick.travel.direction,
            self._braking,
            self._tuning,
        )

    def _learn(self, tick: Tick, met: int | None) -> None:
        """Use a sighting, unless all its posts have been seen from here: what is wrong with a
        torque stays so. `met`: contact whose post the leading end locates by running on it.
        """
        contacts, s = tick.contacts, tick.state.s
        if abs(s - self._seen_at) >= self._tuning.post_map.sighting_way:
            self._seen = frozenset()
        known = self._seen.issuperset(contacts.post[tick.taken_on].tolist())
        if tick.frame.joint_force is None or (known and met is None):
            return
        telling = self._felt.telling(tick)
        seen = self._felt.read(tick, telling, met)
        if self._lacking:
            end = self._chain.links - 1 if tick.travel.direction > 0 else 0
            seen, others = self._posts.own(seen, contacts.post[contacts.link == end])
            for reading in others:
                self._unmapped.consider(reading, tick)
        if met is None and self._seen.issuperset(seen.post.tolist()):
            return
        self._posts.belief.update(seen)
        self._astray = self._lacking and self._posts.astray
        self._seen_at, self._seen = s, self._seen.union(seen.post.tolist())
        located = telling & np.isin(contacts.post, seen.post)
        self._posts.assume(contacts, located, self._search.place)
        self._search.found(contacts.contact[located])
        if met is not None and contacts.inside[met] >= 0.0 and contacts.post[met] in seen.post:
            self._posts.plan_located(contacts.post.item(met))  # it is not beside the end
            self._search.found(contacts.contact[[met]])

    def expected(self, tick: Tick) -> Expected:
        """Those that are planned, also before and behind the body."""
        return Expected(tick.contacts, self._posts.known(tick.contacts).off)

    def absent(self, contacts: ContactSet) -> Indices:
        """Those posts of `contacts` that were searched wherever they could stand."""
        if not self._search.any_absent:
            return NO_POSTS
        given_up = self._search.absent(contacts.contact)
        absent = contacts.post[given_up]
        self._record.miss(absent.tolist())
        return absent

    def news(self) -> CorrectedMap | None:
        """The map as corrected, when there is news of it."""
        return self._record.update(self._posts.belief)

    def unexpected(self, link: int) -> None:
        """Add the post that presses on a link, where sensors and other posts tell its place."""
        found = self._felt.unplanned(self._tick, link, self._posts)
        if found is None:
            return
        if self._lacking:
            self._unmapped.consider(found, self._tick)
        else:
            self._record.add(found.place, found.std, self._posts.belief)

    @property
    def contacts(self) -> int:
        """Those of the path, and those that were taken on."""
        return self._posts.schedule.contacts

    def slip(self, gap: Array, tick: Tick) -> Array | None:
        """Braking of gaps that open or close, and approach to posts up to where they are
        searched: drawn past it, the body would fall back as soon as the post lies beyond its end.
        """
        if tick.closing:
            return None
        frame, state, plan, rate = tick.frame, tick.state, tick.plan, tick.progress.rate
        contacts = plan.contacts
        braked = np.empty(contacts.link.size)
        brake_gaps(
            braked,
            gap,
            (plan.presence, contacts.side, contacts.distance, contacts.reach),
            (self._off, frame.velocity, state.mass, state.dq, rate, turn_rate(frame)),
            self._brakes,
        )
        return braked
