# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
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
from collections import deque
from collections.abc import Iterable, Sequence

from boa_control.controllers.new_path import NewPath, read_new_path
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind, SupervisionState
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.journey.believed_map import BelievedMap, numbered
from boa_control.experiments.journey.onward import Onward, end_of
from boa_control.experiments.journey.parts import Goal, Plan, State, Surroundings
from boa_control.experiments.journey.phases import (
    Idle,
    Phase,
    Planned,
    Searching,
    SettingOut,
    Stopping,
    Travelling,
)
from boa_control.experiments.journey.ways_on import WaysOn
from boa_control.experiments.journey.whereabouts import Whereabouts
from boa_control.experiments.tour import Tour
from boa_control.messages.answers import Outcome
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.paths.settings import SegmentPath
from boa_control.planning.post_map import check_distances, check_place, map_of
from boa_description.errors import BoaError
from boa_description.scene import Obstacle

REACH = 0.5  # m from a post, up to which a goal makes sense
NEAR_END = 0.02  # m before the end of its path, where a robot that stands has arrived
PATIENCE = 60.0  # s in which the robot comes to rest
HALT_TIME = 5.0  # s in which a controller that has stopped may go on by itself
TRIED_WAY = 0.2  # m, within which there is no third try
AGAIN = 0.3  # s between two requests
REPORT = 1.0  # s between two lines of progress


