# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests to a running controller: a speed, forces, stop and start. Needs no ROS.

A stop by hand lasts until it is taken back by hand. Planners hold the robot while they search, and
may go on with what they have found; both may hold it at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from boa_control.controller import Controller, SetPoint, Steerable, is_steerable
from boa_control.controllers.following import FollowingController
from boa_control.controllers.new_path import NewPath
from boa_control.events import Event, EventKind
from boa_control.messages.answers import not_ready
from boa_description.errors import BoaError

SECOND = 1_000_000_000  # ns
UNKNOWN = SetPoint(float("nan"), float("nan"), float("nan"))


class Operator(Protocol):
    """Requests to a controller. Each raises BoaError with the reason where it is refused, and then
    nothing has changed.
    """

    @property
    def set_point(self) -> SetPoint:
        """The present one; NaN where the controller takes none."""

    def change(self, values: Mapping[str, float]) -> None:
        """Set lasting values: `speed`, `force`, `force_floor`."""

    def speed(self, value: float) -> None:
        """Set the speed, m/s; it has to be repeated where there is a time-out."""

    def start(self) -> str:
        """Go on after `stop` with the speed of before."""

    def stop(self) -> str:
        """Stop and hold until `start`; nothing else moves the robot."""

    def hold(self) -> str:
        """Stop and hold until `follow` or `start`."""

    def follow(self, new: NewPath, tables: Any) -> str:
        """Go over to a new path, and go on after `hold`; see `FollowingController.follow`."""

    def tick(self, stamp_ns: int, /) -> Event | None:
        """Called before every step; returns what has changed by itself."""

    def reset(self) -> None:
        """The controller starts a new run: back to the lasting values."""


class SetPointOperator:
    """The operator of a steerable controller."""

    def __init__(self, controller: Steerable, timeout: float = 0.0) -> None:
        """`timeout`: s without a new speed after which the robot stops; 0: the last one stays."""
        self._controller = controller
        self._timeout_ns = round(timeout * SECOND)
        self._lasting = controller.set_point
        self._resume: float | None = None  # speed to go on with after a stop, m/s
        self._stopped = self._held = False  # by hand; for a new path
        self._fresh = False  # a speed has come since the last tick
        self._heard_ns: int | None = None  # the first tick with the speed that came last

    @property
    def set_point(self) -> SetPoint:
        """The present one."""
        return self._controller.set_point

    def change(self, values: Mapping[str, float]) -> None:
        """Set lasting values; they are those of a new run, too."""
        if self._resume is not None and "speed" in values:
            raise BoaError("stopped; call ~/start before a new speed")
        self._controller.steer(replace(self.set_point, **values))
        self._lasting = replace(self._lasting, **values)
        if "speed" in values:
            self._expect_nothing()

    def speed(self, value: float) -> None:
        """Set the speed, m/s."""
        if self._resume is not None:
            raise BoaError(f"speed {value:g} m/s: stopped; call ~/start before a new speed")
        self._controller.steer(replace(self.set_point, speed=value))
        self._fresh = True

    def start(self) -> str:
        """Go on after `stop`; where that came while held for a new path, it is still held."""
        if self._resume is None:
            raise BoaError(f"not stopped; the speed is {self.set_point.speed:g} m/s")
        if self._stopped and self._held:
            self._stopped = False
            return "no longer stopped; holding for a new path until ~/follow or ~/start"
        self._steer(self._resume)
        self._released()
        return f"started with {self.set_point.speed:g} m/s"

    def stop(self) -> str:
        """Stop and hold."""
        self._stopped = True
        self._come_to_rest()
        return "stopped; holding until ~/start"

    def hold(self) -> str:
        """Stop for a new path."""
        self._held = True
        self._come_to_rest()
        return "stopped; holding until ~/follow or ~/start"

    def follow(self, new: NewPath, tables: Any) -> str:
        """Go over to a new path, and go on after `hold`."""
        if self._stopped:
            raise BoaError(not_ready("stopped by hand; call ~/start").text)
        if not isinstance(self._controller, FollowingController):
            raise BoaError("this controller cannot go over to another path")
        if new.speed is None and self._resume is not None and self._resume > 0.0:
            new = new.model_copy(update={"speed": self._resume})
        answer = self._controller.follow(new, tables)
        self._released()
        self._expect_nothing()
        return answer

    def tick(self, stamp_ns: int, /) -> Event | None:
        """Keep the robot stopped, and stop it when its speed has not been repeated."""
        if self._resume is not None and self.set_point.speed != 0.0:
            self._resume = self.set_point.speed  # of the scenario's plan: for later
            self._steer(0.0)
        if self._fresh:
            self._fresh, self._heard_ns = False, stamp_ns
        if not self._timeout_ns or self._heard_ns is None:
            return None
        silence = stamp_ns - self._heard_ns
        if silence <= self._timeout_ns:
            return None
        self._expect_nothing()
        self._steer(0.0)
        return Event(kind=EventKind.SPEED_TIMEOUT, value=silence / SECOND)

    def reset(self) -> None:
        """Back to the lasting values, not stopped."""
        self._released()
        self._expect_nothing()
        self._controller.steer(self._lasting)

    def _come_to_rest(self) -> None:
        if self._resume is None:
            self._resume = self.set_point.speed
        self._steer(0.0)
        self._expect_nothing()

    def _released(self) -> None:
        self._resume = None
        self._stopped = self._held = False

    def _expect_nothing(self) -> None:
        """No speed has to be repeated."""
        self._fresh = False
        self._heard_ns = None

    def _steer(self, speed: float) -> None:
        self._controller.steer(replace(self.set_point, speed=speed))


class NoOperator:
    """The operator of a controller that takes no set-points: refuses everything in one line."""

    def __init__(self, name: str) -> None:
        """`name` of the controller."""
        self._refusal = f"controller {name} takes no set-points while it runs"

    @property
    def set_point(self) -> SetPoint:
        """Not known."""
        return UNKNOWN

    def change(self, values: Mapping[str, float]) -> None:
        """Refused."""
        raise BoaError(f"{', '.join(values)}: {self._refusal}")

    def speed(self, value: float) -> None:
        """Refused."""
        raise BoaError(f"speed {value:g} m/s: {self._refusal}")

    def start(self) -> str:
        """Refused."""
        raise BoaError(self._refusal)

    def stop(self) -> str:
        """Refused."""
        raise BoaError(self._refusal)

    def hold(self) -> str:
        """Refused."""
        raise BoaError(self._refusal)

    def follow(self, new: NewPath, tables: Any) -> str:  # noqa: ARG002
        """Refused."""
        raise BoaError(self._refusal)

    def tick(self, _: int, /) -> Event | None:
        """Nothing changes."""
        return None

    def reset(self) -> None:
        """Nothing to forget."""


def operator_of(controller: Controller, name: str, timeout: float = 0.0) -> Operator:
    """The operator of a controller with this name. `timeout` as in `SetPointOperator`."""
    if is_steerable(controller):
        return SetPointOperator(controller, timeout)
    return NoOperator(name)
