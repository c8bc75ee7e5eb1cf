# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the joints give the torque that is commanded.

They do not before the robot is armed, after ~/disarm, and while the torque gate withholds commands
that come late. A controller that goes on integrating meanwhile pushes with all it has when the
torque returns.
"""

from collections import deque
from typing import NamedTuple

from boa_control.controllers.hoal.law.tuning import LawTuning
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_description.arrays import Array


class _Command(NamedTuple):
    """The torque of one tick, (n_joints,), N m, its stamp, what must be measured of its squared
    norm, (N m)^2, and whether anything can be decided from it.
    """

    stamp_ns: int
    torque: Array
    enough: float
    decisive: bool

    def given(self, effort: Array) -> bool:
        """Whether the measured torque, (n_joints,), N m, answers it."""
        return float(effort.dot(self.torque)) >= self.enough


class TorqueLoss:
    """Compares the commanded torques with the measured one.

    A command may change its sign from tick to tick, and what is measured belongs to one of some
    ticks before: only a torque that answers none of the commands of the last `lag` is away.

    After a release a controller commands so little that nothing can be decided from it, so a long
    outage is noticed repeatedly. It stays one outage until torque has really been measured.

    A controller that was away for less than the torque needs to fade goes on where it was: in that
    time it has integrated nothing and the robot has hardly moved, while to release the posts would
    let the robot coast against them. So a gap between samples tells nothing of the joints.

    Attributes:
        present: the torque has been away for longer than it can lag behind.
        away: for how long, s, since this outage began; 0 where it is not away.
        began: an outage has begun with the newest sample.
        seen: torque has really been measured since the last outage. acted: it ever has.
    """

    def __init__(self, longest_gap: float, tuning: LawTuning = SHIPPED.law) -> None:
        """`longest_gap`: between two samples, s; a controller that was away for longer has let the
        torque fade.
        """
        self._tuning = tuning
        self._longest_gap_ns, self._lag_ns = longest_gap * 1e9, tuning.lag * 1e9
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.present = self.began = self.seen = self.acted = False
        self.away = 0.0
        self._reported = False
        self._commands: deque[_Command] = deque()  # of the last `lag`
        self._newest_ns: int | None = None
        self._missing_ns = 0  # the torque has been away for so long
        self._gone_ns = 0  # stamp of the last sample before the newest outage

    def record_command(self, torque: Array) -> Array:
        """Record the torque, (n_joints,), N m, that this tick commands, and return it."""
        if self._newest_ns is not None:
            square = float(torque.dot(torque))
            decisive = square > self._tuning.decisive_torque**2
            enough = self._tuning.measured_share * square
            self._commands.append(_Command(self._newest_ns, torque, enough, decisive))
        return torque

    def update(self, stamp_ns: int, effort: Array) -> bool:
        """Compare with the torque, (n_joints,), N m, measured at `stamp_ns`; True while it stays
        away.
        """
        before, self._newest_ns = self._newest_ns, stamp_ns
        while len(self._commands) > 1 and self._commands[0].stamp_ns < stamp_ns - self._lag_ns:
            self._commands.popleft()
        delivered = self._delivered(effort)
        step_ns = 0 if before is None else stamp_ns - before
        if before is None or delivered is not False:
            self._missing_ns = 0
        elif step_ns <= self._lag_ns:
            self._missing_ns += step_ns
        self.present = step_ns > self._longest_gap_ns or self._missing_ns > self._lag_ns
        self.seen = not self.present and (self.seen or delivered is True)
        self.acted = self.acted or self.seen
        self.began = self.present and not self._reported
        if self.began:
            self._gone_ns = stamp_ns - max(step_ns, self._missing_ns)
        self.away = 1e-9 * (stamp_ns - self._gone_ns) if self.present else 0.0
        self._reported = self.present or (self._reported and not self.seen)
        return self.present

    def _delivered(self, effort: Array) -> bool | None:
        """Whether the joints give a command; None when the newest is too small to decide."""
        if not self._commands or not self._commands[-1].decisive:
            return None
        for command in reversed(self._commands):  # as a rule the newest but one or two
            if command.decisive and command.given(effort):
                return True
        return False
