"""Where posts touch a chain that does not lie on its path: one whose joints are bent where they
pass posts, or that bends to posts which stand elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.model.path_model import PathState
from boa_description.arrays import Array, Indices

# m, by which a located post may seem further inside than the end of a bent body has come
SWUNG = 0.03
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


def reached(
    tangent: NDArray[np.complex128],
    centre: NDArray[np.complex128],
    state: PathState,
    link: Indices,
) -> Array:
    """Most that posts at the first and last link may be inside, shape (nc,), m: how far the end of
    the body has come along the path at the post. Beside a tail that has swung away lies a post that
    it left long ago.

    Args:
        tangent: of the path at the posts, unit complex numbers, conjugate. centre: of the posts.
    """
    past_tail = ((centre - state.axes[0]) * tangent).real
    up_to_head = ((state.axes[-1] - centre) * tangent).real
    last = state.along.size - 1
    at_ends = np.where(link == 0, past_tail, np.where(link == last, up_to_head, np.inf))
    return at_ends + SWUNG


def beside_the_ends(
    centre: NDArray[np.complex128],
    towards: NDArray[np.complex128],
    side: Array,
    outside: NDArray[np.bool_],
    state: PathState,
    link: Indices,
    offset: Array,
    normal: Array,
    distance: Array,
) -> None:
    """Set link, offset, normal and distance of posts `outside`, before the nose or behind the tail.

    A nose that must pass a post has to be beside it before it gets there. How far it is beside is
    measured across the path at the post, not across the head link, which still lies in the bend
    before it.
    """
    axes, along = state.axes, state.along
    last = along.size - 1
    for k in outside.nonzero()[0].tolist():
        touched, end = (last, last + 1) if link.item(k) > last / 2 else (0, 0)
        tip, outwards = axes.item(end), towards.item(k)
        across = outwards * along.item(touched).conjugate()
        link[k], offset[k] = touched, abs(tip - axes.item(touched))
        normal[k] = across.real, across.imag
        distance[k] = side.item(k) * ((tip - centre.item(k)) * outwards.conjugate()).real
