# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where posts stand, from the shape of a body that touches them.

A body that touches post k at a known point of a known link says where the post's centre is in its
own frame: c_k, well across the link (a flank touches or it does not), less well along it. The pose
of the body, turn psi and place b, is not measured. With p_k the posts as believed so far,
    p_k - (R(psi) c_k + b) = noise;
what a change of the pose explains is taken out of it (left null space of its columns), and the
rest is a measurement for a Kalman filter over all posts, 2 m - 3 numbers for m posts. The same
post touches the whole body, one link after the other, together with all its neighbours: so the
posts of a lap are tied to each other like a chain that closes.

What moves all posts like one rigid body cannot be seen, does not matter, and stays at its prior.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Array, Flags, Indices

# of the expected squared innovation; a sighting with more counts as noisier by as much
LIKELY = 4.0
ITERATIONS = 2  # of the pose that fits best: the first from the posts, weighed alike


class Sighting(NamedTuple):
    """Posts that the body touches at one instant, in one frame that is fixed to it.

    Attributes:
        post: which, shape (m,).
        centre: as complex numbers x + iy, m. along: unit vectors along the touching links, alike.
        along_std, across_std: standard deviations of `centre` along and across the link, (m,), m.
    """

    post: Indices
    centre: NDArray[np.complex128]
    along: NDArray[np.complex128]
    along_std: Array
    across_std: Array

    def select(self, chosen: Flags) -> Sighting:
        """The posts where `chosen`, shape (m,), is true."""
        return Sighting._make(column[chosen] for column in self)


class TouchedPosts:
    """Belief about the places of all posts of a map.

    Attributes:
        mean: as complex numbers x + iy, shape (posts,), m.
        covariance: of x and y of post 0, of post 1, ..., shape (2 posts, 2 posts), m2.
        sightings: how often each was touched, shape (posts,).
    """

    def __init__(self, places: Array, std: Array | float) -> None:
        """The map as given.

        Args:
            places: shape (posts, 2), m. std: of each place per axis, m; one value or (posts,).
        """
        self._places = places[:, 0] + 1j * places[:, 1]
        self._std = np.broadcast_to(np.asarray(std, float), self._places.shape)
        self.reset()

    def reset(self) -> None:
        """Back to the map as given."""
        self.mean = self._places.copy()
        self.covariance = np.diag(np.repeat(self._std**2, 2))
        self.sightings = np.zeros(self.mean.size, int)
        self._std_of: Array | None = None

    def add(self, place: complex, mean: complex, std: float) -> None:
        """One post more, which has been touched at `mean`, x + iy, m, with the standard deviation
        `std` per axis, m; its displacement counts from `place`.
        """
        count = self.mean.size
        self._places = np.append(self._places, place)
        self._std = np.append(self._std, std)
        self.mean = np.append(self.mean, mean)
        covariance = np.diag(np.full(2 * count + 2, std**2))
        covariance[: 2 * count, : 2 * count] = self.covariance
        self.covariance = covariance
        self.sightings = np.append(self.sightings, 1)

    def go_on_from(self, before: TouchedPosts, former: Indices, new: Indices) -> None:
        """Know of the posts `new` what `before` knows of its posts `former`, shape (k,) each."""
        self.mean[new], self.sightings[new] = before.mean[former], before.sightings[former]
        columns = np.stack([2 * new, 2 * new + 1], axis=1).ravel()
        others = np.stack([2 * former, 2 * former + 1], axis=1).ravel()
        covariance = self.covariance.copy()
        covariance[np.ix_(columns, columns)] = before.covariance[np.ix_(others, others)]
        self.covariance = covariance

    @property
    def displacement(self) -> NDArray[np.complex128]:
        """Of each post from its place on the map, x + iy, shape (posts,), m."""
        shift: NDArray[np.complex128] = self.mean - self._places
        return shift

    @property
    def correction(self) -> Array:
        """Distance of each post from its place on the map, shape (posts,), m."""
        distance: Array = np.abs(self.mean - self._places)
        return distance

    @property
    def std(self) -> Array:
        """Standard deviation of each place per axis (root of their mean square), (posts,), m."""
        if self._std_of is not self.covariance:  # read every tick, changed by a sighting
            self._std_of, self._deviation = self.covariance, _deviation(self.covariance)
        return self._deviation

    def relative_std(self, chosen: Indices) -> Array:
        """`std`, less what moves the `chosen` posts like one rigid body: how well they are known
        among each other.
        """
        deviation = self.std.copy()
        if chosen.size < 2:
            return deviation
        arm = self.mean[chosen] - self.mean[chosen].mean()
        rigid = np.zeros((chosen.size, 2, 3))
        rigid[:, 0, 0] = rigid[:, 1, 1] = 1.0
        rigid[:, 0, 2], rigid[:, 1, 2] = -arm.imag, arm.real
        basis = np.linalg.qr(rigid.reshape(-1, 3))[0]
        columns = np.stack([2 * chosen, 2 * chosen + 1], axis=1).ravel()
        spread = self.covariance[np.ix_(columns, columns)]
        spread = spread - basis @ (basis.T @ spread)
        spread = spread - (spread @ basis) @ basis.T
        deviation[chosen] = _deviation(spread)
        return deviation

    def update(self, seen: Sighting) -> None:
        """Use one sighting; fewer than two posts say nothing."""
        if seen.post.size < 2:
            return
        columns = np.stack([2 * seen.post, 2 * seen.post + 1], axis=1).ravel()
        turned, place = self.locate(seen)
        pose, residual = _equations(seen, turned, place, self.mean[seen.post])
        rows = _post_rows(seen, turned)
        null = np.linalg.qr(pose, mode="complete")[0][:, 3:]
        measured, rows = -(null.T @ residual), null.T @ rows
        spread = self.covariance[:, columns] @ rows.T
        size = rows @ spread[columns]
        unlikely = measured @ np.linalg.solve(size + np.eye(measured.size), measured)
        # a sighting that fits the belief badly is one of something else, or of a blow
        size += max(1.0, float(unlikely) / (LIKELY * measured.size)) * np.eye(measured.size)
        gain = np.linalg.solve(size, spread.T).T
        change = gain @ measured
        self.mean = self.mean + change[0::2] + 1j * change[1::2]
        self.covariance = self.covariance - gain @ spread.T
        self.sightings[seen.post] += 1

    def locate(self, seen: Sighting) -> tuple[complex, complex]:
        """Turn (unit number) and place of the frame of a sighting among the posts."""
        turned, place = _pose(seen, self.mean[seen.post])
        for _ in range(ITERATIONS):
            pose, residual = _equations(seen, turned, place, self.mean[seen.post])
            change = np.linalg.lstsq(pose, residual, rcond=None)[0]
            place += complex(change[0], change[1])
            turned *= complex(np.exp(1j * change[2]))
        return turned, place


