# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where along its links the body is touched, from joint forces and joint torques.

A post that presses on the flank of a link gives it a force across and a moment about its middle;
their quotient is the place. Method: Løwer, Gravdahl, Varagnolo and Stavdahl, "Proprioceptive
Contact Force and Contact Point Estimation in a Stationary Snake Robot" (SYROCO 2022).

The flanks are smooth: a force along an end link acts on its round tip, and points at its centre.
"""

import cmath
import math
from typing import NamedTuple

import numpy as np

from boa_control.estimation.link_forces import LinkForces, measured_loads
from boa_control.estimation.touched_posts import Sighting
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import Sideways
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags
from boa_description.chain import joint_differences

LEAST_FORCE = 1.5  # N, below which the quotient of moment and force tells no place
ALONE = 0.9  # of the force on a link and its neighbours, from which the link bears it alone
TIP_MARGIN = 0.01  # m from either end of the body, beyond which the round tip is touched
OVERSHOOT = 0.01  # m beyond the ends of a link, up to which the quotient is believed
TIP_SHARE = 0.2  # of the force on an end link that acts along it, from which its tip is touched
APART = 0.03  # m along a link; nearer, a moment does not tell two forces apart
TIP_STD = 0.1  # rad, of the direction of that force while the robot still brakes
TORQUE_STD = 0.05  # N m, of the torque that a joint passes on, beside what its gearbox eats
# m; next to it errors of the shape: joint angles, soft contacts
ALONG_STD, ACROSS_STD = 3e-3, 1.5e-3


class Touch(NamedTuple):
    """A post that presses on a link.

    Attributes:
        link: index from 0.
        centre: of the post, from the tail-side joint axis of the link, in the link's frame, m.
        std: standard deviation of that place, m.
        on_tip: it presses on the round end of the body, told by the direction of its force, and
            not on a flank, told by the moment.
    """

    link: int
    centre: complex
    std: float
    on_tip: bool = False


class PassedOn(NamedTuple):
    """What the joints pass on: measured torques less what the gearboxes eat.

    Attributes:
        torque, std: and the standard deviation of what the gearboxes eat, shape (n - 1,), N m.
    """

    torque: Array
    std: Array


class Pressed(NamedTuple):
    """What presses on the links from outside.

    Attributes:
        along, across: forces, shape (n,), N. moment: about the middles of the links, and std: its
            standard deviation, shape (n,), N m.
    """

    along: Array
    across: Array
    moment: Array
    std: Array


class TouchPoints:
    """Reads sightings of posts from sensor frames."""

    def __init__(self, chain: PlanarChain) -> None:
        self._chain = chain
        self._torque_map = joint_differences(chain.links)
        self._joints = np.abs(self._torque_map)  # of each link
        self._at_rest = Sideways(np.zeros(chain.links), np.zeros(chain.links))

    def read(
        self,
        frame: SensorFrame,
        passed_on: PassedOn,
        contacts: ContactSet,
        touching: Flags,
        tip: int | None = None,
    ) -> Sighting:
        """The touched posts in the frame of link 1.

        Args:
            passed_on: by the joints, when the forces were measured.
            contacts: as planned. touching: which of them touch, shape (nc,).
            tip: index of the contact whose post the round end of the body touches.
        """
        chain = self._chain
        heading = np.concatenate([[0.0], np.cumsum(frame.position)])
        direction = np.exp(1j * heading)
        axes = np.concatenate([[0.0], np.cumsum(chain.pitch * direction)])
        pressed = self._pressed(frame, passed_on)
        post, centre, along, stds = [], [], [], []
        beside = touching | (contacts.inside >= 0.0)  # one before the nose bears nothing there
        if tip is not None:
            link, reach = int(contacts.link[tip]), float(contacts.reach[tip])
            push = complex(pressed.along[link], pressed.across[link])
            touch = self._on_tip(push, link, reach)
            if touch is not None:
                post.append(int(contacts.post[tip]))
                centre.append(axes[link] + direction[link] * touch.centre)
                along.append(direction[link] * 1j * push / abs(push))
                stds.append(touch.std)
        for k in np.flatnonzero(touching).tolist():
            if k == tip and post:
                continue
            side = float(contacts.side[k])
            found = self._place(pressed, int(contacts.link[k]), side)
            others = contacts.link[beside & (np.arange(touching.size) != k)]
            if found is not None and found[0] not in others:
                link, offset, std = found
                arm = offset + 1j * side * float(contacts.reach[k])
                post.append(int(contacts.post[k]))
                centre.append(axes[link] + direction[link] * arm)
                along.append(direction[link])
                stds.append(std)
        return Sighting(
            np.array(post, int),
            np.array(centre, complex),
            np.array(along, complex),
            np.array(stds, float),
            np.full(len(post), ACROSS_STD),
        )

    def beside(
        self,
        frame: SensorFrame,
        passed_on: PassedOn,
        link: int,
        reach: float,
        pushed: Array | None = None,
    ) -> Touch | None:
        """A post that presses on a link, or on the next one; None where forces tell no place.

        Args:
            link: index from 0. reach: from the middle of the body to the centre of a post, m.
            pushed: forces on the links but for the floor's, which acts at their middles, along + i
                across, shape (n,), N; None: by the sensors, with the floor's.
        """
        pressed = self._pressed(frame, passed_on)
        if pushed is not None:
            pressed = pressed._replace(along=pushed.real, across=pushed.imag)
        along, across = pressed.along, pressed.across
        tip = self._on_tip(complex(along[link], across[link]), link, reach)
        if tip is not None:
            return tip
        side = -1.0 if across[link] > 0 else 1.0
        found = self._place(pressed, link, side, tip_margin=-OVERSHOOT)
        if found is None:
            return None
        touched, offset, std = found
        first, last = touched == 0, touched == self._chain.links - 1
        if (first and offset < TIP_MARGIN) or (last and offset > self._chain.pitch - TIP_MARGIN):
            return self._at_tip(complex(along[touched], across[touched]), touched, reach)
        return Touch(touched, complex(offset, side * reach), std)

    def on_tip(
        self, frame: SensorFrame, passed_on: PassedOn, link: int, reach: float, flank: float
    ) -> Touch | None:
        """A post that presses on the tip of an end link, while another one presses on its flank;
        None where none does, or both are too near to be told apart.

        Args:
            link, reach: as of `beside`. flank: where the other one presses, m from the tail-side
                axis of the link.
        """
        along, across, moment, _ = self._pressed(frame, passed_on)
        end = self._chain.pitch * (link == self._chain.links - 1)
        if abs(end - flank) < APART:
            return None
        about = moment[link] + across[link] * (self._chain.pitch / 2 - flank)
        return self._on_tip(complex(along[link], about / (end - flank)), link, reach)

    def _on_tip(self, force: complex, link: int, reach: float) -> Touch | None:
        """The post that exerts a force, N, on the tip of an end link; None where it does not."""
        return self._at_tip(force, link, reach) if self._meets_tip(force, link) else None

    def _at_tip(self, force: complex, link: int, reach: float) -> Touch:
        end = self._chain.pitch * (link == self._chain.links - 1)
        return Touch(link, end - reach * force / abs(force), reach * TIP_STD, on_tip=True)

    def _meets_tip(self, force: complex, link: int) -> bool:
        size, last = abs(force), self._chain.links - 1
        inwards = {0: force.real, last: -force.real}.get(link, 0.0)
        return size >= LEAST_FORCE and inwards >= TIP_SHARE * size

    def head_on(self, frame: SensorFrame, link: int, side: float) -> float:
        """Force with which a post pushes the tip of an end link, N; 0 where it pushes it to the
        side on which the body shall pass it, rather than back.

        Args:
            side: of the body, on which the post is planned: 1 left, -1 right.
        """
        push = self._on_end(frame, link)
        straight = abs(push.real) > -side * push.imag
        return abs(push) if straight and self._meets_tip(push, link) else 0.0

    def _on_end(self, frame: SensorFrame, link: int) -> complex:
        """Force on an end link from outside, floor included, along + i across, N: the one of
        `_outside`, of the only link that is asked for in most ticks.
        """
        assert frame.joint_force is not None
        end = 0 if link == 0 else -1
        x, y = frame.joint_force.force[end, :2].tolist()
        joint = complex(x, y)  # force of the link on the one behind it
        if link == 0:
            joint *= -cmath.rect(1.0, frame.position.item(0))
        if frame.imu is None:
            return joint
        x, y = frame.imu.linear_acceleration[end, :2].tolist()
        measured = complex(0.0 if math.isnan(x) else x, 0.0 if math.isnan(y) else y)
        return self._chain.link_mass * measured + joint

    def moments(self, passed_on: PassedOn, by_forces: Array) -> Array:
        """Moments about the middles of the links from outside, shape (n,), N m; `by_forces`: those
        of the joint forces, from `measured_loads`.
        """
        moment: Array = self._torque_map @ passed_on.torque - by_forces
        return moment

    def _pressed(self, frame: SensorFrame, passed_on: PassedOn) -> Pressed:
        forces, by_forces = self._outside(frame)
        variance = self._joints @ (passed_on.std**2 + TORQUE_STD**2)
        moment = self.moments(passed_on, by_forces)
        return Pressed(forces.along, forces.across, moment, np.sqrt(variance))

    def _outside(self, frame: SensorFrame) -> tuple[LinkForces, Array]:
        """Forces on the links from outside, floor included, and the moments about their middles of
        the forces in their joints, N m.
        """
        return measured_loads(frame, self._chain, self._at_rest)

    def _place(
        self,
        pressed: Pressed,
        link: int,
        side: float,
        tip_margin: float = TIP_MARGIN,
    ) -> tuple[int, float, float] | None:
        """Link, place along it and its standard deviation, m; None where several links bear the
        force, it acts nearer than `tip_margin` to an end of the body, or a sensor is silent.
        """
        chain, across = self._chain, pressed.across
        near = slice(max(link - 1, 0), link + 2)
        force = np.maximum(-side * across[near], 0.0)
        total = float(force.sum())
        if not total >= LEAST_FORCE:  # nor when it is not a number
            return None
        best = int(force.argmax())
        if force[best] < ALONE * total:
            return None
        touched = near.start + best
        offset = float(chain.pitch / 2 + pressed.moment[touched] / across[touched])
        lowest = tip_margin if touched == 0 else -OVERSHOOT
        margin = tip_margin if touched == across.size - 1 else -OVERSHOOT
        if not lowest <= offset <= chain.pitch - margin:
            return None
        std = math.hypot(pressed.std.item(touched) / force.item(best), ALONG_STD)
        return touched, min(max(offset, 0.0), chain.pitch), std
