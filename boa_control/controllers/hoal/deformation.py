"""The reference bent to fit posts that stand off their places in the map, with its nose led back to the path.

q_ref(s) fits the posts of the map. Where they stand delta_k off along the contact normals, the chain must bend by
dq such that gap_k(q_ref + dq) = delta_k; and a nose that should meet the next post at its flank must stay on the path
although the links behind it are pushed aside. The most plausible dq solves, linearised at the present dq,
    minimise  |gap + J (dq - dq_now) - delta|^2 / sigma_c^2 + (y_nose dq)^2 / sigma_n^2 + |dphi|^2 / sigma_phi^2,
y_nose being the row of the sideways motion of the nose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boa_control.controllers.hoal.contact_set import ContactSet
from boa_control.controllers.hoal.path_model import PathState
from boa_control.controllers.hoal.touch import APPROACH
from boa_control.dynamics import PlanarChain
from boa_control.estimation.post_offsets import PostOffsetObserver

Array = NDArray[np.float64]

CONTACT_STD = 1e-3  # m, away from the ends of the body
NOSE_STD = 2e-3  # m
BEND_STD = 0.1  # rad
BASE_STD = 1.0  # m and rad: the base is free
MEASUREMENT_STD = 2e-3  # m, of one measurement of post offsets
UPDATE_TIME = 0.02  # s, between two measurements
END_ZONE = 0.04  # m from the ends of the body, over which posts begin and cease to bend the chain
SEEK_SPEED = 0.015  # m/s, at which a post that is not felt is sought
FOLLOW_TIME = 0.03  # s, over which the reference follows the fitted shape


class DeformedReference:
    """Learns the offsets of the posts and bends the reference accordingly.

    Attributes:
        offsets: the observer; its mean are the offsets of all posts along their contact normals, m.
        bend: dq in use, shape (n + 2,), m and rad.
    """

    def __init__(self, chain: PlanarChain, posts: int, period: float, map_error: float) -> None:
        """`map_error`: expected offset of a post, standard deviation, m."""
        self._chain = chain
        self._period = period
        self._every = max(1, round(UPDATE_TIME / period))
        self._blend = period / (period + FOLLOW_TIME)
        self.offsets = PostOffsetObserver(posts, map_error, MEASUREMENT_STD)
        self.reset()

    def reset(self) -> None:
        """Back to the map as given."""
        self.offsets.reset()
        self.bend = np.zeros(self._chain.links + 2)
        self._wanted = self.bend
        self._ticks = 0

    def apply(self, state: PathState) -> PathState:
        """The state with shape and contact geometry bent. Inertia stays that of the path: it changes little."""
        chain, q = self._chain, state.q + self.bend
        posture = chain.posture(q)
        return state._replace(
            q=q,
            axes=chain.joint_axes(q, posture),
            along=np.column_stack([posture.cos, posture.sin]),
            across=np.column_stack([-posture.sin, posture.cos]),
            across_rows=chain.across_rows(posture),
            along_rows=chain.along_rows(posture),
        )

    def update(self, measured: Array, state: PathState, contacts: ContactSet, level: Array, seek: bool) -> None:
        """Take in one tick.

        Args:
            measured: joint angles, shape (n - 1,), rad.
            state: as returned by `apply`.
            contacts: planned contacts there.
            level: shape (nc,), how far each has been taken on; below 1 it may not touch.
            seek: whether posts that are not felt are sought further and further away from the path.
        """
        if self._ticks % self._every == 0:
            gap, _ = contacts.rows(self._chain, state, 0.0)
            distance = contacts.clearance + gap[:, 3:] @ (measured - state.q[3:])
            felt = (level >= 1.0) & (contacts.activation >= 1.0)
            self.offsets.update(contacts.post[felt], gap[felt], distance[felt])
            if seek:
                sought = (level <= APPROACH) & (contacts.inside > 0)
                self.offsets.recede(contacts.post[sought], SEEK_SPEED * self._every * self._period)
            wanted = self.offsets.mean[contacts.post] - contacts.clearance + gap @ self.bend
            hold = np.clip((contacts.inside + END_ZONE) / (2 * END_ZONE), 0.0, 1.0)
            self._wanted = _fit(self._chain, state, hold, gap, wanted)
        self._ticks += 1
        self.bend = self.bend + self._blend * (self._wanted - self.bend)


def _fit(chain: PlanarChain, state: PathState, hold: Array, gap: Array, wanted: Array) -> Array:
    """Most plausible dq, shape (n + 2,), with J dq = wanted, as far as contacts are active."""
    nose = state.across_rows[-1] + chain.pitch * chain.turning_rows[-1]
    rows = np.vstack([gap, nose])
    variance = np.append((CONTACT_STD / np.maximum(hold, 1e-2)) ** 2, NOSE_STD**2)
    prior = np.full(rows.shape[1], BEND_STD**2)
    prior[:3] = BASE_STD**2
    weighted = rows * prior
    solution: Array = weighted.T @ np.linalg.solve(weighted @ rows.T + np.diag(variance), np.append(wanted, 0.0))
    return solution
