# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Supervision where the map is right: only whether the robot has hold of its posts at all.

Nothing slows it down and nothing is weighed. But a robot that did not get hold of its posts, or
that is far from the shape of its path, is not where the contact model has it, and would be driven
off by it: it comes to rest and stays until `reset`. One whose joints stick stands, held by its
posts.
"""

import math

from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.fallback import SoftHold
from boa_control.controllers.hoal.supervision.interface import Supervision
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason, entered
from boa_control.controllers.hoal.supervision.stopwatch import Stopwatch
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.event_text import text_of
from boa_control.events import Event, EventQueue
from boa_control.events import SupervisionState as State
from boa_control.paths.path import PlannedPath, point_at
from boa_description.arrays import Array


class DivergenceMonitor(Supervision):
    """The variant of `Supervision` for a map that is known to be right."""

    def __init__(
        self, path: PlannedPath, joints: int, period: float, tuning: Tuning = SHIPPED
    ) -> None:
        """`path`: for places and names in events. `period`: of the control ticks, s."""
        self._curve, self._names = path.curve, path.names
        self._tuning, self._start_shape = tuning.supervision, tuning.contacts.start_shape
        self._outside = Stopwatch(period)
        self._soft_hold = SoftHold(joints, period, tuning)
        self.reset()

    def reset(self) -> None:
        """Hold nothing; the robot has not been lost."""
        self._soft_hold.reset()
        self._outside.reset()
        self._halt: Event | None = None
        self.events = EventQueue()
        self._closing = True
        self._laid: float | None = None  # rad off the shape of the path at the first tick
        self._now: Tick | None = None

    @property
    def speed_limit(self) -> float:
        """Of the speed along the path, m/s."""
        return math.inf if self._halt is None else 0.0

    @property
    def halted(self) -> str:
        """How the robot was lost, or why it stands, with the place; empty while it does not."""
        return "" if self._halt is None else text_of(self._halt)

    @property
    def lost(self) -> bool:
        """The robot has no hold."""
        return self._halt is not None and self._halt.state == State.LOST

    def glance(self, tick: Tick) -> None:
        """Give up where the robot has not got hold of its posts, or has left its path."""
        self._now = tick
        if self.lost:
            return
        if tick.stuck is not None and self._halt is None:
            self._enter(State.STOPPED, tick.stuck, tick.progress.s)
        closed, self._closing = self._closing and not tick.closing, tick.closing
        finding = self._left(tick)
        outside = self._outside.update(finding is not None)
        bent = thresholds.off_shape(tick.progress.residual, self._start_shape)
        if closed and tick.missing and bent is not None:
            finding = Finding(Reason.MISSING_AT_START, tick.missing, further=bent)
        elif outside < self._tuning.lost_persistence:
            return
        if finding is not None:
            self._enter(State.LOST, finding, tick.progress.s)

    def _enter(self, state: State, finding: Finding, s: float) -> None:
        """It does not go on, for what was found at a path coordinate, m."""
        self._halt = entered(state, finding, point_at(self._curve, s), self._names)
        self.events.add(self._halt)

    def temper(self, torque: Array, position: Array) -> Array:
        """The torques of the control law; once lost, only dampers and weak springs."""
        if self.lost and self._now is not None:
            frame, along, rate = self._now.frame, self._now.state.dphi, self._now.progress.rate
            return self._soft_hold.torque(position, frame.velocity, along, rate)
        self._soft_hold.record(torque)
        return torque

    def _left(self, now: Tick) -> Finding | None:
        """How the robot has left its path."""
        progress, tuning = now.progress, self._tuning
        shape = progress.residual
        if now.closing:  # however it was laid, it is drawn to the path and not off it
            self._laid = shape if self._laid is None else self._laid
            shape -= self._laid
        return thresholds.off_shape(shape, tuning.lost_shape) or thresholds.too_fast(
            progress.rate, now.desired, tuning.runaway
        )
