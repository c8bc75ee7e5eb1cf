"""From a goal to a robot that has arrived: the states on the way, and what leads from one to the
next. Needs no ROS; who runs it has the robot, the search and the time.

    IDLE         waits for a goal
    STOPPING     the robot comes to rest
    SEARCHING    a path is searched from where it lies, on the map as it is believed to be
    PLANNED      waits for `follow`
    SETTING_OUT  the controller prepares the path
    TRAVELLING   under way; where a post is not there, or the controller stops after other news of
                 the map, a path from where the robot then lies is searched; without news it tries
                 the same path once more
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from boa_control.controllers.new_path import NewPath, recorded_new_path
from boa_control.experiments.believed_map import BelievedMap, numbered
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.journey_demands import map_error, route_settings, travel_settings
from boa_control.experiments.journey_parts import (
    Goal,
    Request,
    Search,
    State,
    Surroundings,
)
from boa_control.experiments.onward import Onward, end_of, once_more, plan_onward, stay_on
from boa_control.experiments.tour import Tour
from boa_control.interface import NOT_READY
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.paths.settings import SegmentPath
from boa_control.planning.post_map import check_distances, check_place, map_of
from boa_control.planning.search.region import Around
from boa_description.errors import BoaError
from boa_description.scene import Obstacle

REACH = 0.5  # m from a post, up to which a goal makes sense
STILL_SPEED, STILL_RATE = 2e-3, 5e-3  # m/s, desired and measured, of a robot that stands
STILL_TIME = 0.8  # s for which it must; the controller itself wants less
NEAR_END = 0.02  # m before the end of its path, where a robot that stands has arrived
PATIENCE = 60.0  # s in which the controller prepares a path, and in which the robot comes to rest
HALT_TIME = 5.0  # s in which a controller that has stopped may go on by itself
TRIED_WAY = 0.2  # m, within which there is no third try
AGAIN = 0.3  # s between two requests
REPORT = 1.0  # s between two lines of progress
BORNE = 2.0  # times map_error: a post that is found nearer to its place stays there on the map
LEAST_BORNE = 5e-3  # m, of the same
MISSING = re.compile(r"post (\d+) not there")
# how events begin after which the controller does not go on by itself
HALTED, LOST, RESET = "stopped:", "lost:", "reset to the first tick"
GOES_ON = ("slow:", "go:", "back:")  # how the first event of one begins that does
ARRIVED = "arrived; waits for the next goal"


class Journey:
    """Pursues goals one after the other.

    Attributes:
        state: see above.
        world: the map as believed; None until there is one.
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
        path = experiment.scenario.path
        if not isinstance(path, SegmentPath):
            raise BoaError(
                f"scenario {experiment.scenario.name}: the planner goes on from a path of kind "
                f"segments; make one with `boa plan path`"
            )
        self._experiment = experiment
        self._around = surroundings
        self._first = path
        self._given = obstacles
        self._std = std
        self.world: BelievedMap | None = None
        self._begin_anew()
        if obstacles is not None:
            self.take_map(obstacles)

    def _begin_anew(self) -> None:
        """The robot lies where the scenario begins."""
        self._path = self._first
        self._posts: Mapping[int, Obstacle] = dict(enumerate(self._experiment.obstacles))
        self._progress = float("nan")
        self._still_since: float | None = None
        self._goals: deque[Goal] = deque()
        self._goal: Goal | None = None
        self._onward: Onward | None = None
        self._halt = ""  # why the controller goes no further, although it should
        self._halted_at = math.nan  # when it stopped, s
        self._tried = math.nan  # where on the present path it was sent once more, m
        self._as_planned = False  # the present path leads to the goal
        self._taken = False  # the controller is on the path of `_onward`
        self._version = -1  # of the map on which was searched last
        self._search: Search | None = None
        self._request: Request | None = None
        self._next = self._until = 0.0
        self._waits_for = ""  # what the controller is not ready for
        self.state = State.IDLE

    # what comes from outside

    def take_map(self, obstacles: Sequence[Obstacle]) -> None:
        """A map, instead of what was believed before.

        Raises:
            BoaError: posts that overlap or are far apart.
        """
        check_distances(map_of(obstacles, "map"), "map")
        self._given = tuple(obstacles)
        borne = max(BORNE * map_error(self._experiment, self._std), LEAST_BORNE)
        self.world = BelievedMap(obstacles, borne)
        self.world.on_path(self._posts)
        self._version = -1  # nothing was searched on this map
        if self._halt and self.state is State.TRAVELLING:
            self._halted(self._halt)

    def go(self, goals: Iterable[Goal]) -> None:
        """Pursue these goals in turn, instead of others. The robot stops.

        Raises:
            BoaError: no map yet, or a goal where no post is near, or inside one.
        """
        goals = deque(goals)
        self.require_sensible(goals)
        self._goals = goals
        self._begin(goals.popleft(), "the robot stops")

    def goals_of(self, tour: Tour) -> list[Goal]:
        """The targets of a tour; where it has none, the end of the path on which the robot lies.
        Raises BoaError: neither targets nor an end.
        """
        return [Goal(x, y) for x, y in tour.targets or (end_of(self._path),)]

    def visit(self, tour: Tour) -> None:
        """Pursue the targets of a tour. Without any, travel to the end of the path on which the
        robot lies, and plan another way there where the map turns out to be wrong.

        Raises:
            BoaError: as `goals_of` and `go`.
        """
        self.go(self.goals_of(tour))
        self._as_planned = not tour.targets

    def require_sensible(self, goals: Iterable[Goal]) -> None:
        """Refuse goals without a map, inside a post or near none. Raises BoaError."""
        if self.world is None:
            raise BoaError("goal: there is no map yet; publish one, or start with map:=FILE")
        posts = map_of(self.world.obstacles, "map")
        for goal in goals:
            check_place(posts, "goal", goal.x, goal.y, REACH)

    @property
    def ready(self) -> bool:
        """The robot stands and nothing is pursued."""
        return self.state is State.IDLE and self._stands and self.world is not None

    def follow(self) -> str:
        """Set out. Raises BoaError where there is nothing to follow."""
        if self.state is not State.PLANNED:
            raise BoaError(f"no path to follow: the planner {self.state.value}; set a goal first")
        self._set_out()
        return "the robot sets out"

    def motion(self, progress: float, desired: float, rate: float) -> None:
        """Where the middle joint is on its path, m, and its desired and measured rate, m/s."""
        self._progress = progress
        if not (abs(desired) <= STILL_SPEED and abs(rate) <= STILL_RATE):
            self._still_since = None
        elif self._still_since is None:
            self._still_since = self._around.time()

    def corrected(self, posts: CorrectedMap) -> None:
        """The robot has news of the map; it may come only after the robot has stopped for it."""
        if self.world is not None:
            self.world.correct(posts)
        if self._halt and self.state is State.TRAVELLING:
            self._halted(self._halt)

    def event(self, text: str) -> None:
        """An event of the controller."""
        new = recorded_new_path(text)
        missing = MISSING.fullmatch(text)
        if new is not None:
            self._take(new)
        elif missing is not None:
            self._missed(int(missing.group(1)), text)
        elif text.startswith("new path refused"):
            self._give_up(text)
        elif text.startswith(LOST) and self.state is not State.IDLE:
            self._give_up(f"{text}; free the robot and start again")
        elif text.startswith(HALTED) and self.state is State.TRAVELLING:
            self._halted(text)
        elif text.startswith(GOES_ON):
            self._halt = ""

    def restarted(self) -> None:
        """The robot lies where the scenario begins, and knows nothing."""
        self._cancel()
        self._begin_anew()
        if self._given is not None:
            self.take_map(self._given)
        self._around.say("the run begins anew; waits for a goal")

    def close(self) -> None:
        """End what is under way."""
        self._cancel()

    # states

    def work(self) -> None:
        """Do what the state calls for; call it now and then."""
        work = {
            State.STOPPING: self._await_rest,
            State.SEARCHING: self._await_path,
            State.SETTING_OUT: self._await_departure,
            State.TRAVELLING: self._await_arrival,
        }.get(self.state)
        if work is not None:
            work()

    def _begin(self, goal: Goal, why: str) -> None:
        """Stop the robot; everything else follows once it stands."""
        self._cancel()
        self._goal, self._onward, self._taken = goal, None, False
        self._as_planned = False
        self._halt = ""
        self._still_since = None
        self._request = self._around.stop()
        self._until = self._around.time() + PATIENCE
        self.state = State.STOPPING
        self._around.say(f"goal {goal}: {why}")

    def _await_rest(self) -> None:
        assert self._request is not None and self._goal is not None and self.world is not None
        answer = self._request.answer
        if answer is not None and not answer.done:
            self._give_up(f"refused: {answer.text}")
        elif answer is None or not self._stands:
            self._warn_of_waiting("the robot has not come to rest; does the plant run?")
        else:
            self._begin_search(self._goal, self.world)

    def _begin_search(self, goal: Goal, world: BelievedMap) -> None:
        path, progress, robot = self._path, self._progress, self._experiment.robot
        wishes, travel = self._around.settings, travel_settings(self._experiment, self._std)
        if self._as_planned:
            self._as_planned = False
            self._version = world.version
            self._set_out_on(stay_on(path, progress, robot, travel.speed))
            return
        settings = route_settings(self._experiment, wishes, self._std, world.doubtful)
        obstacles, back, radius = world.obstacles, wishes.back, wishes.radius

        def plan(report: Callable[[float], None]) -> Onward:
            around = Around(goal.x, goal.y, radius)
            return plan_onward(
                path, progress, obstacles, robot, around, travel, settings, back=back, report=report
            )

        self._version = world.version
        self.state = State.SEARCHING
        self._next = self._around.time() + REPORT
        self._around.say(f"searches a path from where the robot lies, progress {progress:.3f} m")
        self._search = self._around.search(plan)

    def _await_path(self) -> None:
        search = self._search
        assert search is not None
        if search.running:
            if self._around.time() >= self._next and math.isfinite(search.to_go):
                self._next = self._around.time() + REPORT
                self._around.say(f"searches, {search.to_go:.2f} m to the goal")
            return
        self._search = None
        if search.found is None:
            self._give_up(f"{search.reason}; the robot holds where it is")
            return
        self._set_out_on(search.found)

    def _set_out_on(self, onward: Onward) -> None:
        """As soon as it may."""
        self._onward = onward
        self._around.publish(onward.new)
        self.state = State.PLANNED
        self._around.say(f"found: {onward.summary}; ~/follow sets out")
        if self._around.settings.follow:
            self._set_out()

    def _set_out(self) -> None:
        self.state = State.SETTING_OUT
        self._request, self._next, self._waits_for = None, 0.0, ""
        self._until = self._around.time() + PATIENCE

    def _await_departure(self) -> None:
        """Request it of the controller until that has prepared the path."""
        now = self._around.time()
        if self._request is None:
            if now >= self._next:
                self._request = self._around.depart()
            return
        answer = self._request.answer
        if answer is None:
            return
        self._request = None
        if answer.done:
            self.state = State.TRAVELLING
            self._still_since = None
            self._around.say(f"under way: {answer.text}")
        elif answer.text.startswith(NOT_READY) and now < self._until:
            self._next = now + AGAIN
            if answer.text != self._waits_for:
                self._waits_for = answer.text
                self._around.say(f"waits: {answer.text}")
        else:
            self.state = State.PLANNED
            self._around.say(f"refused: {answer.text}; ~/follow tries again")

    def _await_arrival(self) -> None:
        if self._onward is None or not self._taken:
            return
        if self._halt and self._stands and self._around.time() >= self._halted_at + HALT_TIME:
            self._try_again()
            return
        if not (self._stands and self._progress >= self._onward.end - NEAR_END):
            return
        if self._goals:
            self._begin(self._goals.popleft(), "the next one; the robot has arrived at the last")
        else:
            self._give_up(ARRIVED)

    def _missed(self, number: int, text: str) -> None:
        """A post is not there. Whether the others hold the robot all along nobody has checked."""
        if self.world is None:
            return
        self.world.remove(number)
        news = self.world.version != self._version  # perhaps by the corrected map already
        if news and self.state is State.TRAVELLING and self._around.settings.replan:
            self._plan_again(text)

    def _halted(self, text: str) -> None:
        """The controller goes no further. Only a map that has changed leads elsewhere."""
        assert self.world is not None
        if self.world.version == self._version:
            if not self._halt:
                self._halted_at = self._around.time()
            self._halt = text  # it may go on by itself, slowly
            return
        self._plan_again(text)

    def _try_again(self) -> None:
        """Nothing is known that would lead elsewhere: once more, slowly, from further back."""
        assert self._onward is not None
        if not self._around.settings.replan or abs(self._progress - self._tried) < TRIED_WAY:
            self._give_up(f"{self._halt}; the robot holds where it is")
            return
        self._around.say(f"tries again: {self._halt}")
        self._tried, self._halt = self._progress, ""
        robot, speed = self._experiment.robot, self._onward.new.speed
        self._set_out_on(once_more(self._path, self._progress, robot, speed))

    def _plan_again(self, text: str) -> None:
        assert self._goal is not None
        if self._around.settings.replan:
            self._begin(self._goal, f"plans again with the corrected map: {text}")
        else:
            self._give_up(f"{text}; the map is corrected, set a goal to go on")

    # means

    def _take(self, new: NewPath) -> None:
        """The controller is on a new path: places and numbers are those of it."""
        sent = None if self._onward is None else self._onward.new
        self._taken = sent is not None and sent.path.segments == new.path.segments
        known = self._experiment.obstacles
        radius = self._experiment.robot.link.radius
        full = sent if sent is not None and self._taken else new
        before = self._path
        self._path, self._progress, self._still_since = full.path, float("nan"), None
        self._posts = numbered(full.planned(radius, known))
        if full.path != before:
            self._tried = math.nan
        if self.world is not None:
            self.world.on_path(self._posts)

    def _give_up(self, line: str) -> None:
        """Nothing more to do for this goal, and for those behind it."""
        self._cancel()
        self._goals.clear()
        self.state = State.IDLE
        self._around.say(line)

    def _cancel(self) -> None:
        if self._search is not None:
            self._search.cancel()
        self._search = self._request = None

    def _warn_of_waiting(self, line: str) -> None:
        if self._around.time() >= self._until:
            self._until = self._around.time() + PATIENCE
            self._around.say(f"waits: {line}")

    @property
    def _stands(self) -> bool:
        since = self._still_since
        return since is not None and self._around.time() - since >= STILL_TIME
