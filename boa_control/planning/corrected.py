"""A map as a run has corrected it, in the form that the planner takes."""

from __future__ import annotations

import yaml

from boa_control.paths.corrected_map import CorrectedMap
from boa_control.planning.post_map import MappedPost, PostMap

DIGITS = 5  # after the point: a hundredth of a millimetre


def corrected_post_map(corrected: CorrectedMap) -> PostMap:
    """The posts that stand, named by their index on the map; those that were on none begin with
    "unexpected".
    """
    return PostMap(
        posts=tuple(
            MappedPost(
                id=f"unexpected {post.number}" if post.kind == "unexpected" else post.number,
                x=round(post.x, DIGITS),
                y=round(post.y, DIGITS),
                radius=post.radius,
                std=round(post.std, DIGITS),
            )
            for post in corrected.posts
        )
    )


def map_text(post_map: PostMap) -> str:
    """The map as the text of a YAML file that `load_map` reads."""
    data = post_map.model_dump(mode="json", exclude_defaults=True)
    text: str = yaml.safe_dump(data, sort_keys=False, default_flow_style=None)
    return text
