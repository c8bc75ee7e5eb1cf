# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller of a run that takes new paths, by a plan or from outside; each is recorded as an
event.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from boa_control.controller import ControlOutput, Follower, SetPoint
from boa_control.controllers.new_path import NewPath, PathChange, new_path_event
from boa_control.controllers.set_points import SetPointChange
from boa_control.controllers.steered import SECOND, SteeredController
from boa_control.events import Event, EventKind
from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame
from boa_control.safety.frame_guard import Reduction
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Obstacle

BACK_SPEED = 0.05  # m/s, at most, on the way back to where a new path leaves the present one
BRANCH_TOLERANCE = 2e-3  # m that the middle joint may be further on; both paths begin as one there


@dataclass(frozen=True, slots=True)
class _Order:
    """A new path that has been checked.

    Attributes:
        new: as given. path: as built.
        tables: of the controller for it; None: still to be done.
    """

    new: NewPath
    path: PlannedPath
    tables: Any = None


class FollowingController(SteeredController):
    """The steered controller of a follower.

    A robot that stands further on than the new path leaves the present one first goes back; the
    set-points of that are events, too. A new speed from outside ends it.
    """

    def __init__(
        self,
        controller: Follower,
        robot: Robot,
        obstacles: Sequence[Obstacle],
        plan: Sequence[SetPointChange] = (),
        paths: Sequence[PathChange] = (),
        reduction: Reduction | None = None,
    ) -> None:
        """`plan`, `paths`: changes in order of their times. `obstacles`: of the map, whose
        numbers the posts of new paths keep. `reduction` of the torques; None: they stay.

        Raises:
            BoaError: the controller cannot follow the plan, or one of the paths.
        """
        self._first = self._follower = controller
        self._radius = robot.link.radius
        self._known = tuple(obstacles)
        self._paths = tuple(paths)
        self._orders = [
            replace(order, tables=controller.tables(order.path)())
            for order in map(self._order, self._paths)
        ]
        super().__init__(controller, robot.joint_names, plan, reduction)

    def _restart(self) -> None:
        super()._restart()
        self._next_path = 0
        self._going_back: _Order | None = None
        self._under_way = False  # the way back has begun
        self._standing_since: int | None = None  # ns

    @property
    def place(self) -> float:
        """Arc length of the middle joint on the present path, as estimated, m."""
        return self._follower.place

    @property
    def unrest(self) -> str:
        """Why no other path may be taken now; empty while the robot stands, held by its posts."""
        return self._follower.unrest

    def reset(self) -> None:
        """Forget everything; the next step starts a new run, on the path of the scenario."""
        self._exchange(self._first)
        super().reset()

    def planned(self, new: NewPath) -> PlannedPath:
        """The path as the controller would follow it; raises BoaError as `NewPath.planned`."""
        return new.planned(self._radius, self._known)

    def tables(self, path: PlannedPath) -> Any:
        """The slow part of a change of path as a task; see `Follower`."""
        return self._follower.tables(path)

    def follow(self, new: NewPath, tables: Any = None) -> str:
        """Go over to a new path, with the next step or after going back; says which.

        Args:
            tables: result of the controller's tables for it; None: it is done now.

        Raises:
            BoaError: the robot moves, is not held, does not lie on the path at that place, or
                cannot follow it; then nothing has changed.
        """
        if self.unrest:
            raise BoaError(f"new path: {self.unrest}")
        order = replace(self._order(self._resolved(new)), tables=tables)
        ahead = self.place - new.leaves
        if ahead <= BRANCH_TOLERANCE:
            self._take(order)
            return "on the new path"
        before = self.set_point
        self._follower.steer(order.new.set_point(before))  # refused now rather than after the way
        try:
            back = -min(BACK_SPEED, order.new.speed or BACK_SPEED)
            super().steer(replace(before, speed=back))
        except BoaError:
            self._follower.steer(before)
            raise
        self._going_back, self._under_way = order, False
        return f"going back by {ahead:.3f} m to where the new path begins"

    def steer(self, set_point: SetPoint) -> None:
        """Take a new set-point, from the next step on; one from outside ends the way back."""
        super().steer(set_point)
        self._going_back = None

    def step(self, frame: SensorFrame) -> ControlOutput:
        """The controller's answer, on the path and under the set-point that are due."""
        self._keep_time(frame)
        try:
            if self._going_back is not None:
                self._go_back(self._going_back)
            elif self._path_due(frame):
                self._next_path += 1
                order = self._orders[self._next_path - 1]
                self.follow(order.new, order.tables)
        except BoaError as error:
            self._going_back = None
            self._changes.append(Event(kind=EventKind.NEW_PATH_REFUSED, note=str(error)))
        return super().step(frame)

    def _order(self, new: NewPath) -> _Order:
        return _Order(new, self.planned(new))

    def _resolved(self, new: NewPath) -> NewPath:
        """With the present speed, where it names none: the way back has another one."""
        speed = self.set_point.speed
        return new if new.speed or speed <= 0.0 else new.model_copy(update={"speed": speed})

    def _take(self, order: _Order) -> None:
        """Go on with the controller on the new path, if there is one."""
        new = order.new
        place = new.progress + (self.place - new.leaves)
        after = self._follower.on_path(order.path, place, order.tables)
        after.steer(new.set_point(self.set_point))
        self._exchange(after)
        self._changes.append(new_path_event(new))

    def _exchange(self, controller: Follower) -> None:
        self._controller = self._steerable = self._follower = controller

    def _go_back(self, order: _Order) -> None:
        """Brake where the new path begins, and take it once the robot stands."""
        if self.unrest:
            self._under_way = True
        elif self._under_way and self.set_point.speed != 0.0:
            super().steer(replace(self.set_point, speed=0.0))
            raise BoaError(
                f"the robot comes no further back than {self.place:.3f} m, the new path begins at "
                f"{order.new.leaves:.3f} m; plan from where the robot lies"
            )
        if self.place - order.new.leaves <= 0.0 and self.set_point.speed != 0.0:
            super().steer(replace(self.set_point, speed=0.0))
        if self.set_point.speed == 0.0 and not self.unrest:
            self._going_back = None
            self._take(order)

    def _keep_time(self, frame: SensorFrame) -> None:
        """Note since when the robot stands."""
        if self._next_path < len(self._paths):
            if self.unrest:
                self._standing_since = None
            elif self._standing_since is None:
                self._standing_since = frame.stamp_ns

    def _path_due(self, frame: SensorFrame) -> bool:
        if self._next_path == len(self._paths) or self._standing_since is None:
            return False
        change = self._paths[self._next_path]
        since_start = frame.stamp_ns - (self._start_ns or frame.stamp_ns)
        return since_start >= round(
            change.time * SECOND
        ) and frame.stamp_ns - self._standing_since >= round(change.pause * SECOND)
