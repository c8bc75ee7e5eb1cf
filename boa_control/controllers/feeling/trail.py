# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The trail that a head has left, to be gone once more: where it was, and how its track bent there.

How the track bends is kept beside the places, for a body of springs on a floor that rubs goes
elsewhere than its track leads: the same bends bring it to the same places.
"""

from typing import NamedTuple

import numpy as np

from boa_control.controllers.feeling.track import STEP
from boa_description.arrays import Array

EVERY = 2 * STEP  # m of track, from point to point
SMOOTH = 6  # points to either side, a pitch of links, over which a trail bends at least
ROUNDS = 60  # of smoothing, by then changes are below a millimetre


class Trail(NamedTuple):
    """Of every EVERY of the track.

    Attributes:
        place: of the head, x + iy, m. heading: of the track there, rad, not wrapped. bend: its
            curvature, 1/m. Shape (k,) each.
    """

    place: Array
    heading: Array
    bend: Array


def kept(track: Array, head: Array, link: Array, bend: Array, pitch: float) -> Trail:
    """The trail of a run: what it went back over, and left by another way, is not of it.

    Args:
        track: how far the head had come on its track, tick by tick, shape (t,), m. head: its place,
            shape (t, 2), m. link: heading of its link, rad, which lies on the chord of the last
            pitch, m, of the track. bend: curvature of the track there, 1/m.
    """
    later = np.append(np.minimum.accumulate(track[::-1])[::-1][1:], np.inf)
    final = np.flatnonzero(track < later)
    at = np.arange(track[final[0]], track[final[-1]], EVERY)
    columns = head[:, 0], head[:, 1], np.unwrap(link), bend
    x, y, chord, curvature = (np.interp(at, track[final], column[final]) for column in columns)
    smooth = _smooth(curvature)
    turned = _summed(smooth)
    whole = _summed(turned)
    length = np.clip(at - at[0], EVERY, pitch)
    mean = (whole - np.interp(at - pitch, at, whole)) / length
    return Trail(x + 1j * y, chord + turned - mean, smooth)


def _summed(values: Array) -> Array:
    """Over the track, from its start."""
    summed: Array = np.append(0.0, np.cumsum(values[1:] + values[:-1])) * EVERY / 2
    return summed


def cleared(trail: Trail, posts: Array, distance: float) -> Trail:
    """The trail moved aside, and bent accordingly, so that it passes posts (k, 2) at a distance, m,
    as far as there is room: a head that felt its way leaned on them.
    """
    low, high = _bounds(trail, posts, distance)
    aside = np.zeros(trail.place.size)
    for _ in range(ROUNDS):
        aside = _smooth(np.clip(aside, low, high))
    along = np.append(0.0, np.cumsum(np.abs(np.diff(trail.place)) + 1e-9))
    turned = np.arctan(_smooth(np.gradient(aside, along)))
    return Trail(
        trail.place + aside * 1j * np.exp(1j * trail.heading),
        trail.heading + turned,
        trail.bend + np.gradient(turned) / EVERY,
    )


def _bounds(trail: Trail, posts: Array, distance: float) -> tuple[Array, Array]:
    """How far to the left the trail must be moved at least and at most, shape (k,) each, m; halfway
    where posts on both sides leave too little room.
    """
    low, high = np.full(trail.place.size, -np.inf), np.full(trail.place.size, np.inf)
    for x, y in posts.tolist():
        away = (trail.place - complex(x, y)) * np.exp(-1j * trail.heading)
        left = away.imag[np.argmin(np.abs(away))] > 0
        near = np.flatnonzero((np.abs(away.real) < distance) & (np.abs(away) < 2 * distance))
        chord = np.sqrt(distance**2 - away.real[near] ** 2)
        if left:
            low[near] = np.maximum(low[near], chord - away.imag[near])
        else:
            high[near] = np.minimum(high[near], -chord - away.imag[near])
    narrow = low > high
    low[narrow] = high[narrow] = (low[narrow] + high[narrow]) / 2
    return low, high


def _smooth(values: Array) -> Array:
    """Weighted means with the neighbours."""
    weight = np.hanning(2 * SMOOTH + 3)[1:-1]
    padded = np.pad(values, SMOOTH, mode="edge")
    smoothed: Array = np.convolve(padded, weight / weight.sum(), mode="valid")
    return smoothed
