"""A map whose posts may stand off their places.

The reference bends to the posts (`deformation`), the robot goes no faster than it may meet them
(`speed_limit`), a contact carries only as far as it is felt, and gaps that open or close meanwhile
are braked.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from boa_control.compiled.rows import joint_forces, nearest_kept, write_rows
from boa_control.controllers.hoal.added_post import AddedPost, AgreedPlace, beside
from boa_control.controllers.hoal.contact_plan import ContactPlan
from boa_control.controllers.hoal.deformation import (
    FOLLOW_SPEED,
    PREVIEW,
    UPDATE_TIME,
    DeformedReference,
    nose_std,
)
from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.controllers.hoal.exact_map import NONE
from boa_control.controllers.hoal.gap_rates import gap_rates
from boa_control.controllers.hoal.last_hold import last_hold_limit
from boa_control.controllers.hoal.map_record import MapRecord
from boa_control.controllers.hoal.numbered_posts import NumberedPosts
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.passage import Passage, free_width
from boa_control.controllers.hoal.post_map import MapTick
from boa_control.controllers.hoal.post_search import (
    LEAD,
    SEARCH_LIMIT,
    SEARCH_SPEED,
    YIELD_FORCE,
    PostSearch,
)
from boa_control.controllers.hoal.speed_limit import (
    BRAKING_SHARE,
    EXPECTED,
    REACH,
    SpeedLimit,
)
from boa_control.controllers.hoal.startup import DAMPING_DISPLACED
from boa_control.controllers.hoal.succession import SameContacts
from boa_control.estimation.adopted_forces import adopted
from boa_control.estimation.end_forces import apportioned, rivals
from boa_control.estimation.gap_doubt import gap_std
from boa_control.estimation.opposite_forces import opposed, told_apart
from boa_control.estimation.touch_points import Touch, TouchPoints
from boa_control.estimation.touched_posts import Sighting, TouchedPosts
from boa_control.model.bent_schedule import BentSchedule
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathModel, PathState
from boa_control.optimisation.contact_qp import Weights
from boa_control.optimisation.kernels import Kernels
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags, Indices
from boa_description.robot import Robot

# w_a, per (rad/s2)^2: that of travel. The direction of travel of the map is not that of the posts;
# were shape dearer, it would hold the robot back
SHAPE_WEIGHT = 0.05
FEWEST_SEEN = 2  # posts, from which the pose of the body among them is known
SIGHTING_WAY = 2e-3  # m along the path, between two sightings of the posts
TRIES = 3  # of a way past a post, before there is none
BASE_WEIGHT = 1e-4  # eps, as small beside it as on an exact map


class DisplacedMap:
    """The variant of `PostMap` that learns where the posts really stand."""

    trusted = False
    measured = True
    startup_damping = DAMPING_DISPLACED
    weights = Weights(acceleration=SHAPE_WEIGHT, base=BASE_WEIGHT)
    kernels = Kernels(nearest_kept, write_rows, joint_forces)

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
        chain = model.chain
        self._curve = path.curve
        self._damping = parameters.contact_damping
        contacts = len(schedule.positions)
        repeat = path.curve.repeat
        self._turning = 0.0 if repeat is None else repeat.rotation
        self._points = TouchPoints(chain)
        self._chain = chain
        self._post_of = np.array(path.post_of, dtype=np.intp)
        self._given = BentSchedule(schedule, chain.pitch), NumberedPosts.of(path)
        self._lacking = parameters.blind_speed is not None  # it may not have all posts
        self._map_error = parameters.map_error
        self._agreed = AgreedPlace()
        self._passage = Passage(model, nose_std(parameters.map_error))
        self._record = MapRecord(self._given[1].radius, period)
        self._limit = SpeedLimit(parameters, robot, period)
        reach = robot.link.radius + float(np.max(self._given[1].radius, initial=0.0))
        self._preview = max(PREVIEW, self._limit.view(parameters.map_error, reach))
        # as much sideways as the limit leaves it forwards: both together meet the post
        sideways = self._limit.entry_speed(parameters.map_error, reach) / math.sqrt(2.0)
        self._reference = DeformedReference(
            chain, contacts, period, parameters.map_error, self._turning, sideways
        )
        self._search = PostSearch(contacts, parameters.map_error, self._reference.interval)
        self._braking = BRAKING_SHARE * parameters.acceleration
        self._step = FOLLOW_SPEED * UPDATE_TIME  # m, between two fits of the reference
        self.reset()

    @property
    def speed_limit(self) -> float:
        """Of the speed along the path, m/s."""
        return self._limit.speed

    def reset(self) -> None:
        """Back to the map as given."""
        self._reference.reset()
        self._search.reset()
        self._schedule, self._map = self._given
        self._posts = TouchedPosts(self._map.places, self._map_error)
        self._record.reset()
        self._limit.reset()
        self._seen_at, self._seen = -math.inf, frozenset[int]()
        self._shift = self._posts.displacement  # of the posts in the plan
        self._last_hold = math.inf  # m/s
        self._off: Array = np.zeros(self._chain.links - 1)  # rad, of the joints from the reference
        self._astray = False  # a post seems to stand further off its place than any does
        self._no_way, self._no_way_along = "", 0  # past a post, in this direction
        self._agreed.reset()
        self._passage.reset()
        self._refused = 0  # ways past a post, in a row
        self.met: int | None = None

    def go_on_from(self, before: DisplacedMap, same: SameContacts) -> None:
        """Keep the shape of the body, and what touch has said of the posts. One that the new path
        has further from where it was found than it could err was moved meanwhile, unless it is
        touched now.
        """
        self._reference.go_on_from(before._reference)
        self._search.go_on_from(before._search, same.former, same.new)
        self._map = self._map.and_those_of(before._map)
        self._given = self._schedule, self._map
        self._posts = TouchedPosts(self._map.places, self._map_error)
        former, new = before._post_of[same.former], self._post_of[same.new]
        off = np.abs(before._posts.mean - self._posts.mean[: before._posts.mean.size])
        others = np.flatnonzero(off <= SEARCH_LIMIT * self._map_error)
        others = others[~np.isin(others, [*former, *new])]
        self._posts.go_on_from(
            before._posts, np.concatenate([others, former]), np.concatenate([others, new])
        )
        self._record.go_on_from(before._record, self._map.radius, self._posts)
        self._shift = self._posts.displacement
        self._limit = before._limit

    @property
    def misled(self) -> str:
        """Why posts as touch tells of them leave no way on; empty where they may."""
        if self._astray:
            return "posts are taken for others"
        here = self._no_way and self._direction == self._no_way_along
        return self._no_way if here else ""

    @property
    def _direction(self) -> int:
        return self._tick.travel.direction

    def fit(self, state: PathState, velocity: Array) -> tuple[PathState, Array]:
        """The chain bent to the posts, and the joint rates without those of the bending."""
        return self._reference.apply(state), velocity - self._reference.rate[3:]

    def plan(self, state: PathState) -> ContactSet:
        """The posts where they are assumed to stand, also those shortly before the body."""
        return self._schedule.at(state, self._preview, self._search.place, self._shift)

    def apportion(
        self,
        force: Array,
        contacts: ContactSet,
        frame: SensorFrame,
        across: Array,
        passed_on: Callable[[], Array],
    ) -> Array:
        """A post before the nose has no part in the force of one that the nose has passed; one that
        may stand so far off presses on the link beside the planned one.
        """
        pitch = self._chain.pitch

        def moments() -> Array:
            return self._points.moments(frame, passed_on())

        pairs = rivals(contacts, pitch)
        if pairs:
            force = apportioned(force, contacts, pairs, across, moments(), pitch)
        if self._lacking:
            force = told_apart(force, contacts, across, moments, pitch)
        std = self._posts.std[contacts.obstacle]
        return adopted(force, contacts, across, moments, std, pitch)

    def update(self, tick: MapTick) -> Array:
        """Learn where the posts stand; after closing, one that is searched carries nothing."""
        self._tick, contacts, level, travel = tick, tick.contacts, tick.level, tick.travel
        self._off = tick.frame.position - tick.state.q[3:]
        met = self._meet(tick)
        self.met = None if met is None else contacts.obstacle.item(met)
        if met is not None and self._posts.sightings[self.met] > 0:
            met = None  # one that the flanks have located is known better
        if self._reference.due or met is not None:
            self._learn(tick, met)
        self._try_way_past()
        due = self._reference.due
        if due:
            self._move()
            self._last_hold = self._leave(tick)
        doubt = self._posts.std[contacts.obstacle]
        located = self._posts.sightings[contacts.obstacle] > 0
        self._reference.update(tick.state, contacts, level, located, travel.direction)
        if due:
            self._search_on(tick, doubt)
        searched = self._search.place[contacts.post]
        travel = travel._replace(speed=min(travel.speed, self._last_hold))
        swing = self._reference.swing
        self._limit.update(contacts, level, doubt, searched, tick.frame, travel, swing)
        return level if tick.closing else np.where(level > APPROACH, level, 0.0)

    def _search_on(self, tick: MapTick, doubt: Array) -> None:
        """Search the posts that are not felt. `doubt`: standard deviations of their places, m."""
        contacts, state, direction = tick.contacts, tick.state, tick.travel.direction
        ahead, short = self._reference.ahead(contacts), self._reference.short(contacts.post)
        self._search.update(contacts, ahead, tick.force, short, doubt, direction)
        if tick.closing:
            return
        gap = contacts.rows(self._chain, state, 0.0)[0]
        presence = contacts.activation * np.where(tick.level > APPROACH, tick.level, 0.0)
        frame = np.exp(1j * state.turn * self._turning) * state.along[contacts.link]
        normal = frame * (contacts.normal @ np.array([1.0, 1j]))
        std = gap_std(self._posts.covariance, contacts.obstacle, normal, gap[:, :3], presence)
        self._search.advance(contacts, tick.level, self._away(contacts, gap, presence), std)

    def _away(self, contacts: ContactSet, gap: Array, presence: Array) -> Array:
        """Gaps between the body as it is and the posts where they are searched, shape (nc,), m."""
        return contacts.clearance + gap_rates(gap, presence, self._off)

    def _leave(self, tick: MapTick) -> float:
        """Speed at which the posts at the trailing end may be left, m/s."""
        if tick.closing:
            return math.inf
        across = self._search.across(tick.contacts.post)
        return last_hold_limit(
            self._chain,
            tick.state,
            tick.contacts,
            tick.level,
            across,
            tick.travel.direction,
            self._braking,
        )

    def _move(self) -> None:
        """Let the posts of the plan follow those located, no faster than the reference can."""
        away = self._posts.displacement - self._shift
        far = np.maximum(np.abs(away) / self._step, 1.0)
        self._shift = self._shift + away / far

    def _meet(self, tick: MapTick) -> int | None:
        """The contact whose post the leading end runs on, where that post may stand there; None:
        there is no such.
        """
        contacts = tick.contacts
        if tick.frame.joint_force is None:
            return None
        leading = self._chain.links - 1 if tick.travel.direction > 0 else 0
        farthest = REACH + EXPECTED * self._posts.std[contacts.obstacle]
        near = (contacts.link == leading) & (contacts.inside < 0.0)
        near &= -contacts.inside < farthest
        if not near.any():
            return None
        nearest = int(np.flatnonzero(near)[contacts.inside[near].argmax()])
        force = self._points.head_on(tick.frame, leading, contacts.side.item(nearest))
        return nearest if force > YIELD_FORCE else None

    def _learn(self, tick: MapTick, met: int | None) -> None:
        """Use a sighting, unless it says what the last one said. `met`: contact whose post the
        leading end locates by running on it.
        """
        contacts, touching, s = tick.contacts, tick.touching, tick.state.s
        known = self._seen.issuperset(contacts.obstacle[touching].tolist())
        known = known and abs(s - self._seen_at) < SIGHTING_WAY
        if tick.frame.joint_force is None or (known and met is None):
            return
        if self._lacking:  # a moment that two posts share tells the place of none
            touching = touching & ~opposed(contacts, -REACH, self._chain.pitch)
            touching &= ~np.isin(contacts.link, self._points.struck_ends(tick.frame))
        seen = self._points.read(tick.frame, tick.passed_on(), contacts, touching, met)
        if self._lacking:
            seen = self._own(seen, tick)
        self._posts.update(seen)
        mapped = self._posts.correction[: len(self._given[1].places)]
        self._astray = self._lacking and bool((mapped > SEARCH_LIMIT * self._map_error).any())
        self._seen_at, self._seen = s, frozenset(seen.post.tolist())
        self._take(contacts, touching & np.isin(contacts.obstacle, seen.post))

    def _take(self, contacts: ContactSet, located: Flags) -> None:
        """Where a post was searched is where it is assumed at first; from there the plan follows
        what its touch has told.
        """
        post, obstacle = contacts.post[located], contacts.obstacle[located]
        searched = self._search.place[post]
        self._shift = self._shift.copy()
        self._shift[obstacle] += searched * self._schedule.towards[post]
        self._search.found(post)

    def _own(self, seen: Sighting, tick: MapTick) -> Sighting:
        """Without a post that would stand further off its place than any does: that is another one,
        which the map has not.
        """
        known = self._posts.sightings[seen.post] > 0
        if known.all() or np.count_nonzero(known) < FEWEST_SEEN:
            return seen
        turn, base = self._posts.locate(seen.select(known))
        centre = base + turn * seen.centre
        off = np.abs(centre - self._posts.mean[seen.post])
        others = ~known & (off > SEARCH_LIMIT * self._map_error + seen.along_std)
        for k in np.flatnonzero(others).tolist():
            self._take_on(complex(centre[k]), seen.along_std.item(k), tick.state)
        return seen.select(~others)

    def doubt(self, contacts: ContactSet) -> Array:
        """By how much the posts may stand off along the path, shape (nc,), m."""
        return EXPECTED * self._posts.std[contacts.obstacle]

    def absent(self, contacts: ContactSet) -> Indices:
        """Those obstacles of `contacts` that were searched wherever they could stand."""
        given_up = self._search.absent(contacts.post)
        if not np.count_nonzero(given_up):
            return NONE
        absent = contacts.obstacle[given_up]
        self._record.miss(absent.tolist())
        return absent

    def news(self) -> CorrectedMap | None:
        """The map as corrected, when there is news of it."""
        return self._record.update(self._posts)

    def pop_events(self) -> tuple[str, ...]:
        """How far the map was corrected."""
        return self._record.pop_events()

    def unexpected(self, link: int) -> None:
        """Add the post that presses on a link, where sensors and other posts tell its place."""
        tick = self._tick
        frame, contacts = tick.frame, tick.contacts
        if frame.joint_force is None:
            return
        torques = tick.passed_on()
        seen = self._points.read(frame, torques, contacts, tick.touching)
        if seen.post.size < FEWEST_SEEN:
            return
        touch = self._touch(torques, link)
        if touch is None:
            return
        directions = np.exp(1j * np.concatenate([[0.0], np.cumsum(frame.position)]))
        axis = self._chain.pitch * directions[: touch.link].sum()
        turn, base = self._posts.locate(seen)
        std = math.hypot(touch.std, float(self._posts.relative_std(seen.post)[seen.post].max()))
        centre = axis + directions[touch.link] * touch.centre
        if self._lacking:
            self._take_on(base + turn * centre, std, tick.state)
        else:
            self._record.add(base + turn * centre, std, self._posts)

    def _touch(self, torques: Array, link: int) -> Touch | None:
        """What presses on a link that may be touched by a post of the plan, too."""
        frame, contacts = self._tick.frame, self._tick.contacts
        reach = float(contacts.reach.mean())
        beside = np.flatnonzero((contacts.link == link) & (contacts.inside > -REACH))
        if self._lacking and beside.size:
            flank = contacts.offset.item(beside[0])
            alone = beside.size == 1 and contacts.inside[beside[0]] > 0.0
            return self._points.on_tip(frame, torques, link, reach, flank) if alone else None
        touch = self._points.beside(frame, torques, link, reach)
        if not self._lacking or touch is None or touch.link == link:
            return touch
        shared = (contacts.link == touch.link) & (contacts.inside > -REACH)
        return None if shared.any() else touch

    def _take_on(self, place: complex, std: float, state: PathState) -> None:
        """Plan a contact with a post that the map has not, at x + iy, m, as with one of the map
        that stands off its place beside the path. One at a time.
        """
        radius, contacts = self._record.radius, self._tick.contacts
        beside_one = np.any(contacts.post >= self._given[0].contacts)
        if beside_one or not self._record.free(place, radius, self._posts):
            return  # what two posts give together is easily taken for a third
        if self._passage.trying or not self._agreed.confirmed(place):
            return
        contact = beside(self._curve, state.sigma, place, radius, self._chain.radius)
        number = self._posts.mean.size
        added = AddedPost(contact, place, std, self._schedule.with_contact(contact, number))
        others = self._posts.mean[contacts.obstacle]
        width = free_width(
            contact, place, others, self._map.radius[contacts.obstacle], contacts.side
        )
        if width < 2 * self._chain.radius:
            self._doubt_way(added, f"{1e3 * width:.0f} mm between it and the next post")
            return
        self._added = added
        shift = np.append(self._shift, place - added.on_path)
        self._passage.begin(added.schedule, shift, state.s, self._direction)

    def _try_way_past(self) -> None:
        """Go on trying whether the body can bend past the post; plan with it where it can."""
        passes = self._passage.step() if self._passage.trying else None
        if passes is None:
            return
        added = self._added
        if not passes:
            self._doubt_way(added, "the body cannot bend so far")
            return
        self._refused = 0
        self._schedule = added.schedule
        self._map = self._map.and_one(added.on_path, added.contact.radius)
        self._posts.add(added.on_path, added.place, added.std)
        self._shift = np.append(self._shift, 0.0)
        self._record.take_on(added.place, added.contact.radius)
        self._reference.grow(self.contacts)
        self._search.grow(self.contacts)

    def _doubt_way(self, added: AddedPost, why: str) -> None:
        """There seems to be no way past this post; the first readings of its place may err."""
        self._agreed.reset()
        self._refused += 1
        if self._refused >= TRIES:
            self._record.add(added.place, added.std, self._posts, f"no way past it: {why}")
            self._no_way, self._no_way_along = f"no way past a post: {why}", self._direction

    @property
    def contacts(self) -> int:
        """Those of the path, and those that were taken on."""
        return self._schedule.contacts

    def probed(self, contacts: ContactSet) -> Flags | None:  # noqa: ARG002
        """None: nothing is tried."""
        return None

    def pressed(self, contacts: ContactSet, force: Array) -> None:
        """Nothing to conclude."""

    def slip(self, gap: Array, plan: ContactPlan, joint_rate: Array, closing: bool) -> Array | None:
        """Braking of gaps that open or close, and approach to posts up to where they are
        searched: drawn past it, the body would fall back as soon as the post lies beyond its end.
        """
        if closing:
            return None
        presence = plan.presence
        away = self._away(plan.contacts, gap, presence)
        approach = SEARCH_SPEED * np.clip(away / LEAD, 0.0, 1.0) * (presence == 0.0)
        return -self._damping * (gap_rates(gap, presence, joint_rate) + approach)
