"""The start: take hold of the posts before moving.

A robot that no post holds yet is a free body. Pressed against the first post at full force it would
gather momentum and strike the others. So it is drawn into the shape of the path by weak springs
while the contact forces rise slowly from almost nothing, until every planned contact is felt; only
then are forces and speed brought up.
"""

from __future__ import annotations

from boa_description.arrays import Array

LONGEST = 5.0  # s, after which the robot moves even if some planned contact has not been felt
# share of the wanted force at the start, and its rise per s while taking hold
FIRST, SLOW_RISE = (
    0.01,
    0.08,
)
FAST_RISE = 2.0  # the same rise, 1/s, once all are felt
STIFFNESS = 2.0  # N m/rad
DAMPING = 1.0  # N m s/rad; with 2.0, sensors that are 15 ms late make the joints swing
DAMPING_DISPLACED = (
    2.0  # N m s/rad, where posts may stand elsewhere and the body has further to fall
)
FADE_TIME = 0.4  # s, over which the shape at the end of the start gives way to that of the path
FADED = 8  # times that, when nothing of it is left


class Grip:
    """State of the start.

    Attributes:
        closing: the posts are still being taken hold of.
        share: of the wanted contact force, 0 to 1.
        easing: the shape in which the start ended still gives way.
    """

    def __init__(self, joints: int, period: float, displaced: bool = False) -> None:
        """`period`: of the control ticks, s. `displaced`: posts may stand off their places in the
        map.
        """
        self._joints = joints
        self._period = period
        self._damping = DAMPING_DISPLACED if displaced else DAMPING
        self.reset()

    def reset(self) -> None:
        """Let go of everything."""
        self.closing, self.share, self.easing = True, FIRST, True
        self._time = 0.0
        self._fading = round(FADED * FADE_TIME / self._period)  # ticks
        self._error: Array | None = None

    def update(self, all_felt: bool, on_trial: bool = False) -> None:
        """Take in one tick: whether every planned contact is felt, and whether the place is on
        trial (then stay).
        """
        self._time += self._period
        self.closing = self.closing and (on_trial or not (all_felt or self._time >= LONGEST))
        self.share = min(
            self.share + self._period * (SLOW_RISE if self.closing else FAST_RISE), 1.0
        )

    def pull(self, position: Array, velocity: Array, shape: Array) -> Array:
        """Torques that draw the joints slowly into `shape`, (n - 1,), N m."""
        torque: Array = STIFFNESS * (shape - position) - self._damping * velocity
        return torque

    def ease(self, error: Array) -> Array:
        """What to add to the shape error, (n - 1,), rad: the shape in which the start ended gives
        way slowly.
        """
        if self._error is None:
            self._error = -error
        self._fading -= 1
        self.easing = self._fading > 0
        added = self._error
        self._error = added * (1 - self._period / FADE_TIME)
        return added