class Journey:
    """Pursues goals one after the other.

    Attributes:
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
        self._ways = WaysOn(experiment, std)
        self.world: BelievedMap | None = None
        self._begin_anew()
        if obstacles is not None:
            self.take_map(obstacles)

    def _begin_anew(self) -> None:
        """The robot lies where the scenario begins."""
        posts = dict(enumerate(self._experiment.obstacles))
        self._where = Whereabouts(self._first, posts, self._around.time)
        self._goals: deque[Goal] = deque()  # the present one and those after it
        self._sent: Onward | None = None  # published last, for the present goal
        self._taken = False  # the controller is on its path
        self._tried = math.nan  # where on the present path it was sent once more, m
        self._version = -1  # of the map on which was searched last
        self._phase: Phase = Idle()

    @property
    def state(self) -> State:
        """See above."""
        return self._phase.state

    # what comes from outside

    def take_map(self, obstacles: Sequence[Obstacle]) -> None:
        """A map, instead of what was believed before.

        Raises:
            BoaError: posts that overlap or are far apart.
        """
        check_distances(map_of(obstacles, "map"), "map")
        self._given = tuple(obstacles)
        self.world = self._believe(obstacles)
        self.world.on_path(self._where.posts)
        self._version = -1  # nothing was searched on this map
        self._use_news()

    def go(self, goals: Iterable[Goal]) -> None:
        """Pursue these goals in turn, instead of others. The robot stops.

        Raises:
            BoaError: no map yet, or a goal where no post is near, or inside one.
        """
        self._pursue(goals, stay=False)

    def goals_of(self, tour: Tour) -> list[Goal]:
        """The targets of a tour; where it has none, the end of the path on which the robot lies.
        Raises BoaError: neither targets nor an end.
        """
        return [Goal(x, y) for x, y in tour.targets or (end_of(self._where.path),)]

    def visit(self, tour: Tour) -> None:
        """Pursue the targets of a tour. Without any, travel to the end of the path on which the
        robot lies, and plan another way there where the map turns out to be wrong.

        Raises:
            BoaError: as `goals_of` and `go`.
        """
        self._pursue(self.goals_of(tour), stay=not tour.targets)

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
        return self.state is State.IDLE and self._where.stands and self.world is not None

    def follow(self) -> str:
        """Set out. Raises BoaError where there is nothing to follow."""
        if not isinstance(self._phase, Planned):
            raise BoaError(f"no path to follow: the planner {self.state.value}; set a goal first")
        self._set_out(self._phase.onward)
        return "the robot sets out"

    def motion(self, progress: float, desired: float, rate: float) -> None:
        """Where the middle joint is on its path, m, and its desired and measured rate, m/s."""
        self._where.update(progress, desired, rate)

    def corrected(self, posts: CorrectedMap) -> None:
        """The robot has news of the map; it may come only after the robot has stopped for it."""
        if self.world is not None:
            self.world.correct(posts)
        self._use_news()

    def event(self, event: Event) -> None:
        """An event of the controller."""
        match event.kind:
            case EventKind.NEW_PATH:
                self._take(read_new_path(event.record or ""))
            case EventKind.POST_ABSENT:
                self._missed(event)
            case EventKind.NEW_PATH_REFUSED:
                self._give_up(text_of(event))
            case EventKind.SUPERVISION:
                self._supervised(event)

    def restarted(self) -> None:
        """The robot lies where the scenario begins, and knows nothing."""
        self.close()
        self._begin_anew()
        if self._given is not None:
            self.take_map(self._given)
        self._around.say("the run begins anew; waits for a goal")

    def close(self) -> None:
        """End what is under way."""
        if isinstance(self._phase, Searching):
            self._phase.search.cancel()
        self._phase = Idle()

    def _believe(self, obstacles: Sequence[Obstacle]) -> BelievedMap:
        """A map as it was given."""
        return BelievedMap(obstacles, self._ways.borne)

    # phases

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

    def _pursue(self, goals: Iterable[Goal], stay: bool) -> None:
        """Pursue goals; to the first one along the present path, if it shall `stay` on it."""
        goals = deque(goals)
        self.require_sensible(goals)
        self._goals = goals
        self._begin("the robot stops", stay)

    def _begin(self, why: str, stay: bool = False) -> None:
        """Stop the robot; everything else follows once it stands."""
        self.close()
        self._sent, self._taken = None, False
        self._where.count_anew()
        until = self._around.time() + PATIENCE
        self._phase = Stopping(self._around.stop(), until, stay)
        self._around.say(f"goal {self._goals[0]}: {why}")

    def _await_rest(self, phase: Stopping) -> None:
        answer = phase.request.answer
        if answer is not None and not answer.done:
            self._give_up(f"refused: {answer.text}")
        elif answer is not None and self._where.stands:
            assert self.world is not None  # without a map no goal is pursued
            self._version = self.world.version
            if phase.stay:
                self._set_out_on(self._ways.as_planned(self._where))
            else:
                self._search(self.world)
        elif self._around.time() >= phase.until:
            phase.until = self._around.time() + PATIENCE
            self._around.say("waits: the robot has not come to rest; does the plant run?")

    def _search(self, world: BelievedMap) -> None:
        """A path to the present goal."""
        self._searching(
            self._ways.search(self._where, world, self._goals[0], self._around.settings)
        )

    def _searching(self, plan: Plan) -> None:
        """Begin a search."""
        report, progress = self._around.time() + REPORT, self._where.progress
        self._around.say(f"searches a path from where the robot lies, progress {progress:.3f} m")
        self._phase = Searching(self._around.search(plan), report)

    def _await_path(self, phase: Searching) -> None:
        search = phase.search
        if search.running:
            if self._around.time() >= phase.report and math.isfinite(search.to_go):
                phase.report = self._around.time() + REPORT
                self._around.say(f"searches, {search.to_go:.2f} m to the goal")
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
        self._around.say(f"found: {onward.summary}; ~/follow sets out")
        if self._around.settings.follow:
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
            self._where.count_anew()
            self._around.say(f"under way: {answer.text}")
            return
        if answer.outcome is Outcome.BEING_CHECKED:  # however slow the computer is
            phase.until = now + PATIENCE
        if answer.waits and now < phase.until:
            phase.again = now + AGAIN
            if answer.text != phase.waits_for:
                phase.waits_for = answer.text
                self._around.say(f"waits: {answer.text}")
        else:
            self._phase = Planned(phase.onward)
            self._around.say(f"refused: {answer.text}; ~/follow tries again")

    def _await_arrival(self, phase: Travelling) -> None:
        if not self._taken or not self._where.stands:
            return
        if phase.halt is not None and self._around.time() >= phase.halted_at + HALT_TIME:
            self._try_again(phase, phase.halt)
        elif self._where.progress >= phase.onward.end - NEAR_END:
            self._arrive()

    def _arrive(self) -> None:
        """The robot stands at the end of its path."""
        self._goals.popleft()
        if self._goals:
            self._begin("the next one; the robot has arrived at the last")
        else:
            self._end()
            self._around.arrived()

    def _missed(self, event: Event) -> None:
        """A post is not there. Whether the others hold the robot all along nobody has checked."""
        if self.world is None or event.post is None:
            return
        self.world.remove(event.post)
        news = self.world.version != self._version  # perhaps by the corrected map already
        if news and self.state is State.TRAVELLING and self._around.settings.replan:
            self._plan_again(event)

    def _supervised(self, event: Event) -> None:
        """How far the controller trusts the map that it travels by."""
        phase = self._phase
        if event.state == SupervisionState.LOST:
            if not isinstance(phase, Idle):
                self._give_up(f"{text_of(event)}; free the robot and start again")
        elif isinstance(phase, Travelling) and event.state == SupervisionState.STOPPED:
            self._halted(phase, event)
        elif isinstance(phase, Travelling):  # it goes on by itself
            phase.halt = None

    def _use_news(self) -> None:
        """The map may have changed while the controller goes no further."""
        phase = self._phase
        if isinstance(phase, Travelling) and phase.halt is not None:
            self._halted(phase, phase.halt)

    def _halted(self, phase: Travelling, event: Event) -> None:
        """The controller goes no further. Only a map that has changed leads elsewhere."""
        assert self.world is not None
        if self.world.version == self._version:
            if phase.halt is None:
                phase.halted_at = self._around.time()
            phase.halt = event  # it may go on by itself, slowly
            return
        self._plan_again(event)

    def _try_again(self, phase: Travelling, halt: Event) -> None:
        """Nothing is known that would lead elsewhere: once more, slowly, from further back."""
        progress = self._where.progress
        if not self._around.settings.replan or abs(progress - self._tried) < TRIED_WAY:
            self._give_up(f"{text_of(halt)}; the robot holds where it is")
            return
        self._around.say(f"tries again: {text_of(halt)}")
        self._tried = progress
        self._set_out_on(self._ways.once_more(self._where, phase.onward.new.speed))

    def _plan_again(self, event: Event) -> None:
        text = text_of(event)
        if self._around.settings.replan:
            self._begin(f"plans again with the corrected map: {text}")
        else:
            self._give_up(f"{text}; the map is corrected, set a goal to go on")

    # means

    def _take(self, new: NewPath) -> None:
        """The controller is on a new path: places and numbers are those of it."""
        sent = None if self._sent is None else self._sent.new
        self._taken = sent is not None and sent.path.segments == new.path.segments
        full = sent if sent is not None and self._taken else new
        if full.path != self._where.path:
            self._tried = math.nan
        known, radius = self._experiment.obstacles, self._experiment.robot.link.radius
        self._where.go_over(full.path, numbered(full.planned(radius, known)))
        if self.world is not None:
            self.world.on_path(self._where.posts)

    def _give_up(self, line: str) -> None:
        """Nothing more can be done for this goal, and for those behind it."""
        self._end()
        self._around.say(line)

    def _end(self) -> None:
        """No goal is pursued any more."""
        self.close()
        self._goals.clear()
