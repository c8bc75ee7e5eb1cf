"""Whether the joints give the torque that is asked for.

They do not before the robot is armed, after ~/disarm, and while the torque gate withholds commands
that come late. A controller that goes on integrating meanwhile pushes with all it has when the
torque returns.
"""

from __future__ import annotations

from boa_description.arrays import Array

DECISIVE_TORQUE = 0.2  # N m, norm over the joints; a smaller command decides nothing
LEAST_SHARE = 0.5  # of the commanded torque that must be measured: above noise and friction
LAG = 0.03  # s that a measured torque may lag behind its command


class Outage:
    """Compares what was asked with what is measured.

    After letting go a controller asks for so little again that nothing can be told from it: whoever
    is disarmed for long is found out time and again. It stays one outage until torque has really
    been seen.

    Attributes:
        present: the torque has been away for longer than it can lag behind.
        began: an outage has begun with the newest sample.
        seen: torque has really been measured since the last outage.
    """

    def __init__(self, longest_gap: float) -> None:
        """`longest_gap`: between two samples, s; a controller that was away for longer has let the
        torque fade.
        """
        self._longest_gap = longest_gap
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.present = self.began = self.seen = False
        self._told = False
        self._asked: Array | None = None
        self._newest_ns: int | None = None
        self._given_ns = 0

    def ask(self, torque: Array) -> Array:
        """Note the torque, (n_joints,), N m, that this tick asks for, and return it."""
        self._asked = torque
        return torque

    def look(self, stamp_ns: int, effort: Array) -> bool:
        """Take in the torque, (n_joints,), N m, measured at `stamp_ns`; True while it stays
        away.
        """
        before, self._newest_ns = self._newest_ns, stamp_ns
        given = self._given(effort)
        if before is None or given is not False:
            self._given_ns = stamp_ns
        absent = before is not None and stamp_ns - before > self._longest_gap * 1e9
        self.present = absent or stamp_ns - self._given_ns > LAG * 1e9
        self.seen = not self.present and (self.seen or given is True)
        self.began = self.present and not self._told
        self._told = self.present or (self._told and not self.seen)
        return self.present

    def _given(self, effort: Array) -> bool | None:
        """Whether the joints give what was asked; None when that was too little to tell."""
        asked = self._asked
        if asked is None:
            return None
        size = float(asked.dot(asked))
        return float(effort.dot(asked)) >= LEAST_SHARE * size if size > DECISIVE_TORQUE**2 else None
