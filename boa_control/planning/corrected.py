# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A map as a run has corrected it, in the form that the planner takes."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import yaml
from scipy.spatial import cKDTree

from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_control.paths.path import NO_NAMES
from boa_control.planning.post_map import MappedPost, PostMap
from boa_description.arrays import Array

DIGITS = 5  # after the point: a hundredth of a millimetre
LEAST_GAP = 2 * 10.0**-DIGITS  # m, between two posts: more than rounding takes away
PASSES = 100  # over pairs of posts that overlap; one parts a pair, several a row of them
# rad per pass, of the direction in which posts part: one between two others goes round them
TURN, LARGEST_TURN = 0.05, 0.7


def corrected_post_map(corrected: CorrectedMap, names: Mapping[int, str] = NO_NAMES) -> PostMap:
    """The posts that stand, by their `names`, else by their index on the map; those that were on
    none begin with "unexpected". Two that would overlap stand side by side: no posts do,
    their places err.
    """
    places = parted(corrected.posts)
    return PostMap(
        posts=tuple(
            MappedPost(
                id=f"unexpected {post.number}"
                if post.kind == "unexpected"
                else names.get(post.number, post.number),
                x=round(x, DIGITS),
                y=round(y, DIGITS),
                radius=post.radius,
                std=round(post.std, DIGITS),
            )
            for post, (x, y) in zip(corrected.posts, places.tolist(), strict=True)
        )
    )


def map_text(post_map: PostMap) -> str:
    """The map as the text of a YAML file that `load_map` reads."""
    data = post_map.model_dump(mode="json", exclude_defaults=True)
    text: str = yaml.safe_dump(data, sort_keys=False, default_flow_style=None)
    return text


def parted(posts: Sequence[CorrectedPost]) -> Array:
    """Places of the posts, shape (posts, 2), m; of two that overlap each gives way in proportion
    to its variance, the more aside the longer it takes.
    """
    places = np.array([(post.x, post.y) for post in posts]).reshape(-1, 2)
    if len(posts) < 2:
        return places
    variance = [post.std**2 + LEAST_GAP**2 for post in posts]
    reach = 2 * max(post.radius for post in posts) + LEAST_GAP
    for turn in np.minimum(TURN * np.arange(PASSES), LARGEST_TURN):
        cos, sin = math.cos(turn), math.sin(turn)
        before = places.copy()
        for i, j in sorted(cKDTree(places).query_pairs(reach)):
            away = places[j] - places[i]
            apart = math.hypot(*away)
            short = posts[i].radius + posts[j].radius + LEAST_GAP - apart
            if short > LEAST_GAP / 8:  # what rounding leaves
                x, y = away / apart if apart > 0 else (1.0, 0.0)
                step = short * np.array([cos * x - sin * y, sin * x + cos * y])
                share = variance[i] / (variance[i] + variance[j])
                places[i] -= share * step
                places[j] += (1 - share) * step
        if np.array_equal(places, before):
            break
    return places
