# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The phases of a journey, each with what lasts as long as it does. Times are those of its
surroundings, s.
"""

import math
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from boa_control.events import Event
from boa_control.experiments.journey.onward import Onward
from boa_control.experiments.journey.parts import Request, Search, State


@dataclass(slots=True)
class Idle:
    """Nothing is pursued."""

    state: ClassVar = State.IDLE


class Then(Enum):
    """What a robot does that has come to rest."""

    SEARCH = "a path from where it lies"
    STAY_ON = "go on along the path on which it lies"
    HOLD = "hold; nothing is pursued any more"


@dataclass(slots=True)
class Stopping:
    """The robot comes to rest.

    Attributes:
        request: to stop.
        until: when somebody is told that it still does not stand.
        then: what follows.
        departure: the controller may still grant it.
    """

    state: ClassVar = State.STOPPING
    request: Request
    until: float
    then: Then
    departure: Request | None = None


@dataclass(slots=True)
class Searching:
    """A path is searched.

    Attributes:
        search: that is under way.
        report: when its progress is told.
        nearest: to the goal, as people were told, m.
    """

    state: ClassVar = State.SEARCHING
    search: Search
    report: float
    nearest: float = math.inf


@dataclass(slots=True)
class Planned:
    """There is a path; `follow` sets out.

    Attributes:
        onward: the path.
    """

    state: ClassVar = State.PLANNED
    onward: Onward


@dataclass(slots=True)
class SettingOut:
    """The controller prepares the path.

    Attributes:
        onward: the path.
        until: how long the request is repeated.
        again: when it is made next.
        request: to go over to the path; None: none under way.
        waits_for: what the controller is not ready for, as people were told.
    """

    state: ClassVar = State.SETTING_OUT
    onward: Onward
    until: float
    again: float = 0.0
    request: Request | None = None
    waits_for: str = ""


@dataclass(slots=True)
class Travelling:
    """Under way.

    Attributes:
        onward: the path.
        halt: why the controller goes no further, although it should; None while it does.
        halted_at: when it stopped.
    """

    state: ClassVar = State.TRAVELLING
    onward: Onward
    halt: Event | None = None
    halted_at: float = math.nan


Phase = Idle | Stopping | Searching | Planned | SettingOut | Travelling
