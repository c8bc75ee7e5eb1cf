# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a goal to a robot that has arrived: the states on the way, and what leads from one to the
next, as long as the map is right. Needs no ROS; who runs it has the robot, the search and the time.

    IDLE         waits for a goal
    STOPPING     the robot comes to rest, to search, to go on as planned before, or to hold
    SEARCHING    a path is searched from where it lies, on the map as it is believed to be
    PLANNED      waits for `follow`
    SETTING_OUT  the controller prepares the path
    TRAVELLING   under way
"""

import math
from collections.abc import Iterable, Sequence

from boa_control.controllers.new_path import NEAR_END, NewPath
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.journey.believed_map import BelievedMap, numbered
from boa_control.experiments.journey.onward import Onward, end_of, is_course
from boa_control.experiments.journey.parts import Goal, Plan, State, Surroundings
from boa_control.experiments.journey.phases import (
    Idle,
    Phase,
    Planned,
    Searching,
    SettingOut,
    Stopping,
    Then,
    Travelling,
)
from boa_control.experiments.journey.pursuit import Change, Pursuit, require_sensible
from boa_control.experiments.journey.ways_on import WaysOn
from boa_control.experiments.journey.whereabouts import Whereabouts
from boa_control.experiments.scenario import Scenario
from boa_control.experiments.tour import Tour
from boa_control.messages.answers import Outcome
from boa_control.paths.settings import SegmentPath
from boa_control.planning.post_map import check_distances, map_of
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.scene import Obstacle

PATIENCE = 60.0  # s in which the robot comes to rest
AGAIN = 0.1  # s between two requests
REPORT = 1.0  # s between two lines of progress
NEARER = 0.01  # m by which a search comes nearer before people are told again


def first_path(scenario: Scenario) -> SegmentPath:
    """The path that a planner goes on from. Raises BoaError: it is of another kind, or there is
    none.
    """
    if not isinstance(scenario.path, SegmentPath):
        raise BoaError(
            f"scenario {scenario.name}: the planner goes on from a path of kind segments; make one "
            "with `boa plan path`, or leave planner:=true out"
        )
    return scenario.path


class PlannedJourney:
    """Pursues goals one after the other.

    Attributes:
        world: the map as believed; None until there is one.
        where: the robot lies.
        pursuit: of the goals that came last.
    """

    def __init__(
        self,
        experiment: Experiment,
        surroundings: Surroundings,
        obstacles: Sequence[Obstacle] | None = None,
        std: float = 0.0,
    ) -> None:
        """Wait for a goal.

        Args:
            obstacles: the map, if there is one yet. std: of the places of its posts, m.

        Raises:
            BoaError: the scenario's path is of a kind that no search can go on from.
        """
        self._experiment = experiment
        self._around = surroundings
        self._first = first_path(experiment.scenario)
        self._given = obstacles
        self._ways = WaysOn(experiment, std)
        self.world: BelievedMap | None = None
        self._begin_anew()
        if obstacles is not None:
            self.take_map(obstacles)

    def _begin_anew(self) -> None:
        """The robot lies where the scenario begins."""
        posts = dict(enumerate(self._experiment.obstacles))
        self.where = Whereabouts(self._first, posts, self._around.time)
        self.pursuit = Pursuit()
        self._sent: Onward | None = None  # published last, for the present goal
        self._taken = False  # the controller is on its path
        self._version = -1  # of the map on which was searched last
        self._phase: Phase = Idle()

    @property
    def state(self) -> State:
        """See above."""
        return self._phase.state

    def take_map(self, obstacles: Sequence[Obstacle]) -> None:
        """A map, instead of what was believed before.

        Raises:
            BoaError: posts that overlap or are far apart.
        """
        check_distances(map_of(obstacles), "map")
        self._given = tuple(obstacles)
        self.world = self._believe(obstacles)
        self.world.on_path(self.where.posts)
        self._version = -1  # nothing was searched on this map

    def go(self, goals: Iterable[Goal], at_once: bool = False) -> Pursuit:
        """Pursue these goals in turn, instead of others. The robot stops. `at_once`: see `Pursuit`.

        Raises:
            BoaError: no map yet, or a goal where no post is near, or inside one.
        """
        return self._pursue(goals, Then.SEARCH, at_once)

    def travel(self, course: Array) -> Pursuit:
        """Follow the path that was found, or the one on which the robot lies, which runs through
        these points, shape (m, 2), m.

        Raises:
            BoaError: it is another path.
        """
        phase = self._phase
        if isinstance(phase, Planned) and is_course(course, phase.onward.new.path):
            self.pursuit.at_once = True
            self._set_out(phase.onward)
            return self.pursuit
        if not is_course(course, self.where.path):
            raise BoaError(
                "path: neither the planned one (planned_path) nor the one on which the robot lies; "
                "a path of this robot needs posts: set a goal, or publish new_path"
            )
        return self._pursue([Goal(*end_of(self.where.path))], Then.STAY_ON, at_once=True)

    def cancel(self) -> str:
        """Pursue nothing any more: stop and hold. Raises BoaError where nothing is pursued."""
        if isinstance(self._phase, Idle):
            raise BoaError("nothing to cancel: the planner waits for a goal")
        self.pursuit.change(Change.CANCEL)
        self._stop("cancelled; the robot stops", Then.HOLD)
        return "the robot stops and holds"

    def goals_of(self, tour: Tour) -> list[Goal]:
        """The targets of a tour; where it has none, the end of the path on which the robot lies.
        Raises BoaError: neither targets nor an end.
        """
        return [Goal(x, y) for x, y in tour.targets or (end_of(self.where.path),)]

    def visit(self, tour: Tour) -> None:
        """Pursue the targets of a tour. Without any, travel to the end of the path on which the
        robot lies, and plan another way there where the map turns out to be wrong.

        Raises:
            BoaError: as `goals_of` and `go`.
        """
        self._pursue(self.goals_of(tour), Then.SEARCH if tour.targets else Then.STAY_ON)

    def require_sensible(self, goals: Iterable[Goal]) -> None:
        """Refuse goals without a map, inside a post or near none. Raises BoaError."""
        require_sensible(goals, self.world)

    @property
    def to_go(self) -> float:
        """To the present goal, m: along the path once there is one, straight before; NaN where
        nothing is pursued or the robot has not told yet where it is.
        """
        match self._phase:
            case Idle():
                return math.nan
            case Travelling() as phase if self._taken:
                return max(phase.onward.end - self.where.progress, 0.0)
            case Planned() | SettingOut() | Travelling() as phase:
                return phase.onward.length
        goal, place = self.pursuit.goals[0], self.where.place
        return math.hypot(goal.x - place.x, goal.y - place.y)

    @property
    def ready(self) -> bool:
        """The robot stands and nothing is pursued."""
        return self.state is State.IDLE and self.where.stands and self.world is not None

    def follow(self) -> str:
        """Set out. Raises BoaError where there is nothing to follow."""
        if not isinstance(self._phase, Planned):
            raise BoaError(f"no path to follow: the planner {self.state.value}; set a goal first")
        self._set_out(self._phase.onward)
        return "the robot sets out"

    def motion(self, progress: float, desired: float, rate: float) -> None:
        """Where the middle joint is on its path, m, and its desired and measured rate, m/s."""
        self.where.update(progress, desired, rate)

    def close(self) -> None:
        """End what is under way."""
        if isinstance(self._phase, Searching):
            self._phase.search.cancel()
        self._phase = Idle()

    def work(self) -> None:
        """Do what the phase calls for; call it now and then."""
        match self._phase:
            case Stopping() as phase:
                self._await_rest(phase)
            case Searching() as phase:
                self._await_path(phase)
            case SettingOut() as phase:
                self._await_departure(phase)
            case Travelling() as phase:
                self._await_arrival(phase)

    def _believe(self, obstacles: Sequence[Obstacle]) -> BelievedMap:
        """A map as it was given."""
        return BelievedMap(obstacles, self._ways.borne)

    def _pursue(self, goals: Iterable[Goal], then: Then, at_once: bool = False) -> Pursuit:
        """Pursue goals; `then`: to the first one."""
        pursuit = Pursuit(goals, at_once)
        self.require_sensible(pursuit.goals)
        self.pursuit.change(Change.REPLACE)
        self.pursuit = pursuit
        self._begin("the robot stops", then)
        return pursuit

    def _begin(self, why: str, then: Then = Then.SEARCH) -> None:
        """On to the present goal."""
        self._stop(f"goal {self.pursuit.goals[0]}: {why}", then)

    def _stop(self, line: str, then: Then) -> None:
        """Stop the robot; everything else follows once it stands."""
        departure = self._phase.request if isinstance(self._phase, SettingOut) else None
        self.close()
        self._sent, self._taken = None, False
        self.where.count_anew()
        until = self._around.time() + PATIENCE
        self._phase = Stopping(self._around.stop(), until, then, departure)
        self._around.say(line)

    def _await_rest(self, phase: Stopping) -> None:
        if phase.departure is not None:
            if phase.departure.answer is None:
                return
            # perhaps granted after the robot was told to stop
            phase.departure, phase.request = None, self._around.stop()
            self.where.count_anew()
        answer = phase.request.answer
        if answer is not None and not answer.done:
            self._give_up(f"refused: {answer.text}")
        elif answer is not None and self.where.stands:
            self._go_on(phase.then)
        elif self._around.time() >= phase.until:
            phase.until = self._around.time() + PATIENCE
            self._around.say("waits: the robot has not come to rest; does the plant run?")

    def _go_on(self, then: Then) -> None:
        """The robot stands."""
        assert self.world is not None  # without a map no goal is pursued
        self._version = self.world.version
        match then:
            case Then.SEARCH:
                self._search(self.world)
            case Then.STAY_ON:
                self._set_out_on(self._ways.as_planned(self.where))
            case Then.HOLD:
                self._end(Change.HOLD, self.pursuit.reason)
                self._around.say("cancelled; the robot holds where it is, waits for the next goal")

    def _search(self, world: BelievedMap) -> None:
        """A path to the present goal."""
        goal = self.pursuit.goals[0]
        self._searching(self._ways.search(self.where, world, goal, self._around.settings))

    def _searching(self, plan: Plan) -> None:
        """Begin a search."""
        report, progress = self._around.time() + REPORT, self.where.progress
        self._around.say(f"searches a path from where the robot lies, progress {progress:.3f} m")
        self._phase = Searching(self._around.search(plan), report)

    def _await_path(self, phase: Searching) -> None:
        search = phase.search
        if search.running:
            # a search tries ways that end farther away, too: nobody wants to read of those
            if self._around.time() >= phase.report and search.to_go < phase.nearest - NEARER:
                phase.report, phase.nearest = self._around.time() + REPORT, search.to_go
                self._around.say(f"searches, {search.to_go:.2f} m to the goal at best")
            return
        self._phase = Idle()
        if search.found is None:
            self._give_up(f"{search.reason}; the robot holds where it is")
        else:
            self._set_out_on(search.found)

    def _set_out_on(self, onward: Onward) -> None:
        """As soon as it may."""
        self._sent = onward
        self._around.publish(onward.new)
        self._phase = Planned(onward)
        at_once = self.pursuit.at_once or self._around.settings.follow
        self._around.say(f"found: {onward.summary}" + ("" if at_once else "; ~/follow sets out"))
        if at_once:
            self._set_out(onward)

    def _set_out(self, onward: Onward) -> None:
        self._phase = SettingOut(onward, self._around.time() + PATIENCE)

    def _await_departure(self, phase: SettingOut) -> None:
        """Request it of the controller until that has prepared the path."""
        now = self._around.time()
        if phase.request is None:
            if now >= phase.again:
                phase.request = self._around.depart()
            return
        answer = phase.request.answer
        if answer is None:
            return
        phase.request = None
        if answer.done:
            self._phase = Travelling(phase.onward)
            self.where.count_anew()
            self._around.say(f"under way: {answer.text}")
            return
        if answer.outcome is Outcome.BEING_CHECKED:  # however slow the computer is
            phase.until = now + PATIENCE
        if answer.waits and now < phase.until:
            phase.again = now + AGAIN
            if answer.text != phase.waits_for:
                phase.waits_for = answer.text
                self._around.say(f"waits: {answer.why}")
        elif self.pursuit.at_once:
            self._give_up(f"refused: {answer.text}")
        else:
            self._phase = Planned(phase.onward)
            self._around.say(f"refused: {answer.text}; ~/follow tries again")

    def _await_arrival(self, phase: Travelling) -> None:
        if not self._taken or not self.where.stands:
            return
        if self.where.progress >= phase.onward.end - NEAR_END:
            self._arrive()

    def _arrive(self) -> None:
        """The robot stands at the end of its path."""
        self.pursuit.goals.popleft()
        if self.pursuit.goals:
            self._begin("the next one; the robot has arrived at the last")
        else:
            self._end(Change.REACH)
            self._around.arrived()

    def _take(self, new: NewPath) -> None:
        """The controller is on a new path: places and numbers are those of it."""
        sent = None if self._sent is None else self._sent.new
        self._taken = sent is not None and sent.path.segments == new.path.segments
        full = sent if sent is not None and self._taken else new
        known, radius = self._experiment.obstacles, self._experiment.robot.link.radius
        self.where.go_over(full.path, numbered(full.planned(radius, known)))
        if self.world is not None:
            self.world.on_path(self.where.posts)

    def _give_up(self, line: str) -> None:
        """Nothing more can be done for this goal, and for those behind it."""
        self._end(Change.FAIL, line)
        self._around.say(line)

    def _end(self, change: Change, reason: str = "") -> None:
        """No goal is pursued any more."""
        self.close()
        self.pursuit.change(change, reason)
