# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way of a run of `feeling` once more: its trail, on its map, from the same start."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.controllers.feeling.trail import Trail
from boa_control.experiments.change import changed
from boa_control.experiments.scenario import Scenario
from boa_control.planning.post_map import PostMap
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.scene import Circle

SAME = 0.1  # m, from which a post of the map is none of those that stand


def once_more(scenario: Scenario, trail: Trail, explored: PostMap, speed: float) -> Scenario:
    """The scenario of a run, with its trail to keep to, at `speed`, m/s, and the posts that it
    placed on its map. In simulation the same posts stand.

    Raises:
        BoaError: posts of that run were drawn from its seed.
    """
    posts = explored.circles
    others = [item for item in scenario.scene.obstacles if not isinstance(item, Circle)]
    standing = _standing(scenario)
    rows = np.column_stack((trail.place.real, trail.place.imag, trail.heading, trail.bend))
    changes: dict[str, Any] = {
        "scene.obstacles": [post.model_dump() for post in (*posts, *others)],
        "controller.parameters.trail": np.round(rows, 4).tolist(),
        "controller.parameters.fast": speed,
    }
    if standing:
        wrong = errors_of(posts, standing)
        changes |= {f"disturbance.{name}": block for name, block in wrong.items()}
    named = {"name": f"{scenario.name}_again", "summary": "a way by touch once more, on its map"}
    return changed(scenario, changes).model_copy(update=named)


def errors_of(posts: Sequence[Circle], standing: Sequence[Circle]) -> dict[str, Any]:
    """How those of a map differ from those that stand, which keep their places: blocks of a
    disturbance.
    """
    same = dict(sorted(_same(posts, standing).items()))
    missing = [k for k in range(len(posts)) if k not in same]
    unmapped = [post.model_dump() for i, post in enumerate(standing) if i not in same.values()]
    return {
        "moved": {
            "posts": list(same),
            "to": [(standing[i].x, standing[i].y) for i in same.values()],
        },
        "missing": {"posts": missing},
        "unmapped": {"posts": unmapped},
    }


def _standing(scenario: Scenario) -> list[Circle]:
    """The posts that stand in a simulation of the scenario, on its map or not."""
    given = scenario.disturbance
    drawn = given.moved.count or given.moved.distance or given.missing.count or given.unmapped.count
    unmapped = [post for post in given.unmapped.posts if isinstance(post, Circle)]
    if drawn or given.obstacle_offset or len(unmapped) < len(given.unmapped.posts):
        raise BoaError(
            f"scenario {scenario.name}: its posts are moved, left out or set up by drawing or "
            "beside a path, and cannot be set up once more; give their places"
        )
    places = dict(zip(given.moved.posts, given.moved.to, strict=True))
    mapped = []
    for k, post in enumerate(scenario.scene.obstacles):
        if isinstance(post, Circle) and k not in given.missing.posts:
            x, y = places.get(k, (post.x, post.y))
            mapped.append(post.model_copy(update={"x": x, "y": y, "std": None}))
    return mapped + unmapped


def _same(posts: Sequence[Circle], standing: Sequence[Circle]) -> dict[int, int]:
    """Which of those that stand each post of a map is, the nearest first; none twice."""
    apart = np.abs(_places(posts)[:, None] - _places(standing))
    same: dict[int, int] = {}
    for k, i in zip(*np.unravel_index(np.argsort(apart, axis=None), apart.shape), strict=True):
        if apart[k, i] < SAME and k not in same and i not in same.values():
            same[int(k)] = int(i)
    return same


def _places(posts: Sequence[Circle]) -> Array:
    return np.array([complex(post.x, post.y) for post in posts])
