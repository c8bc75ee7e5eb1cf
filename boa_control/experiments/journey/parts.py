# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parts of a journey, and the services that it needs of those who run it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from boa_control.controllers.new_path import NewPath
from boa_control.experiments.journey.onward import Onward
from boa_control.messages.answers import Answer


class State(Enum):
    """The present work of a journey."""

    IDLE = "waits for a goal"
    STOPPING = "waits until the robot has come to rest"
    SEARCHING = "searches"
    PLANNED = "has a path, waits for ~/follow"
    SETTING_OUT = "waits until the controller has prepared the path"
    TRAVELLING = "is under way"


class Goal(NamedTuple):
    """Where the head shall come, m."""

    x: float
    y: float

    def __str__(self) -> str:
        return f"({self.x:.2f}, {self.y:.2f})"


class Request(Protocol):
    """A request to the controller that is under way."""

    @property
    def answer(self) -> Answer | None:
        """None as long as there is none; a request that nobody answers is refused at last."""


class Search(Protocol):
    """A search that is under way."""

    @property
    def found(self) -> Onward | None:
        """The result; None while it runs, or where there is none."""

    @property
    def reason(self) -> str:
        """Why there is none."""

    @property
    def to_go(self) -> float:
        """To the goal, of what has been searched, m; NaN where that is not known."""

    @property
    def running(self) -> bool:
        """Neither found nor refused yet."""

    def cancel(self) -> None:
        """Nobody waits for it any more."""


Plan = Callable[[Callable[[float], None]], Onward]
"""A search to be made; it gets what it shall call with the distance to the goal, m."""


@dataclass(frozen=True, slots=True)
class JourneySettings:
    """How goals are pursued.

    Attributes:
        seconds: that a search may take.
        radius: of a goal: the head comes at least as near, m.
        back: that the robot may go back before a new path begins, m.
        follow: every path that is found, without being told to.
        replan: where posts do not stand as the map says and the robot stops.
        refine: s of them for better paths; None: a share.
        clock: that counts these seconds.
    """

    seconds: float = 20.0
    radius: float = 0.3
    back: float = 0.8
    follow: bool = False
    replan: bool = True
    refine: float | None = None
    clock: Callable[[], float] = time.monotonic


class Surroundings(Protocol):
    """The services that a journey needs of those who run it."""

    @property
    def settings(self) -> JourneySettings:
        """The present ones."""

    def time(self) -> float:
        """s, from whenever."""

    def stop(self) -> Request:
        """Stop the robot, which holds its posts."""

    def depart(self) -> Request:
        """Go over to the path that was published last."""

    def search(self, plan: Plan) -> Search:
        """Begin a search."""

    def publish(self, new: NewPath) -> None:
        """Give the path to the controller, which prepares it."""

    def say(self, line: str) -> None:
        """Tell people."""

    def arrived(self) -> None:
        """The robot has arrived at the last goal, of which people are told."""
