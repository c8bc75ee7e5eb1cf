"""What the compiled kernels of the chain work out, by numpy: a reference for their tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.chain import SWUNG
from boa_control.model.bent_contacts import Candidates, nearest_links
from boa_control.model.path_model import PathState
from boa_description.arrays import Array, Flags, Indices

Complex = NDArray[np.complex128]


class Touches(NamedTuple):
    link: Indices
    offset: Array
    normal: Array
    distance: Array
    inside: Array


def touches(
    state: PathState,
    pitch: float,
    s: Array,
    side: Array,
    centre: Complex,
    towards: Complex,
    located: Flags,
) -> Touches:
    links, axes = state.along.size, state.axes
    planned = state.sigma[1:-1].searchsorted(s, side="right")
    link, offset, normal, distance = nearest_links(
        centre, side, state, planned, Candidates.of(links, pitch)
    )
    behind = link * pitch + offset
    ahead = -1j * side * towards.conjugate()
    past_tail = ((centre - axes[0]) * ahead).real + SWUNG
    up_to_head = ((axes[-1] - centre) * ahead).real + SWUNG
    at_ends = np.where(link == 0, past_tail, np.where(link == links - 1, up_to_head, np.inf))
    beside = np.minimum(np.minimum(behind, links * pitch - behind), at_ends)
    on_path = np.minimum(s - state.sigma[0], state.sigma[-1] - s)
    inside = np.where(located, beside, on_path)
    at_head = 2 * link > links - 1
    end = np.where(at_head, links - 1, 0)
    tip = np.where(at_head, axes[-1], axes[0])
    out = inside < 0.0
    outwards = towards * state.along[end].conjugate()
    return Touches(
        np.where(out, end, link),
        np.where(out, np.abs(tip - axes[end]), offset),
        np.where(out[:, None], np.column_stack([outwards.real, outwards.imag]), normal),
        np.where(out, side * ((tip - centre) * towards.conjugate()).real, distance),
        inside,
    )


def left_open(gap: Array, weight: Array, rate: Array) -> Array:
    base = gap[:, :3]
    weighted = base * weight[:, None]
    open_still: Array = rate - base @ np.linalg.solve(weighted.T @ base, weighted.T @ rate)
    return open_still