def _deviation(covariance: Array) -> Array:
    """Root mean square over both axes of each post, shape (posts,), m."""
    variance = np.diag(covariance).reshape(-1, 2).mean(axis=1)
    deviation: Array = np.sqrt(np.maximum(variance, 0.0))
    return deviation


def aligned(places: NDArray[np.complex128], to: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The places moved like one rigid body to lie as near as possible (least squares) to others."""
    middle, target = places.mean(), to.mean()
    turn = _direction(complex(np.vdot(places - middle, to - target)))
    return (places - middle) * turn + target


def _pose(seen: Sighting, posts: NDArray[np.complex128]) -> tuple[complex, complex]:
    """Turn and place at which the sighting fits the posts, all weighed alike."""
    middle, target = seen.centre.mean(), posts.mean()
    turn = _direction(complex(np.vdot(seen.centre - middle, posts - target)))
    return turn, complex(target - turn * middle)


def _direction(turn: complex) -> complex:
    """Of length one; no turn where all points are one, such as two contacts with one post."""
    return turn / abs(turn) if turn else 1.0 + 0.0j


def _equations(
    seen: Sighting, turn: complex, place: complex, posts: NDArray[np.complex128]
) -> tuple[Array, Array]:
    """Effect of changes of the pose on the residuals, shape (2 m, 3), and the residuals along and
    across the links over their standard deviations, shape (2 m,): residual = pose @ change for a
    pose that is off by `change`.
    """
    axes, weight = _axes(seen, turn)
    arm = turn * seen.centre
    pose = np.stack([axes.real, axes.imag, (axes.conj() * (1j * arm)[:, None]).real], axis=2)
    off = posts - arm - place
    residual = (axes.conj() * off[:, None]).real * weight
    return (pose * weight[:, :, None]).reshape(-1, 3), residual.ravel()


def _post_rows(seen: Sighting, turn: complex) -> Array:
    """Effect of changes of the posts on the residuals, shape (2 m, 2 m)."""
    axes, weight = _axes(seen, turn)
    count = seen.post.size
    parts = np.zeros((count, 2, count, 2))
    k = np.arange(count)
    parts[k, :, k, 0], parts[k, :, k, 1] = axes.real * weight, axes.imag * weight
    return parts.reshape(2 * count, 2 * count)


def _axes(seen: Sighting, turn: complex) -> tuple[NDArray[np.complex128], Array]:
    """Directions along and across the touching links, and one over the standard deviations in them,
    shape (m, 2).
    """
    axes = turn * np.stack([seen.along, 1j * seen.along], axis=1)
    return axes, 1 / np.stack([seen.along_std, seen.across_std], axis=1)
