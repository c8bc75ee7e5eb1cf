# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the head goes next: the cheapest of many short ways past the posts that were touched.

Each way is a row of pieces of constant curvature. A way costs by

- the advance to the goal that it lacks;
- how far its heading, and that of the track before it, is from a wave, a sin(2 pi s / wavelength +
  phase) about the course, at the phase that fits best, for a straight body does not drive itself;
- how near it comes to posts.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from pydantic import Field

from boa_control.controllers.feeling.track import STEP
from boa_description.arrays import Array
from boa_description.robot import Block, Metre, Radian

CURVATURES = (-8.0, -4.0, 0.0, 4.0, 8.0)  # 1/m; 8: 60 deg a joint, near what one may bend
PIECES, CELLS = 4, 12  # of a way, and of a piece in steps of the track: 0.48 m, a third of the body
PIECE = CELLS * STEP
BEFORE = 0.45  # m, half a wave, with which the way ahead shall be one
NEAR = 30.0  # m of advance per m that a post is too near


class WaySettings(Block):
    """The wave of the head, and its distance from posts."""

    amplitude: Radian = Field(default=0.8, ge=0, le=1.5, description="of the heading of the head")
    wavelength: Metre = Field(default=0.9, gt=0.1, description="along its way")
    room: Metre = Field(default=0.02, ge=0, description="beside posts that were touched")


class Head(NamedTuple):
    """Where the track has come.

    Attributes:
        tip: its place, shape (2,), m. heading: of the track there, rad.
        before: of its last BEFORE, against that, shape (k,), rad.
    """

    tip: Array
    heading: float
    before: Array


@dataclass(frozen=True)
class Fan:
    """All ways, from the origin along x.

    Attributes:
        curvature: of their pieces, shape (ways, PIECES), 1/m.
        heading: shape (ways, steps), rad. x, y: shape (ways, steps), m.
    """

    curvature: Array
    heading: Array
    x: Array
    y: Array


@lru_cache(maxsize=1)
def fan() -> Fan:
    """All rows of the curvatures."""
    curvature = np.array(list(product(CURVATURES, repeat=PIECES)))
    each = np.repeat(curvature, CELLS, axis=1)
    heading = np.cumsum(each, axis=1) * STEP
    middle = heading - each * STEP / 2
    x, y = np.cumsum(np.cos(middle), axis=1) * STEP, np.cumsum(np.sin(middle), axis=1) * STEP
    return Fan(curvature, heading, x, y)


def off_wave(turned: Array, before: Array, amplitude: float, wavelength: float) -> Array:
    """Mean square by which headings `before` (k,) and then of ways (ways, steps) differ from one
    wave at the best phase, rad^2: the whole less what the wave explains, as if they were whole
    waves long. Without what was before, a straight head would for ever begin its wave later.
    """
    steps = before.size + turned.shape[1]
    wave = np.exp(2j * np.pi / wavelength * STEP * np.arange(steps))
    explained = np.abs(before @ wave[: before.size] + turned @ wave[before.size :]) / steps
    square = (np.sum(before**2) + np.sum(turned**2, axis=1)) / steps
    off: Array = square - 2 * amplitude * explained + amplitude**2 / 2
    return off


def distances(ways: Fan, head: Head, places: Array) -> Array:
    """From each way to the nearest of the places (k, 2), m; shape (ways,), m."""
    c, s = np.cos(head.heading), np.sin(head.heading)
    away = places - head.tip
    ahead, left = away @ np.array([c, s]), away @ np.array([-s, c])
    x, y = ways.x[:, ::2, None] - ahead, ways.y[:, ::2, None] - left
    nearest: Array = np.sqrt((x**2 + y**2).min(axis=(1, 2), initial=np.inf))
    return nearest


def costs(head: Head, course: float, posts: Array, reach: float, settings: WaySettings) -> Array:
    """Of all ways of the fan, m of advance.

    Args:
        course: direction to go, rad.
        posts: centres of the posts that were touched, shape (k, 2), m.
        reach: from the middle of the body to the centre of a post that it touches, m.
    """
    ways = fan()
    off = head.heading - course
    advance = ways.x[:, -1] * np.cos(off) - ways.y[:, -1] * np.sin(off)
    wave = settings.amplitude, settings.wavelength
    cost = off_wave(ways.heading + off, head.before + off, *wave) - advance
    near = posts[np.hypot(*(posts - head.tip).T) < PIECES * PIECE + reach + settings.room]
    gap = distances(ways, head, near) - reach
    total: Array = cost + NEAR * np.maximum(settings.room - gap, 0.0)
    return total


def next_curvature(
    head: Head, course: float, posts: Array, reach: float, settings: WaySettings
) -> float:
    """Of the first piece of the cheapest way, 1/m; arguments as of `costs`."""
    best = int(np.argmin(costs(head, course, posts, reach, settings)))
    return float(fan().curvature[best, 0])
