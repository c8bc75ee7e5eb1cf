# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chain on its path, sample by sample: contacts, form closure, gaps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.kept_contacts import keep_contacts
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.pattern import pattern_extent
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_control.planning.checks.first_order import wrench_ball
from boa_control.planning.checks.second_order import order_of_immobility
from boa_control.planning.search.windows import contact_wrenches, margin
from boa_description.arrays import Array, Indices
from boa_description.robot import Robot
from boa_description.scene import SMOOTH, Circle, GroundFriction, Obstacle

SPACING = 0.02  # of samples along the path, pitches; coarser ones miss short holes in the closure
OVERLAP_SPACING = 0.1  # of the samples that search for obstacles in the way, pitches
RAMP = 0.03  # m from the ends of the body, over which the chain comes onto its contacts


@dataclass(frozen=True, slots=True)
class Sample:
    """One position of the chain on its path.

    Attributes:
        state, contacts: chain and contacts there.
        points, normals, centres: of the contacts, shape (nc, 2), in the frame of the state.
    """

    state: PathState
    contacts: ContactSet
    points: Array
    normals: Array
    centres: Array


@dataclass(frozen=True, slots=True)
class ClosureScan:
    """Form closure along the path. All arrays over the samples s, shape (N,).

    Attributes:
        order: 1 or 2: the order to which the chain is held; 0 where it is not.
        margin: first-order margin (1: all forces equal, -1: no closure).
        ball: `wrench_ball` of the contacts, N per newton in all.
        contacts: number of contacts.
    """

    s: Array
    order: NDArray[np.int_]
    margin: Array
    ball: Array
    contacts: NDArray[np.int_]


class PathScan:
    """A robot on a path, ready to be sampled. Takes a few tenths of a second to build."""

    def __init__(
        self,
        path: PlannedPath,
        robot: Robot,
        ground: GroundFriction = SMOOTH,
        contact_friction: float = 0.0,
        spacing: float | None = None,
        since: float | None = None,
        model: PathModel | None = None,
    ) -> None:
        """Build the tables.

        Args:
            ground: floor. A smooth one counts as one of Coulomb friction whose coefficient is 0.
            contact_friction: between body and posts.
            spacing: of the samples, m; `SPACING` pitches by default.
            since: progress of the first sample on an open path, m; by default of all of it.
            model: the chain along the path, where it has been worked out; it then is as it comes
                onto its contacts there, and not by `RAMP`.

        Raises:
            BoaError: the chain does not fit on the path.
        """
        self.path = path
        self.robot = robot
        self.contact_friction = contact_friction
        self.ground = GroundFriction(model="coulomb") if ground.model == "none" else ground
        self._since = since
        self._spacing = SPACING * robot.link.pitch if spacing is None else spacing
        if model is None:
            on_path = ReferenceTable(path.curve, robot.links, robot.link.pitch)
            reference = keep_contacts(on_path, path, robot.link.radius, RAMP)
            model = PathModel(PlanarChain(robot), reference, self.ground)
        self.model, self.chain, self.reference = model, model.chain, model.reference
        self._schedule = ContactSchedule(path, self.reference, robot.link.radius, ramp=1e-9)

    def positions(self) -> Array:
        """Samples of s over one period of the posts' pattern (else the whole path), m."""
        start, length = self.period
        count = max(1, math.ceil(length / self._spacing))
        return start + length * (np.arange(count) + 0.5) / count

    @property
    def period(self) -> tuple[float, float]:
        """Start and length of one period of the posts' pattern (else of the whole path), m."""
        start, length = pattern_extent(self.path, self.reference)
        first = min(max(start, self.extent[0]), start + length)
        return first, start + length - first

    @property
    def extent(self) -> tuple[float, float]:
        """First and last s that count, m."""
        start, end = self.reference.extent
        if self._since is None or self.path.curve.closed:
            return start, end
        return min(max(start, self._since), end), end

    def state_at(self, s: float) -> tuple[PathState, ContactSet]:
        """Chain and contacts at path coordinate s."""
        state = self.model.at(s)
        return state, self._schedule.at(state)

    def at(self, s: float) -> Sample:
        """The chain at path coordinate s."""
        state, contacts = self.state_at(s)
        along = state.along[contacts.link]
        normals = (contacts.normal @ (1.0, 1j)) * along
        points = (
            state.axes[contacts.link] + contacts.offset * along - self.robot.link.radius * normals
        )
        centres = self.reference.to_pattern(self._schedule.positions[contacts.contact], state.turn)
        return Sample(state, contacts, _plane(points), _plane(normals), centres)

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """The chain at all `positions`."""
        return tuple(self.at(float(s)) for s in self.positions())

    @cached_property
    def gaps(self) -> tuple[Array, Indices]:
        """Smallest gap between the body and any post, shape (N,), and the post's index, over
        `positions`; m.

        Planned contacts have gap 0; a negative gap means that a post stands in the body's way.
        """
        posts, count = self.path.contacts, len(self.samples)
        smallest, nearest = np.full(count, np.inf), np.zeros(count, np.intp)
        centres = np.array([[post.x, post.y] for post in posts]).reshape(-1, 2)
        radii = np.array([post.radius for post in posts])
        if not posts:
            return smallest, nearest
        for k, sample in enumerate(self.samples):
            state = sample.state
            x, y = self.reference.to_pattern(centres, state.turn).T[..., None]
            seen = state.in_link_frame(x + 1j * y, np.arange(self.robot.links))
            apart = np.abs(seen - np.clip(seen.real, 0.0, self.robot.link.pitch))
            gap = apart.min(axis=1) - radii - self.robot.link.radius
            nearest[k] = int(np.argmin(gap))
            smallest[k] = gap[nearest[k]]
        return smallest, nearest


