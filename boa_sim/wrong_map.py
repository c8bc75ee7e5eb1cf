# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The posts as they stand where the map is wrong: missing, moved, or not on the map.

Posts keep their index of the map. Those that are not on it come after all of the map's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boa_control.experiments.disturbance import Disturbance
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.wrong_map import (
    ChosenPosts,
    MissingPosts,
    MovedPosts,
    PostBesidePath,
    UnmappedPosts,
)
from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts
from boa_control.paths.path import PlannedPath
from boa_control.plant import GroundTruth
from boa_description.errors import BoaError
from boa_description.scene import Circle, Obstacle, clearance
from boa_sim.disturbance import Obstacles, displaced, moved_by, thickened
from boa_sim.streams import stream

AHEAD = 0.1  # m before the head and behind the tail; what is nearer holds the robot, or soon will
CLEARANCE = 0.02  # m, least gap of a post drawn at random to other posts and to the robot
UNMAPPED_RADIUS = 0.05  # m, of posts drawn beside a path without posts
ATTEMPTS = 1000  # places that are drawn for one post


def standing(obstacles: Sequence[Obstacle], missing: MissingPosts, seed: int) -> tuple[int, ...]:
    """Indices on the map of the obstacles that stand.

    Raises:
        BoaError: a post that is not on the map, or more missing than there are.
    """
    gone = set(_chosen(len(obstacles), missing.posts, missing.count, "missing", seed))
    return tuple(index for index in range(len(obstacles)) if index not in gone)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Obstacles as they stand in the course of a run. One that moves has a body at every place.

    Attributes:
        obstacles: all bodies.
        numbers: their indices on the map.
        going: indices of bodies that stand until `time_ns` of the run; coming: from then on.
    """

    obstacles: Obstacles
    numbers: tuple[int, ...]
    going: frozenset[int] = frozenset()
    coming: frozenset[int] = frozenset()
    time_ns: int = 0

    @property
    def fixed(self) -> bool:
        """Nothing moves."""
        return not self.going

    @property
    def arriving(self) -> Obstacles:
        """Those that stand only after the move."""
        return tuple(self.obstacles[index] for index in sorted(self.coming))

    def flags(self, time_ns: int) -> tuple[bool, ...]:
        """Which of the bodies stand at a time of the run, ns."""
        away = self.going if time_ns >= self.time_ns else self.coming
        return tuple(index not in away for index in range(len(self.obstacles)))

    def standing(self, time_ns: int) -> Obstacles:
        """Those that do."""
        flags = zip(self.obstacles, self.flags(time_ns), strict=True)
        return tuple(obstacle for obstacle, stands in flags if stands)


def arranged(
    obstacles: Sequence[Obstacle],
    unmapped: Sequence[Circle],
    disturbance: Disturbance,
    seed: int,
) -> Arrangement:
    """How the obstacles of a map, and others, stand.

    Raises:
        BoaError: as `standing` and `moved`.
    """
    settings = disturbance.moved
    thick = thickened(obstacles, disturbance.post_radius_error)
    before = displaced(thick, disturbance.obstacle_offset, seed)
    after = moved(before, settings, seed)
    late = settings.time is not None
    first = before if late else after
    present = standing(obstacles, disturbance.missing, seed)
    going = [k for k in present if after[k] != first[k]] if late else []
    stay = (*(first[k] for k in present), *unmapped)
    added = range(len(first), len(first) + len(unmapped))
    return Arrangement(
        obstacles=(*stay, *(after[k] for k in going)),
        numbers=(*present, *added, *going),
        going=frozenset(present.index(k) for k in going),
        coming=frozenset(range(len(stay), len(stay) + len(going))),
        time_ns=round((settings.time or 0.0) * 1e9),
    )


def drawn_ahead(experiment: Experiment, seed: int) -> Disturbance:
    """The scenario's disturbance with the posts named that are to be drawn from those that the path
    touches before the robot.

    Raises:
        BoaError: no path, or more than it touches there.
    """
    disturbance = experiment.scenario.disturbance
    named = {}
    for what in ("missing", "moved"):
        settings: ChosenPosts = getattr(disturbance, what)
        if settings.ahead and settings.count:
            posts = _drawn_of(
                _touched_ahead(experiment, what), settings.posts, settings.count, what, seed
            )
            named[what] = settings.model_copy(update={"posts": posts, "count": 0})
    return disturbance.model_copy(update=named)


def _touched_ahead(experiment: Experiment, what: str) -> tuple[int, ...]:
    """Posts that the path touches only where the robot does not lie at the start."""
    path, robot = _path(experiment, what), experiment.robot
    curve, begin = path.curve, experiment.start_progress or 0.0
    front = begin + (robot.links - robot.links // 2) * robot.link.pitch + AHEAD
    rear = begin - robot.links // 2 * robot.link.pitch - AHEAD

    def passed(s: float) -> bool:
        """On a closed path only what lies beside the body: the rest comes again."""
        return (s - rear) % curve.length < front - rear if curve.closed else s < front

    touched = tuple(zip(path.post_of, (at.s for at in path.contacts), strict=True))
    held = {post for post, s in touched if passed(s)}
    return tuple(sorted({post for post, _ in touched} - held))


def moved(obstacles: Sequence[Obstacle], settings: MovedPosts, seed: int) -> Obstacles:
    """The obstacles with some of them, or all, elsewhere.

    Raises:
        BoaError: a post that is not on the map, or more than there are.
    """
    if settings.distance == 0.0 and not settings.to:
        return tuple(obstacles)
    total = len(obstacles)
    everywhere = not settings.posts and not settings.count
    chosen = (
        range(total)
        if everywhere
        else _chosen(total, settings.posts, settings.count, "moved", seed)
    )
    angles = stream(seed, "moved_posts/direction").uniform(0, 2 * np.pi, total)
    result = list(obstacles)
    if settings.to:
        for index, (x, y) in zip(chosen, settings.to, strict=True):
            result[index] = obstacles[index].model_copy(update={"x": x, "y": y})
        return tuple(result)
    for index in chosen:
        angle = angles[index] if settings.direction is None else settings.direction
        step = settings.distance * math.cos(angle), settings.distance * math.sin(angle)
        result[index] = moved_by(obstacles[index], *step)
    return tuple(result)


def unmapped(experiment: Experiment, present: Obstacles, seed: int) -> tuple[Circle, ...]:
    """The posts that stand although the map does not have them.

    Args:
        present: the obstacles that stand besides.

    Raises:
        BoaError: no path to stand beside, or no free place for a post drawn at random.
    """
    settings = experiment.scenario.disturbance.unmapped
    if not settings.posts and not settings.count:
        return ()
    radius = experiment.robot.link.radius
    given = tuple(
        post if isinstance(post, Circle) else _beside(_path(experiment), post, radius)
        for post in settings.posts
    )
    return given + _drawn(experiment, settings, (*present, *given), seed)


class Renumbering:
    """Index on the map of every post that stands; identity where the map misses none."""

    def __init__(self, indices: Sequence[int]) -> None:
        """`indices`: on the map, of all that stand, in their order."""
        self._indices = tuple(indices)
        self._identity = self._indices == tuple(range(len(self._indices)))

    def apply(self, truth: GroundTruth) -> GroundTruth:
        """The truth with contacts numbered as on the map."""
        if self._identity:
            return truth
        contacts = tuple(
            replace(contact, obstacle=self._indices[contact.obstacle]) for contact in truth.contacts
        )
        return truth.with_contacts(contacts)


def _chosen(total: int, posts: Sequence[int], count: int, what: str, seed: int) -> tuple[int, ...]:
    """`posts` and `count` others of `total`."""
    for post in posts:
        if not 0 <= post < total:
            raise BoaError(
                f"disturbance.{what}: post {post} is not on the map, which has {total} posts, "
                "counted from 0; choose one of them"
            )
    return _drawn_of(range(total), posts, count, what, seed)


def _drawn_of(
    candidates: Sequence[int], posts: Sequence[int], count: int, what: str, seed: int
) -> tuple[int, ...]:
    """`posts` and `count` others of the candidates."""
    others = [index for index in candidates if index not in set(posts)]
    if count > len(others):
        raise BoaError(
            f"disturbance.{what}: count {count} is more than the {len(others)} other posts to "
            f"choose from; lower it"
        )
    drawn = stream(seed, f"{what}_posts").permutation(others)[:count]
    return (*posts, *map(int, drawn))


def _path(experiment: Experiment, what: str = "unmapped") -> PlannedPath:
    if experiment.path is None:
        remedy = "x and y of every post" if what == "unmapped" else "their numbers, without ahead"
        raise BoaError(f"disturbance.{what}: the scenario has no path; give {remedy}")
    return experiment.path


def _beside(path: PlannedPath, post: PostBesidePath, body_radius: float) -> Circle:
    s = np.array([post.s])
    (x, y), heading = path.curve.position(s)[0], float(path.curve.heading(s)[0])
    away = (body_radius + post.radius - post.into) * (1 if post.side == "left" else -1)
    return Circle(
        x=x - away * math.sin(heading), y=y + away * math.cos(heading), radius=post.radius
    )


def _drawn(
    experiment: Experiment, settings: UnmappedPosts, present: Obstacles, seed: int
) -> tuple[Circle, ...]:
    """Posts at random places beside the path, clear of all others and of the robot."""
    posts: tuple[Circle, ...] = ()
    rng = stream(seed, "unmapped_posts")
    for _ in range(settings.count):
        posts = (*posts, _one_drawn(experiment, settings, (*present, *posts), rng))
    return posts


def _one_drawn(
    experiment: Experiment,
    settings: UnmappedPosts,
    present: Obstacles,
    rng: np.random.Generator,
) -> Circle:
    path, robot = _path(experiment), experiment.robot
    radius = path.contacts[0].radius if path.contacts else UNMAPPED_RADIUS
    start = experiment.start_progress or 0.0
    distance = experiment.scenario.distance or path.curve.length
    furthest = start + distance if path.curve.closed else min(start + distance, path.curve.length)
    chain = chain_pose(robot, experiment.start_base, experiment.start_joints)
    for _ in range(ATTEMPTS):
        place = PostBesidePath(
            s=float(rng.uniform(start, furthest)),
            side="left" if rng.uniform() < 0.5 else "right",
            into=float(rng.uniform(*settings.into)),
            radius=radius,
        )
        post = _beside(path, place, robot.link.radius)
        if len(find_contacts(chain, ObstacleMap.of((post,)), within=CLEARANCE)):
            continue
        others = (other for other in present if isinstance(other, Circle))
        if all(clearance(post, other) >= CLEARANCE for other in others):
            return post
    raise BoaError(
        f"disturbance.unmapped: no free place for another post among {len(present)} after "
        f"{ATTEMPTS} attempts; lower count"
    )
