# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller of a run that finds its way among posts that nobody knows: touch first.

It lies among a few posts that it touches, and knows no others. Its head goes on behind the last of
them, slowly, as far as those that are known hold the body; a post on which it runs is placed by
touch, and from then on carries like the others. So the body is held all along, and where it is,
follows from the posts: what drifts are the places of posts against those far behind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.controllers.new_path import NewPath
from boa_control.event_text import text_of
from boa_control.events import Event
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.journey.believed_map import BelievedMap
from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.onward import Onward, lying_at, onward_on
from boa_control.experiments.journey.parts import Goal, JourneySettings, Plan
from boa_control.experiments.journey.phases import Travelling
from boa_control.experiments.journey.touring import TouringController, settings_of
from boa_control.experiments.journey.trace import Trace
from boa_control.experiments.journey.ways_on import route_settings, travel_settings
from boa_control.experiments.tour import Tour
from boa_control.model.reference import ReferenceTable
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_control.paths.named import segment_curve
from boa_control.paths.settings import SegmentPath
from boa_control.planning.explore import Frontier, explore_route
from boa_control.planning.lying import LyingBody
from boa_control.planning.route import Route
from boa_control.planning.search.found import FoundPath
from boa_control.planning.search.region import Around, Beyond, Region
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Circle, Obstacle

APART = 0.16  # m from where the head has been: there it sweeps ground of its own width
BORNE_STD = 3e-3  # m, of places by touch: what a path must bear, as on a map of such posts
# m, of a post against those that hold the body that touches it (docs/notebook/explored_fields.md)
PLACED_STD = 1e-3
NEIGHBOURS = 3  # posts, against which a new one is placed
LEANS = 0.1  # m before its head, where the way ends that the robot has come: its nose may lean on
# a post, off its path
EVERY = 0.02  # m, between points of the track of the head


class ExploredMap(BelievedMap):
    """A map that grows by touch: posts that the robot ran into carry it, and their places are as
    sure as those of the posts around that held the body meanwhile, less what touch leaves open.
    """

    def __init__(self, obstacles: Sequence[Obstacle], borne: float) -> None:
        """The first posts, whose places count as exact."""
        super().__init__(obstacles, borne, surely=0.0)
        self._given = len(obstacles)
        self._std = dict.fromkeys(self._obstacles, 0.0)

    def _add(self, post: CorrectedPost) -> None:
        apart = {
            math.hypot(post.x - other.x, post.y - other.y): self._std[k]
            for k, other in self._obstacles.items()
            if isinstance(other, Circle)
        }
        near = [apart[away] for away in sorted(apart)[:NEIGHBOURS]]
        super()._add(post)
        index = self._index[post.number]
        if index not in self._std:
            self._std[index] = math.hypot(PLACED_STD, float(np.mean(near)))

    @property
    def explored(self) -> CorrectedMap:
        """The posts that stand, and which of the first ones do not."""
        posts = [
            CorrectedPost(
                k,
                post.x,
                post.y,
                post.radius,
                self._std[k],
                "mapped" if k < self._given else "unexpected",
            )
            for k, post in self._obstacles.items()
            if isinstance(post, Circle)
        ]
        missing = set(range(self._given)) - set(self._obstacles)
        return CorrectedMap(tuple(posts), tuple(sorted(missing)))


