# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many posts in a few numbers: peg boards, and fields thrown at random.

A field is written in a scenario instead of its posts; the posts are drawn when the scenario is
prepared, so everything that follows (map, simulation, bag, report) has them one by one.
"""

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, Metre

MOST = 5000  # posts of one field
TRIALS = 20_000  # throws in a row that find no room, after which a random field is full

Region = tuple[Metre, Metre, Metre, Metre]


class _Field(Block):
    region: Region = Field(description="x from, x to, y from, y to, of the centres, m")
    radius: Metre = Field(default=0.05, gt=0, le=1, description="of the posts")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        left, right, low, high = self.region
        if left > right or low > high:
            raise ValueError(f"region {self.region}: write x from, x to, y from, y to in order")
        return self


class PegBoard(_Field):
    """Posts in rows across x: `spacing` apart within a row; every second row is shifted by half of
    that when staggered, and rows are then sqrt(3)/2 of the spacing apart. `shift` moves all rows
    along y.
    """

    kind: Literal["pegboard"]
    spacing: Metre = Field(gt=0, le=10, description="within a row")
    staggered: bool = Field(default=True, description="every second row shifted by half of it")
    shift: Metre = Field(default=0.0, description="of all rows along y")


class RandomField(_Field):
    """Posts thrown one after the other where there is room, until the density is reached."""

    kind: Literal["random"]
    seed: int = Field(default=0, ge=0, description="of this field alone")
    density: float = Field(gt=0, le=1000, description="posts per m2, at most")
    least_distance: Metre = Field(gt=0, le=10, description="between centres")
    clearance: Metre = Field(
        default=0.0, ge=0, le=10, description="of centres from the spine of the robot at its start"
    )


PostField = Annotated[PegBoard | RandomField, Field(discriminator="kind")]


def centres(field: PegBoard | RandomField, spine: Array) -> Array:
    """Centres of the posts of a field, shape (k, 2), m.

    Args:
        spine: joint axes of the robot at its start, shape (n + 1, 2), m.

    Raises:
        BoaError: too many posts.
    """
    return _rows(field) if isinstance(field, PegBoard) else _thrown(field, spine)


def _check(count: float, field: PegBoard | RandomField) -> None:
    if count > MOST:
        raise BoaError(
            f"scene.fields: {field.kind} of about {count:.0f} posts, at most {MOST}; give lengths "
            "in m, a smaller region or a wider spacing"
        )


def _rows(board: PegBoard) -> Array:
    left, right, low, high = board.region
    between = board.spacing * (math.sqrt(0.75) if board.staggered else 1.0)
    _check(((right - left) / between + 1) * ((high - low) / board.spacing + 1), board)
    rows = []
    for row in range(math.floor((right - left) / between + 1e-9) + 1):
        shift = board.shift + (board.spacing / 2 if board.staggered and row % 2 else 0.0)
        first = math.ceil((low - shift) / board.spacing - 1e-9)
        last = math.floor((high - shift) / board.spacing + 1e-9)
        y = shift + board.spacing * np.arange(first, last + 1)
        rows.append(np.column_stack((np.full(y.size, left + row * between), y)))
    return np.concatenate(rows)


def _thrown(field: RandomField, spine: Array) -> Array:
    left, right, low, high = field.region
    count = round(field.density * (right - left) * (high - low))
    _check(count, field)
    rng = np.random.default_rng(field.seed)
    posts = np.zeros((count, 2))
    placed = misses = 0
    while placed < count and misses < TRIALS:
        point = rng.uniform([left, low], [right, high])
        near = np.hypot(*(posts[:placed] - point).T)
        if (near < field.least_distance).any() or _distance(point, spine) < field.clearance:
            misses += 1
            continue
        posts[placed] = point
        placed, misses = placed + 1, 0
    return posts[:placed]


def _distance(point: Array, spine: Array) -> float:
    """From a point (2,) to a chain of straight lines through `spine`, m."""
    step = np.diff(spine, axis=0)
    away = point - spine[:-1]
    share = np.clip(np.sum(away * step, axis=1) / np.sum(step**2, axis=1), 0.0, 1.0)
    return float(np.hypot(*(away - share[:, None] * step).T).min())
