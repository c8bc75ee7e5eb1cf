# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the compiled kernels of the chain work out, by numpy: a reference for their tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.chain import END_ZONE, SAME_DISTANCE, STEER_DISTANCE, SWUNG
from boa_control.compiled.gaps import MOMENTUM_WEIGHT, TURN_WEIGHT
from boa_control.compiled.rows import BASE_WEIGHT, MOST_STRETCH, ROUNDING
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_description.arrays import Array, Flags, Indices

Complex = NDArray[np.complex128]


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
    centre: Complex,
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


class Touches(NamedTuple):
    link: Indices
    offset: Array
    normal: Array
    distance: Array
    inside: Array


def flank_touches(state: PathState, s: Array, centre: Complex) -> Touches:
    link = state.sigma[1:-1].searchsorted(s, side="right")
    seen = state.in_link_frame(centre, link)
    inside = np.minimum(s - state.sigma[0], state.sigma[-1] - s)
    return Touches(link, seen.real, np.zeros((s.size, 2)), seen.imag, inside)


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
    link, offset, normal = through_bends(centre, side, state, pitch, link, offset, normal)
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


def through_bends(
    centre: Complex,
    side: Array,
    state: PathState,
    pitch: float,
    link: Indices,
    offset: Array,
    normal: Array,
) -> tuple[Indices, Array, Array]:
    """Those contacts that stand in the bend of a joint, between the flanks of both links."""
    link, offset, normal = link.copy(), offset.copy(), normal.copy()
    for k in range(side.size):
        for first in (link[k] - 1, link[k]):
            if normal[k, 0] != 0.0 or first < 0 or first + 1 >= state.along.size:
                continue
            pair = [first, first + 1]
            seen = state.in_link_frame(np.full(2, centre[k]), np.array(pair))
            way = np.array([pitch - seen[0].real, seen[1].real])
            if np.any(way < 0.0) or np.any(way > pitch) or np.any(side[k] * seen.imag <= 0.0):
                continue
            towards = -1j * side[k] * (way @ state.along[pair])
            # where the line from the post meets the axes of both links
            crossed = []
            for arm, link_way in zip(seen, state.along[pair], strict=True):
                turned = towards / link_way
                crossed.append(arm.real - arm.imag * turned.real / turned.imag)
            at = int(crossed[0] > pitch)
            turned = towards / abs(towards) / state.along[pair[at]]
            link[k], offset[k], normal[k] = pair[at], crossed[at], (turned.real, turned.imag)
            break
    return link, offset, normal


def left_open(gap: Array, weight: Array, rate: Array) -> Array:
    base = gap[:, :3]
    weighted = base * weight[:, None]
    open_still: Array = rate - base @ np.linalg.solve(weighted.T @ base, weighted.T @ rate)
    return open_still


def base_rate(
    gap: Array,
    presence: Array,
    rates: Array,
    mass: Array,
    travel: Array,
    speed: float,
    joint_rate: Array,
    turning: float,
) -> Array:
    factor = np.linalg.cholesky(mass[:3, :3])
    momentum = mass[:3, 3:] @ joint_rate - speed * mass[:3] @ travel
    share = np.sqrt(MOMENTUM_WEIGHT / mass[0, 0])
    rows = np.vstack([presence[:, None] * gap[:, :3], share * factor.T])
    right = np.r_[presence * rates, share * np.linalg.solve(factor, momentum)]
    if np.isfinite(turning):
        weight = np.sqrt(TURN_WEIGHT)
        rows, right = np.vstack([rows, [0.0, 0.0, weight]]), np.r_[right, -weight * turning]
    found: Array = np.linalg.lstsq(rows, -right, rcond=None)[0]
    return found


def contact_rows(
    contacts: ContactSet, chain: PlanarChain, state: PathState, friction: float
) -> tuple[Array, Array]:
    turning = chain.turning_rows[contacts.link]
    along, across = contacts.normal[:, :1], contacts.normal[:, 1:]
    sideways = state.across_rows[contacts.link] + contacts.offset[:, None] * turning
    lengthwise = state.along_rows[contacts.link]
    gap = across * sideways + along * lengthwise
    sliding = along * sideways - across * lengthwise - chain.radius * turning
    return gap, gap - friction * contacts.side[:, None] * sliding


def kept_travel(gap: Array, travel: Array) -> Array:
    free = gap.copy()
    free[:, :3] /= BASE_WEIGHT
    rows = free @ gap.T + ROUNDING * np.eye(len(gap))
    kept: Array = travel - np.linalg.solve(rows, gap @ travel) @ free
    square = travel[3:] @ travel[3:]
    return kept * (square / max(travel[3:] @ kept[3:], square / MOST_STRETCH))


def turned(target: Array, p: Array, t: Array) -> Array:
    along = p @ target / (p @ p)
    across = target - along * p
    result: Array = across + (along - t @ across / (t @ t)) * t
    return result


def qp_rows(mass: Array, gap: Array, push: Array, along: Array) -> Array:
    """[-P', M Q] and below [0, J Q], with Q for the joints."""
    count, joints = len(gap), along.size
    reflection = np.eye(joints + 3)
    u = along / np.linalg.norm(along)
    u[0] += np.sign(u[0])
    reflection[3:, 3:] -= 2.0 * np.outer(u, u) / (u @ u)
    return np.block([[-push.T, mass @ reflection], [np.zeros((count, count)), gap @ reflection]])


def joint_forces(
    push: Array, link: Indices, momentum: Array, bias: Array, force: Array, delta: Array
) -> Array:
    headward = link[:, None] > np.arange(bias.shape[1])
    contact = (force[:, None] * push[:, :2]).T @ headward
    forces: Array = (contact - momentum @ delta - bias).T
    return forces