class ExploringJourney(Journey):
    """The journey whose goals lie on unknown ground: every path leads to the edge of the known.

    Attributes:
        world: the explored map.
    """

    world: ExploredMap | None
    _beyond: tuple[Goal, Beyond] | None  # the goal of a tour, and the ground that it stands for

    def visit(self, tour: Tour) -> None:
        """Go on until the head is as far ahead as the tour says."""
        assert tour.explore is not None
        region, goal = _ahead(*self._body, tour.explore)
        self._beyond = goal, region
        self.go([goal])

    def require_sensible(self, goals: Iterable[Goal]) -> None:
        """Posts near the goal are not known yet."""

    def _begin_anew(self) -> None:
        super()._begin_anew()
        self._trace = Trace(self._first)
        self._tracks: list[Array] = []  # where the head has been
        self._beyond = None

    def _take(self, new: NewPath) -> None:
        super()._take(new)
        self._trace = self._trace.onto(new, self._experiment.robot)

    @property
    def way(self) -> FoundPath:
        """The way that the robot has come, among the posts of the explored map. Raises BoaError:
        there is no map.
        """
        if self.world is None:
            raise BoaError("there is no way: the robot has not set out")
        return self._trace.among(self.world.obstacles, self._head - LEANS)

    @property
    def _head(self) -> float:
        """Arc length of the head on the path on which the robot lies, m."""
        where = self.where
        return LyingBody.at_progress(where.path, self._experiment.robot, where.progress).head

    def _believe(self, obstacles: Sequence[Obstacle]) -> ExploredMap:
        return ExploredMap(obstacles, self._ways.borne)

    @property
    def _region(self) -> Region:
        """Where the head shall come."""
        goal = self.pursuit.goals[0]
        if self._beyond is not None and goal is self._beyond[0]:
            return self._beyond[1]
        return Around(goal.x, goal.y, self._around.settings.radius)

    @property
    def _body(self) -> tuple[Array, float]:
        where = self.where
        return _body_on(where.path, where.progress, self._experiment.robot)

    def _search(self, world: BelievedMap) -> None:
        path, progress = self.where.path, self.where.progress
        self._tracks.append(self._body[0])
        frontier = Frontier(self._region, np.concatenate(self._tracks), APART)
        self._searching(self._plan(path, progress, world.obstacles, frontier))

    def _plan(
        self, path: SegmentPath, progress: float, posts: Sequence[Obstacle], frontier: Frontier
    ) -> Plan:
        experiment, wishes = self._experiment, self._around.settings
        travel = travel_settings(experiment, 0.0)

        def plan(report: object) -> Onward:  # noqa: ARG001
            lying = lying_at(path, progress, experiment.robot, wishes.back)
            route = _route(experiment, wishes, lying, posts, frontier)
            if route is None:
                raise BoaError("the posts that are known hold the body nowhere on new ground")
            return onward_on(route, lying, progress, experiment.robot, travel)

        return plan

    def _refused(self, event: Event) -> None:
        """It lies elsewhere now than where the path was searched."""
        self._begin(f"explores from here: {text_of(event)}")

    def _try_again(self, phase: Travelling, halt: Event) -> None:  # noqa: ARG002
        """It gets on no further, and touch does not tell why: the head seeks elsewhere."""
        curve = segment_curve(self.where.path)
        self._tracks.append(curve.position(np.arange(self._head, curve.length, EVERY)))
        self._begin(f"explores elsewhere: {text_of(halt)}")

    def _arrive(self) -> None:
        """Nothing was met on the way; at the end of it is the goal, or more new ground."""
        head = self._body[0][-1]
        if self._region.distance(head, np.zeros(())) <= EVERY:
            super()._arrive()
        else:
            self._begin("nothing met; explores on")


def journey_of(tour: Tour | None) -> type[Journey]:
    """The kind of journey on which a scenario with this tour sends its robot."""
    return Journey if tour is None or tour.explore is None else ExploringJourney


def leads_on(experiment: Experiment) -> bool:
    """Whether the head finds new ground from where an exploration lays down the robot."""
    scenario, robot = experiment.scenario, experiment.robot
    tour, path, progress = scenario.tour, scenario.path, scenario.initial.progress
    assert tour is not None and tour.explore is not None and progress is not None
    assert isinstance(path, SegmentPath)
    points, heading = _body_on(path, progress, robot)
    frontier = Frontier(_ahead(points, heading, tour.explore)[0], points, APART)
    lying, posts = lying_at(path, progress, robot, tour.back), experiment.obstacles
    return _route(experiment, settings_of(tour), lying, posts, frontier) is not None


def _body_on(path: SegmentPath, progress: float, robot: Robot) -> tuple[Array, float]:
    """Points along a body on its path, shape (k, 2), m, and the heading of its head."""
    curve = segment_curve(path)
    sigma = ReferenceTable(curve, robot.links, robot.link.pitch).at(progress).sigma
    s = np.arange(sigma[-1], sigma[0], -EVERY)[::-1]
    return curve.position(s), float(curve.heading(s[-1:])[0])


def _ahead(points: Array, heading: float, distance: float) -> tuple[Beyond, Goal]:
    """Ground that far ahead of a head, m, and the nearest place of it."""
    ahead = (math.cos(heading), math.sin(heading))
    x, y = (points[-1] + distance * np.array(ahead)).tolist()
    return Beyond(ahead, x * ahead[0] + y * ahead[1]), Goal(x, y)


def _route(
    experiment: Experiment,
    wishes: JourneySettings,
    lying: LyingBody,
    posts: Sequence[Obstacle],
    frontier: Frontier,
) -> Route | None:
    settings = route_settings(experiment, wishes, BORNE_STD, frozenset())
    return explore_route(posts, experiment.robot, lying, frontier, settings)


class ExploringController(TouringController):
    """The touring controller of a scenario whose tour explores. Its map has the posts that it has
    placed, each with its standard deviation.
    """

    journey: ExploringJourney

    def _make_journey(self, experiment: Experiment) -> Journey:
        return ExploringJourney(experiment, self, experiment.obstacles)

    def step(self, frame: SensorFrame) -> ControlOutput:
        """The controller's answer; news of the map are those of the explored one."""
        output = super().step(frame)
        world = self.journey.world
        if output.corrected_map is None or world is None:
            return output
        return output._replace(corrected_map=world.explored)