def _plane(points: NDArray[np.complex128]) -> Array:
    """Points x + iy as shape (n, 2)."""
    return np.column_stack([points.real, points.imag])


def closure_scan(scan: PathScan) -> ClosureScan:
    """Test closure along the path."""
    s = scan.positions()
    orders, counts = np.zeros(s.size, int), np.zeros(s.size, int)
    margins, balls = np.full(s.size, -1.0), np.zeros(s.size)
    for k, sample in enumerate(scan.samples):
        counts[k] = len(sample.points)
        orders[k] = order_of_immobility(sample.points, sample.normals, sample.centres)
        if orders[k] == 1:
            margins[k] = margin(contact_wrenches(sample.points, sample.normals))
            balls[k] = wrench_ball(sample.points, sample.normals)
    return ClosureScan(s, orders, margins, balls, counts)


def deepest_overlap(
    scan: PathScan, obstacles: Sequence[Obstacle]
) -> tuple[float, int, float] | None:
    """Where the body on its path lies deepest in one of `obstacles`: gap (m, negative), its index
    and s; else None.
    """
    within = _near_path(scan, obstacles)
    if not within:
        return None
    there = ObstacleMap.of([obstacles[k] for k in within])
    reference, robot = scan.reference, scan.robot
    start, end = scan.extent
    deepest = None
    for s in np.linspace(
        start, end, 2 + round((end - start) / (OVERLAP_SPACING * robot.link.pitch))
    ):
        point = reference.at(float(s))
        near = find_contacts(
            chain_pose(robot, reference.world_base(point), point.phi), there, within=0.0
        )
        if len(near) and (deepest is None or near.gap.min() < deepest[0]):
            worst = int(near.gap.argmin())
            deepest = float(near.gap[worst]), within[int(near.obstacle[worst])], float(s)
    return deepest


def _near_path(scan: PathScan, obstacles: Sequence[Obstacle]) -> list[int]:
    """Which obstacles the body can meet on its path: posts within a link of it, and all others."""
    curve, pitch = scan.path.curve, scan.robot.link.pitch
    line = cKDTree(curve.position(np.linspace(0.0, curve.length, 2 + int(curve.length / pitch))))
    reach = 2.0 * pitch + scan.robot.link.radius
    return [
        k
        for k, one in enumerate(obstacles)
        if not isinstance(one, Circle) or line.query((one.x, one.y))[0] <= reach + one.radius
    ]


def clearances(scan: PathScan) -> Array:
    """Gap between the flank of the body and each post when it comes nearest, shape (posts,), m.

    NaN for posts that no sample meets.
    """
    nearest = np.full(len(scan.path.contacts), np.nan)
    for sample in scan.samples:
        contacts = sample.contacts
        nearest[contacts.contact] = np.fmin(nearest[contacts.contact], contacts.clearance)
    return nearest
