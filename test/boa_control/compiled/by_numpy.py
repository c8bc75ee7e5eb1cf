"""What the compiled kernels of the chain work out, by numpy: a reference for their tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.chain import END_ZONE, STEER_DISTANCE, SWUNG
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
    beyond: float,
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
    tail, head = np.minimum(link, planned) == 0, np.maximum(link, planned) == links - 1
    at_ends = np.where(tail, past_tail, np.where(head, up_to_head, np.inf))
    on_path = np.minimum(s - state.sigma[0], state.sigma[-1] - s)
    beside = np.minimum(np.minimum(behind, links * pitch - behind), at_ends)
    beside = np.minimum(beside, on_path + beyond - STEER_DISTANCE)
    inside = np.where(located, beside, on_path)
    at_head = 2 * link > links - 1
    end = np.where(at_head, links - 1, 0)
    tip = np.where(at_head, axes[-1], axes[0])
    out = inside < 0.0
    far = np.minimum(-inside / END_ZONE, 1.0)
    seen = state.in_link_frame(centre, end)
    outwards = far * towards * state.along[end].conjugate() - (1.0 - far) * 1j * side
    outwards = outwards / np.abs(outwards)
    place = far * np.abs(tip - axes[end]) + (1.0 - far) * seen.real
    return Touches(
        np.where(out, end, link),
        np.where(out, place, offset),
        np.where(out[:, None], np.column_stack([outwards.real, outwards.imag]), normal),
        np.where(out, side * ((place - seen) * outwards.conjugate()).real, distance),
        inside,
    )


def left_open(gap: Array, weight: Array, rate: Array) -> Array:
    base = gap[:, :3]
    weighted = base * weight[:, None]
    open_still: Array = rate - base @ np.linalg.solve(weighted.T @ base, weighted.T @ rate)
    return open_still
