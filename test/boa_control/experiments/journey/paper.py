# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot and searches of paper: what surrounds a journey does what a test says."""

from __future__ import annotations

from boa_control.controllers.new_path import NewPath, new_path_event
from boa_control.events import Event, EventKind
from boa_control.experiments.experiment import prepare
from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.onward import Onward
from boa_control.experiments.journey.parts import Goal, JourneySettings, State
from boa_control.experiments.library import load_scenario
from boa_control.messages.answers import Answer, Outcome

EXPERIMENT = prepare(load_scenario("boa_random_field"))
PATH = EXPERIMENT.scenario.path
END = 4.0  # m, of every path that is found
GOAL = Goal(2.9, 1.6)
FOUND = Onward(NewPath(path=PATH, leaves=1.0, progress=1.0, speed=0.1), END, 0.0, "a path")


class PaperRequest:
    def __init__(self, answer: Answer | None) -> None:
        self.answer = answer


class PaperSearch:
    """Runs until the test says what was found."""

    def __init__(self) -> None:
        self.running, self.cancelled = True, False
        self.found: Onward | None = None
        self.reason, self.to_go = "", 1.5

    def cancel(self) -> None:
        self.cancelled = True

    def end(self, found: Onward | None, reason: str = "") -> None:
        self.running, self.found, self.reason = False, found, reason


class Paper:
    """The surroundings of a journey. Attributes named as what is answered next."""

    def __init__(self) -> None:
        self.settings = JourneySettings(follow=True)
        self.now = 100.0
        self.stop_answer: Answer | None = Answer(Outcome.DONE, "stopped")
        self.follow_answer: Answer | None = Answer(Outcome.DONE, "on the new path")
        self.searches: list[PaperSearch] = []
        self.published: list[NewPath] = []
        self.lines: list[str] = []
        self.requests: list[PaperRequest] = []  # to depart
        self.stops = self.follows = 0

    def time(self) -> float:
        return self.now

    def stop(self) -> PaperRequest:
        self.stops += 1
        return PaperRequest(self.stop_answer)

    def depart(self) -> PaperRequest:
        self.follows += 1
        self.requests.append(PaperRequest(self.follow_answer))
        return self.requests[-1]

    def search(self, plan: object) -> PaperSearch:
        self.searches.append(PaperSearch())
        return self.searches[-1]

    def publish(self, new: NewPath) -> None:
        self.published.append(new)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def arrived(self) -> None:
        self.lines.append("arrived")


def absent(post: int) -> Event:
    """A post is not there."""
    return Event(kind=EventKind.POST_ABSENT, post=post)


def supervised(state: str, why: str) -> Event:
    """How far the controller trusts the map."""
    return Event(kind=EventKind.SUPERVISION, state=state, note=why, place=(1.0, 2.0))


def stand(journey: Journey, paper: Paper, progress: float = 1.0) -> None:
    """The robot stands for a while."""
    for _ in range(12):
        paper.now += 0.1
        journey.motion(progress, 0.0, 0.0)
        journey.work()


def travel(journey: Journey, paper: Paper, on: Onward = FOUND, goal: Goal = GOAL) -> None:
    """From a goal to a robot under way."""
    journey.go([goal])
    stand(journey, paper)
    paper.searches[-1].end(on)
    for _ in range(3):
        journey.work()
    assert journey.state is State.TRAVELLING
    journey.event(new_path_event(on.new))
