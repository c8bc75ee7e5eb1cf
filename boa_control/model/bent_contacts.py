"""Where posts touch a chain that does not lie on its path: its joints are bent where they pass
posts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.model.path_model import PathState
from boa_description.arrays import Array, Indices

SAME_DISTANCE = 1e-9  # m; at a joint both links are equally near
NEIGHBOURS = np.array([[0], [-1], [1]])  # of a link: itself and those beside it


class Candidates(NamedTuple):
    """The links that a post planned on one of them may touch, one column for each: that link and
    those beside it, shape (3, n).

    Attributes:
        link: indices. lowest, highest: of the places along their axis lines, m; the first and the
            last link are not bounded outwards.
    """

    link: Indices
    lowest: Array
    highest: Array

    @classmethod
    def of(cls, links: int, pitch: float) -> Candidates:
        """Those of a chain."""
        link = np.clip(np.arange(links) + NEIGHBOURS, 0, links - 1)
        return cls(
            link,
            np.where(link > 0, 0.0, -np.inf),
            np.where(link < links - 1, pitch, np.inf),
        )


def nearest_links(
    centre: NDArray[np.complex128],
    side: Array,
    state: PathState,
    link: Indices,
    candidates: Candidates,
) -> tuple[Indices, Array, Array, Array]:
    """Link, offset, normal and distance of the axis line that is nearest to each post, of `link`
    and its neighbours.

    At a joint the body is round; there `link` counts, where the path coordinate says that the
    contact is.
    """
    links = candidates.link.take(link, axis=1)
    seen = state.in_link_frame(centre, links)
    offset = np.maximum(seen.real, candidates.lowest.take(link, axis=1))
    offset = np.minimum(offset, candidates.highest.take(link, axis=1))
    arm = seen - offset
    distance = np.abs(arm)
    distance[1:] += SAME_DISTANCE
    chosen = distance.argmin(axis=0) * link.size + np.arange(link.size)
    links, offset, arm = links.take(chosen), offset.take(chosen), arm.take(chosen)
    flank = arm.real == 0.0
    signed = np.where(flank, side * arm.imag, np.abs(arm))
    normal = arm.view(float).reshape(-1, 2) / -signed[:, None]
    normal[flank, 1] = -side[flank]
    return links, offset, normal, side * signed
