# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A steerable controller of a run: set-points by a plan or from outside, each recorded as an
event.
"""

from collections.abc import Sequence

from boa_control.controller import ControlOutput, SetPoint, Steerable
from boa_control.controllers.set_points import SetPointChange, require_possible, set_point_event
from boa_control.events import Event
from boa_control.plant import SensorFrame
from boa_control.safety.frame_guard import FrameGuard, Reduction

SECOND = 1_000_000_000  # ns


class SteeredController(FrameGuard):
    """The frame guard of a controller that takes set-points.

    The times of the plan count in the stamps of the frames, so that a run is the same whoever
    drives it. Each change is an event of the tick from which it acts.
    """

    def __init__(
        self,
        controller: Steerable,
        joint_names: tuple[str, ...],
        plan: Sequence[SetPointChange] = (),
        reduction: Reduction | None = None,
    ) -> None:
        """`plan`: changes in order of their times. `reduction` of the torques; None: they stay.

        Raises:
            BoaError: the controller cannot follow the plan.
        """
        super().__init__(controller, joint_names, reduction)
        self._steerable = controller
        self._initial = controller.set_point
        self._plan = tuple(plan)
        self._restart()
        if self._plan:
            self._rehearse()

    def _restart(self) -> None:
        self._start_ns: int | None = None
        self._next = 0
        self._changes: list[Event] = []  # events of the next step; the way to a set-point may count

    @property
    def set_point(self) -> SetPoint:
        """The present one; at first that of the scenario."""
        return self._steerable.set_point

    def steer(self, set_point: SetPoint) -> None:
        """Take a new set-point, from the next step on. The same one again changes nothing.

        Raises:
            BoaError: a value that no controller, or this one, can follow; the old set-point stays.
        """
        require_possible(set_point)
        if set_point == self.set_point:
            return
        self._steerable.steer(set_point)
        self._changes.append(set_point_event(set_point))

    def reset(self) -> None:
        """Forget everything; the next step starts a new run, with the set-point of the scenario."""
        super().reset()
        if self.set_point != self._initial:
            self._steerable.steer(self._initial)
        self._restart()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """The controller's answer under the set-point that is due."""
        if self._start_ns is None:
            self._start_ns = frame.stamp_ns
        while self._next < len(self._plan) and self._due(self._plan[self._next], frame):
            change = self._plan[self._next]
            self._next += 1
            self.steer(change.applied_to(self.set_point))
        output = super().step(frame)
        if not self._changes:
            return output
        changes, self._changes = self._changes, []
        return output._replace(events=(*changes, *output.events))

    def _due(self, change: SetPointChange, frame: SensorFrame) -> bool:
        assert self._start_ns is not None
        return frame.stamp_ns - self._start_ns >= round(change.time * SECOND)

    def _rehearse(self) -> None:
        """Try the whole plan before the run: what is wrong with it is said now."""
        for change in self._plan:
            self.steer(change.applied_to(self.set_point))
        self.reset()
