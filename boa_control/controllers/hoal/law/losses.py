# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What torques lose on their way to the posts, as the controller `hoal` knows and learns it: by
friction of floor and posts (`friction_compensation`), and in the gearboxes (`transmission`).
"""

from boa_control.controller import Briefing
from boa_control.controllers.hoal.law.friction_compensation import FrictionCompensation
from boa_control.controllers.hoal.law.transmission import Transmission
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.link_forces import LinkForces, newest_loads
from boa_control.events import EventQueue
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_description.arrays import Array

Loads = tuple[LinkForces, Array]


class Losses:
    """Both, learnt from the same loads of the links.

    Attributes:
        friction: of floor and posts. transmission: the gearboxes.
    """

    def __init__(self, briefing: Briefing, chain: PlanarChain, parameters: Parameters) -> None:
        """Start from what the briefing says."""
        self._chain = chain
        self._least_speed = parameters.tuning.law.least_speed
        self.friction = FrictionCompensation(briefing, parameters)
        self.transmission = Transmission(
            briefing.robot,
            parameters.transmission,
            briefing.contact_friction,
            briefing.period,
            parameters.tuning,
        )

    @property
    def debug(self) -> dict[str, float | Array]:
        """The present knowledge, for the log."""
        return self.friction.debug | self.transmission.debug

    def reset(self) -> None:
        """Back to what was briefed."""
        self.friction.reset()
        self.transmission.reset()

    @property
    def events(self) -> EventQueue:
        """Not told yet."""
        return self.friction.posts.events

    def loads(self, tick: Tick) -> Loads | None:
        """Of the links, by the newest samples; None without force sensors."""
        sideways = self.friction.sideways(tick.state, tick.progress.rate)
        return newest_loads(tick.frame, self._chain, sideways)

    def learn(
        self, tick: Tick, contacts: ContactSet, loads: Loads | None, direction: int, withheld: bool
    ) -> float:
        """Use one tick.

        Args:
            contacts: that carry. loads: where they have been worked out already.
            direction: 1 if the head leads, -1 if the tail does.
            withheld: the joints do not give the torque that is commanded.

        Returns:
            By how much the known resistance along the path has grown, N.
        """
        frame, state, rate = tick.frame, tick.state, tick.progress.rate
        if self.transmission.due(frame) and not withheld:
            moves = direction * rate > self._least_speed
            loads = self.loads(tick) if loads is None else loads
            passed_on = self.transmission.measured(loads, contacts, rate)
            self.transmission.update(frame, passed_on, state.dphi * rate, moves)
        learnt = self.friction.observe(tick, direction)
        self.friction.observe_posts(tick, contacts, direction)
        self.transmission.rub(self.friction.posts.coefficient)
        return learnt

    def motor_torque(self, torque: Array, tick: Tick, speed: float) -> Array:
        """Torques of the motors with which the joints pass on `torque`, (n - 1,), N m, at the
        desired `speed` along the path, m/s.
        """
        direction = self.friction.direction(tick.state, speed)
        rate = tick.state.dphi * tick.progress.rate
        return self.transmission.motor_torque(torque, direction, rate)
