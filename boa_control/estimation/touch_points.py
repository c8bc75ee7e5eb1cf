"""Where along its links the body is touched, from joint forces and joint torques.

A post that presses on the flank of a link gives it a force across and a moment about its middle;
their quotient is the place. Method: Løwer, Gravdahl, Varagnolo and Stavdahl, "Proprioceptive
Contact Force and Contact Point Estimation in a Stationary Snake Robot" (SYROCO 2022).
"""

from __future__ import annotations

import numpy as np

from boa_control.estimation.friction import neighbour_loads
from boa_control.estimation.touched_posts import Sighting
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags
from boa_description.chain import joint_differences

LEAST_FORCE = 1.5  # N, below which the quotient of moment and force tells no place
ALONE = 0.9  # of the force on a link and its neighbours, from which the link bears it alone
TIP_MARGIN = 0.01  # m from either end of the body, beyond which the round tip is touched
OVERSHOOT = 0.01  # m beyond the ends of a link, up to which the quotient is believed
TORQUE_STD = 0.05  # N m, of the torque that a joint passes on: friction is known no better
# m; next to it errors of the shape: joint angles, soft contacts
ALONG_STD, ACROSS_STD = 3e-3, 1.5e-3


class TouchPoints:
    """Reads sightings of posts from sensor frames."""

    def __init__(self, chain: PlanarChain) -> None:
        self._chain = chain
        self._torque_map = joint_differences(chain.links)

    def read(
        self, frame: SensorFrame, passed_on: Array, contacts: ContactSet, touching: Flags
    ) -> Sighting:
        """The touched posts in the frame of link 1.

        Args:
            passed_on: torques that the joints pass on, (n - 1,), N m: measured less friction.
            contacts: as planned. touching: which of them touch, shape (nc,).
        """
        chain = self._chain
        heading = np.concatenate([[0.0], np.cumsum(frame.position)])
        direction = np.exp(1j * heading)
        axes = np.concatenate([[0.0], np.cumsum(chain.pitch * direction)])
        across, moment = self._pressed(frame, passed_on)
        post, centre, along, stds = [], [], [], []
        for k in np.flatnonzero(touching).tolist():
            side = float(contacts.side[k])
            found = self._place(across, moment, int(contacts.link[k]), side)
            others = np.delete(contacts.link, k)
            if found is not None and found[0] not in others:
                link, offset, std = found
                arm = offset + 1j * side * float(contacts.reach[k])
                post.append(int(contacts.obstacle[k]))
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
        self, frame: SensorFrame, passed_on: Array, link: int, reach: float
    ) -> tuple[complex, float] | None:
        """Centre of a post that presses on a link, in the frame of link 1, and the standard
        deviation of its place, m; None where forces tell none.

        Args:
            link: index from 0. reach: from the middle of the body to the centre of a post, m.
        """
        chain = self._chain
        across, moment = self._pressed(frame, passed_on)
        side = -1.0 if across[link] > 0 else 1.0
        found = self._place(across, moment, link, side)
        if found is None:
            return None
        touched, offset, std = found
        heading = np.concatenate([[0.0], np.cumsum(frame.position)])
        axis = chain.pitch * np.exp(1j * heading[:touched]).sum()
        return complex(axis + np.exp(1j * heading[touched]) * (offset + 1j * side * reach)), std

    def _pressed(self, frame: SensorFrame, passed_on: Array) -> tuple[Array, Array]:
        """Forces across the links, N, and moments about their middles, N m, from outside."""
        assert frame.joint_force is not None
        chain = self._chain
        loads = neighbour_loads(frame.joint_force.force, frame.position, chain.pitch / 2)
        across = -loads.across
        if frame.imu is not None:
            across = across + chain.link_mass * np.nan_to_num(frame.imu.linear_acceleration[:, 1])
        return across, self._torque_map @ passed_on - loads.moment

    def _place(
        self, across: Array, moment: Array, link: int, side: float
    ) -> tuple[int, float, float] | None:
        """Link, place along it and its standard deviation, m; None where several links bear the
        force, or a sensor is silent.
        """
        chain = self._chain
        near = slice(max(link - 1, 0), link + 2)
        force = np.maximum(-side * across[near], 0.0)
        total = float(force.sum())
        if not total >= LEAST_FORCE:  # nor when it is not a number
            return None
        best = int(force.argmax())
        if force[best] < ALONE * total:
            return None
        touched = near.start + best
        offset = float(chain.pitch / 2 + moment[touched] / across[touched])
        lowest = TIP_MARGIN if touched == 0 else -OVERSHOOT
        margin = TIP_MARGIN if touched == across.size - 1 else -OVERSHOOT
        if not lowest <= offset <= chain.pitch - margin:
            return None
        std = float(np.hypot(np.sqrt(2.0) * TORQUE_STD / force[best], ALONG_STD))
        return touched, min(max(offset, 0.0), chain.pitch), std
