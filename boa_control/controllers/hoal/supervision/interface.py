# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How careful the controller is about a map that may be wrong: one interface for all variants.

The peak of a blow is the damping of the contact times the speed at which it closes, and it is over
before a sensor is read again. So nothing that happens after a touch lowers it: what can be done is
to keep closing speeds low beforehand, and to stop trusting the contact model as soon as what is
measured leaves the band of runs in which the map is right.
"""

from typing import Any, NamedTuple, Protocol

from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.headway import Way
from boa_control.controllers.hoal.tick import Tick
from boa_control.events import EventQueue
from boa_description.arrays import Array, Indices


class Signals(NamedTuple):
    """Measures that tell a run with a right map from one with a wrong map, at one tick.

    Attributes:
        sigma: path coordinates of the joint axes, shape (n + 1,), m.
        rate: along the path, m/s; desired: the speed reference, m/s.
        shape: rms deviation of the joints from the reference, rad.
        velocity: of the joints, less that with which the reference bends, shape (n - 1,), rad/s.
        joint_rate: of the joints as measured, shape (n - 1,), rad/s.
        along: joint rates per rate along the path, shape (n - 1,), rad/m.
        stray: sideways force that no planned contact explains, shape (n,), N, positive to the left.
        axial: force along each link from outside, shape (n,), N.
        joint_force: largest of all joints, N.
        balance: share of the preload that the measured contacts can carry in balance, 0 to 1; where
            it was evaluated, else 1.
        pressed: force with which contacts are pressed, N; it rises while the robot closes on them.
        planned: contacts that are to carry fully; measured: how many of them press.
        undetected: the posts of the others. absent: posts that were searched in vain.
        way: since the robot last got on.
        drift: while it closes, speed at which it nears a post that it does not touch yet, m/s.
        closing: the robot still closes on its first posts; settling: the shape of that time still
            gives way to that of the path.
        exact: posts that stand do so where the map says, so whatever else presses is strange.
        met: post of the plan on which the leading end runs before it is beside it; thrust: force
            along that end by which no post beside it presses, N.
        misled: why posts as touch tells of them leave no way on; empty where they may.
    """

    sigma: Array
    rate: float
    desired: float
    shape: float
    velocity: Array
    joint_rate: Array
    along: Array
    stray: Array
    axial: Array
    joint_force: float
    balance: float
    pressed: float
    planned: int
    measured: int
    absent: Indices
    way: Way
    drift: float
    closing: bool
    settling: bool
    exact: bool = False
    met: int | None = None
    thrust: float = 0.0
    misled: str = ""
    undetected: tuple[int, ...] = ()

    @property
    def place(self) -> float:
        """Path coordinate of the middle link's middle, m."""
        return self.middle((self.sigma.size - 1) // 2)

    def middle(self, link: int) -> float:
        """Path coordinate of the middle of a link, from 0, m."""
        return (self.sigma.item(link + 1) + self.sigma.item(link)) / 2


class Supervision(Protocol):
    """Decides how far the contact model is trusted. A new variant derives from this class, and
    may leave out what has a body here: then nothing is watched or doubted.

    Attributes:
        watching: whether `update` needs signals; without, the supervision costs next to nothing.
        events: not told yet.
        anew: a robot that was lost until this tick takes hold of its posts anew.
    """

    watching: bool = False
    events: EventQueue
    anew: bool = False

    @property
    def share(self) -> float:
        """Of the contact forces that may be desired now, 0 to 1."""
        return 1.0

    @property
    def speed_limit(self) -> float:
        """Of the speed along the path, m/s."""

    @property
    def turned(self) -> bool:
        """The robot has to go back the way it came."""
        return False

    @property
    def weighing(self) -> bool:
        """`Signals.balance` counts although no post is absent."""
        return False

    @property
    def halted(self) -> str:
        """Why the robot does not go on, with the place; empty while it does."""

    @property
    def lost(self) -> bool:
        """The contact model is not trusted any more."""

    def reset(self) -> None:
        """Trust the map again."""

    def go_on_from(self, before: Any) -> None:
        """Trust the map no more than the supervision of the path before, of the same class."""
        return

    def glance(self, tick: Tick) -> None:
        """Use what every tick knows anyway."""
        return

    def update(self, signals: Signals, travel: Travel) -> None:
        """Use one tick; called after `glance` where the supervision is `watching`."""
        return

    def temper(self, torque: Array, position: Array) -> Array:
        """The torques to be commanded, shape (n - 1,), N m.

        Args:
            torque: of the control law, shape (n - 1,), N m. position: of the joints, rad.
        """

    def pop_strange(self) -> tuple[int, ...]:
        """Links, from 0, on which something that is not on the map presses; since the last call."""
        return ()
