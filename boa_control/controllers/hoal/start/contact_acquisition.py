# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The start-up: take hold of the posts before moving.

A robot that no post holds yet is a free body. Pressed against the first post at full force it would
gather momentum and strike the others. So it is drawn into the shape of the path by weak springs
while the contact forces rise slowly from almost nothing, until every planned contact is detected;
only then are forces and speed brought up.

A robot that was held until a moment ago is another matter. Without torque its joints stop, by their
friction, while the body coasts on: with weak springs alone it bends off its path at the posts. What
keeps it there is the full hold at once, at whatever speed it has.
"""

from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_description.arrays import Array

FADE_TIMES = 8  # after so many `fade_time` nothing of it is left (3e-4)


class ContactAcquisition:
    """State of the start-up.

    Attributes:
        complete: the posts are held and the full force is allowed.
        closing: the posts are still being taken hold of.
        share: of the desired contact force, 0 to 1.
        settling: the shape in which the start-up ended still gives way.
        resuming: held again after a short absence of the torque, and not yet settled.
        searching: those that are detected do not hold the robot, and are pressed no more than by
            now; its springs grow instead, and draw it to the others.
        missing: how many of the planned contacts are not detected, while closing and in the tick in
            which that ends; else 0.
    """

    def __init__(
        self, period: float, damping: float = SHIPPED.start.damping, tuning: Tuning = SHIPPED
    ) -> None:
        """`period`: of the control ticks, s. `damping`: of the joints while closing, N m s/rad."""
        self._tuning, self._times = tuning.start, tuning.steering
        self._still_there = tuning.contacts.same_place  # m that it may have coasted
        self._slow = tuning.steering.slow_return  # m/s
        self._speed = 0.0  # m/s, when the torque was lost
        self._period = period
        self._damping = damping
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.closing, self.share, self.settling = True, self._tuning.first_share, True
        self.resuming = self.searching = False
        self.missing = 0
        self._time = self._held = self._firm = 0.0
        self._fading = round(FADE_TIMES * self._tuning.fade_time / self._period)  # ticks
        self._error: Array | None = None

    def interrupt(self, speed: float, away: float) -> bool:
        """The torque has been away for `away`, s, from a robot that went at `speed`, m/s. True: it
        still lies between its posts and is held at once; False: begin anew.
        """
        if not self.resuming:
            self._speed = speed
        held = self.complete or self.resuming
        self.reset()
        near = self._speed * away <= self._still_there
        if held and near and away <= self._tuning.held_time:
            self.closing, self.settling, self.resuming = False, False, True
            self.share = 1.0
        return self.resuming

    @property
    def lost_at(self) -> float:
        """Speed at which the robot went when the torque was last lost, m/s."""
        return self._speed

    @property
    def complete(self) -> bool:
        return self.share >= 1.0 and not (self.closing or self.resuming)

    def returning(self, torque: Array) -> Array:
        """What of a torque, shape (n - 1,), N m, is back after a short absence."""
        if self.resuming and self._speed < self._slow:
            torque = min(self._time / self._tuning.return_time, 1.0) * torque
        return torque

    def update(self, missing: int, on_trial: bool = False, held: bool = True) -> None:
        """Use one tick: how many of the planned contacts are not detected, whether the place is on
        trial (then stay), and whether those that are detected hold the robot.
        """
        self.missing, tuning = missing, self._tuning
        self._time += self._period
        late = self._time >= self._times.long_patience
        self._held = self._held + self._period if held else 0.0
        settled = late and self._held >= tuning.held_time
        closed = missing == 0 or settled or self._time >= self._times.longest_closing
        self.closing = self.closing and (on_trial or not closed)
        self.searching = self.closing and late and not (held or on_trial)
        if self.searching:
            self._firm = min(self._firm + self._period / tuning.settling_time, 1.0)
        else:
            rise = self._period * (tuning.slow_rise if self.closing else tuning.fast_rise)
            self.share = min(self.share + rise, 1.0)
        self.resuming = self.resuming and self._time < tuning.settling_time

    def tell(self, tick: Tick) -> None:
        """Write into the record of the tick how far the start-up has come."""
        tick.closing, tick.resuming = self.closing, self.resuming
        tick.missing, tick.settling = self.missing, self.settling

    def pull(self, position: Array, velocity: Array, shape: Array, share: float = 1.0) -> Array:
        """Torques that draw the joints slowly into `shape`, (n - 1,), N m, with a `share` of the
        stiffness: a body that few posts hold is set in motion by springs as it is by forces.
        """
        stiffness = share * self._tuning.stiffness * (1.0 + self._tuning.firmer * self._firm)
        torque: Array = stiffness * (shape - position) - self._damping * velocity
        return torque

    def ease(self, error: Array) -> Array:
        """Addition to the shape error, (n - 1,), rad: the shape in which the start-up ended gives
        way slowly.
        """
        if self._error is None:
            self._error = -error
        self._fading -= 1
        self.settling = self._fading > 0
        added = self._error
        self._error = added * (1 - self._period / self._tuning.fade_time)
        return added
