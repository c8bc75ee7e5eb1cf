"""The reference bent to fit posts that stand off their places in the map, with its nose led past
the next one.

q_ref(s) fits the posts of the map. Where they stand delta_k off along the contact normals, the
chain must bend by dq such that gap_k(q_ref + dq) = delta_k; and a nose that should meet the next
post at its flank must stay on the path although the links behind it are pushed aside. The most
plausible dq solves, linearised at the present dq,
    minimise  |gap + J (dq - dq_now) - delta|^2 / sigma_c^2 + (y_nose dq)^2 / sigma_n^2 + |dphi|^2 /
    sigma_phi^2,
y_nose being the row of the sideways motion of the nose. The reference follows it smoothly and at
limited speed, and that speed is known: what the joints do to follow it is neither an error nor
progress along the path.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.estimation.post_offsets import PostOffsetObserver
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_description.arrays import Array, Indices

CONTACT_STD = 1e-3  # m, by which the bent chain may miss a post, away from the ends of the body
NOSE_STD = 2e-3  # m, by which the nose may leave the path
# rad; with 0.1 the head bent by 30 degrees for a nose that a few mm of doubt do not call for
BEND_STD = 0.03
BASE_STD = 1.0  # m and rad: the base is free
MEASUREMENT_STD = 2e-3  # m, of one measurement of post offsets
UPDATE_TIME = 0.02  # s, between two measurements; the reference moves 0.8 mm at most meanwhile
PREVIEW = 0.18  # m before the body, from which posts are part of the plan
STEER_DISTANCE = 0.11  # m before the body, from which the nose makes way for the next post
END_ZONE = 0.04  # m from the ends of the body, over which posts begin and cease to bend the chain
SEARCH_SPEED = 0.025  # m/s, at which the body approaches a post that is not felt
SEARCH_LIMIT = 4.0  # standard deviations of the map error, where the search for a post ends
YIELD_FORCE = 4.0  # N, of a post on the tip of the nose, to which the nose yields at SEARCH_SPEED
YIELD_LIMIT = 3.0  # times SEARCH_SPEED, the fastest yielding to larger forces
FOLLOW_RATE = 25.0  # rad/s, of the critically damped motion of the reference to the fitted shape
FOLLOW_SPEED = 0.04  # m/s, most that the reference may move towards or away from a post


class DeformedReference:
    """Learns the offsets of the posts and bends the reference accordingly.

    Attributes:
        offsets: the observer; its mean are the offsets of all posts along their contact normals, m.
        bend: dq in use, shape (n + 2,), m and rad.
        rate: its rate of change, shape (n + 2,), m/s and rad/s.
    """

    def __init__(self, chain: PlanarChain, posts: int, period: float, map_error: float) -> None:
        """`map_error`: expected offset of a post, standard deviation, m."""
        self._chain = chain
        self._period = period
        self._map_error = map_error
        self._every = max(1, round(UPDATE_TIME / period))
        self.offsets = PostOffsetObserver(posts, map_error, MEASUREMENT_STD)
        self.reset()

    def reset(self) -> None:
        """Back to the map as given."""
        self.offsets.reset()
        posts, unknowns = self.offsets.mean.size, self._chain.links + 2
        self.bend, self.rate = np.zeros(unknowns), np.zeros(unknowns)
        self._wanted, self._rows = self.bend, np.zeros((1, unknowns))
        # m, from the estimated offset to where an unfelt post is searched
        self._searched = np.zeros(posts)
        self._in_view = np.zeros(posts, bool)
        self._ticks = 0
        self._direction = 1

    def go_on_from(
        self, before: DeformedReference, former: Indices, new: Indices, mapped: Array
    ) -> None:
        """Go on bent as `before`.

        Args:
            former, new: posts of `before` and of this reference that are the same, shape (k,).
            mapped: how much nearer to the path this map has them, shape (k,), m.
        """
        self.offsets.go_on_from(before.offsets, former, new, mapped)
        self._searched[new], self._in_view[new] = before._searched[former], before._in_view[former]
        self.bend, self.rate = before.bend, before.rate
        self._wanted, self._rows = before._wanted, before._rows
        self._ticks, self._direction = before._ticks, before._direction

    @property
    def assumed(self) -> Array:
        """Offsets at which the posts are known or sought, shape (posts,), m."""
        assumed: Array = self.offsets.mean + self._searched
        return assumed

    @property
    def exhausted(self) -> NDArray[np.bool_]:
        """Posts that were searched to the end and not measured, shape (posts,)."""
        end = -SEARCH_LIMIT * self._map_error
        exhausted: NDArray[np.bool_] = self._searched <= end
        return exhausted

    def apply(self, state: PathState) -> PathState:
        """The state with shape and contact geometry bent. Inertia stays that of the path: it
        changes little.
        """
        chain, q = self._chain, state.q + self.bend
        posture = chain.posture(q)
        return state._replace(
            q=q,
            axes=chain.joint_axes(q, posture).view(complex)[:, 0],
            along=posture.cos + 1j * posture.sin,
            across_rows=chain.across_rows(posture),
            along_rows=chain.along_rows(posture),
        )

    def update(
        self,
        measured: Array,
        state: PathState,
        contacts: ContactSet,
        level: Array,
        force: Array,
        search: bool,
        direction: int = 1,
    ) -> None:
        """Use one tick.

        Args:
            measured: joint angles, shape (n - 1,), rad.
            state: as returned by `apply`.
            contacts: planned contacts there, with posts where they are assumed to stand.
            level: shape (nc,), how far each has been taken on; below 1 it may not touch.
            force: shape (nc,), felt, N.
            search: whether posts that are not felt are searched further and further from the path.
            direction: 1: the head leads; -1: the tail.
        """
        if direction != self._direction:
            self._turn_round(contacts, direction)
        if self._ticks % self._every == 0:
            before = self.assumed[contacts.post]
            gap, _ = contacts.rows(self._chain, state, 0.0)
            felt = (level >= 1.0) & (contacts.activation >= 1.0)
            distance = contacts.clearance + before + gap[:, 3:] @ (measured - state.q[3:])
            self._learn(contacts.post[felt], gap[felt], distance[felt])
            self._search(contacts, level, force, search)
            wanted = gap @ self.bend - contacts.clearance + self.assumed[contacts.post] - before
            self._wanted, self._rows = _fit(
                self._hold(contacts), gap, self._leading_end(state), wanted
            )
        self._ticks += 1
        self._follow()

    def _turn_round(self, contacts: ContactSet, direction: int) -> None:
        """The other end leads from now on; it keeps as clear of the posts before it as they are
        uncertain.
        """
        self._direction = direction
        next_posts = contacts.post[self._ahead(contacts)]
        variance = self.offsets.covariance[next_posts, next_posts]
        self._searched[next_posts] = np.sqrt(np.maximum(variance, 0.0))

    def _leading_end(self, state: PathState) -> Array:
        """Row of the sideways motion of the end that leads, shape (n + 2,)."""
        if self._direction < 0:
            return state.across_rows[0]
        nose: Array = state.across_rows[-1] + self._chain.pitch * self._chain.turning_rows[-1]
        return nose

    def _learn(self, posts: Indices, gap: Array, distance: Array) -> None:
        """Where a post was sought no longer matters once it is felt; it would hide from the
        observer what is new.
        """
        self.offsets.update(posts, gap, distance)
        self._searched[posts] = 0.0

    def _search(self, contacts: ContactSet, level: Array, force: Array, search: bool) -> None:
        """Let the leading end keep clear of a post that comes into view, then search it further
        and further away.
        """
        step = SEARCH_SPEED * self._every * self._period
        ahead = self._ahead(contacts)
        new = contacts.post[ahead]
        self._searched[new[~self._in_view[new]]] = self._map_error
        self._in_view.fill(False)
        self._in_view[contacts.post] = True
        pressed = ahead & (force > YIELD_FORCE)
        yielding = np.minimum(force[pressed] / YIELD_FORCE, YIELD_LIMIT)
        self._searched[contacts.post[pressed]] += step * yielding
        if search:
            sought = contacts.post[(level <= APPROACH) & (contacts.inside > 0)]
            self._searched[sought] = np.maximum(
                self._searched[sought] - step, -SEARCH_LIMIT * self._map_error
            )

    def _hold(self, contacts: ContactSet) -> Array:
        """How firmly each contact bends the chain, shape (nc,), 0 to 1."""
        hold: Array = np.clip((contacts.inside + END_ZONE) / (2 * END_ZONE), 0.0, 1.0)
        ahead = self._ahead(contacts)
        hold[ahead] = np.clip((contacts.inside[ahead] + STEER_DISTANCE) / END_ZONE, 0.0, 1.0)
        return hold

    def _ahead(self, contacts: ContactSet) -> NDArray[np.bool_]:
        leading = self._chain.links - 1 if self._direction > 0 else 0
        ahead: NDArray[np.bool_] = (contacts.inside < 0) & (contacts.link == leading)
        return ahead

    def _follow(self) -> None:
        """Move the bend on by one tick, critically damped, no contact faster than FOLLOW_SPEED."""
        pull = FOLLOW_RATE**2 * (self._wanted - self.bend) - 2 * FOLLOW_RATE * self.rate
        rate = self.rate + self._period * pull
        fastest = float(np.abs(self._rows @ rate).max())
        self.rate = rate * min(1.0, FOLLOW_SPEED / max(fastest, 1e-9))
        self.bend = self.bend + self._period * self.rate


def _fit(hold: Array, gap: Array, nose: Array, wanted: Array) -> tuple[Array, Array]:
    """Most plausible dq, shape (n + 2,), with J dq = wanted, as far as contacts are held; rows of
    contacts and `nose`, shape (n + 2,), the end of the chain that leads.
    """
    rows = np.vstack([gap, nose])
    variance = np.append((CONTACT_STD / np.maximum(hold, 1e-2)) ** 2, NOSE_STD**2)
    prior = np.full(rows.shape[1], BEND_STD**2)
    prior[:3] = BASE_STD**2
    weighted = rows * prior
    solution: Array = weighted.T @ np.linalg.solve(
        weighted @ rows.T + np.diag(variance), np.append(wanted, 0.0)
    )
    return solution, rows
