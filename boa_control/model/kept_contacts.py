# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chain beside its path by as much as keeps its contacts.

A chain whose joint axes all lie on the path opens and closes the gap of a contact that stands less
than a pitch from a bend: the link at it is a chord of the bend. No body in touch moves like that.
Of all chains that touch, the nearest one

    minimises   sum_j |dp_j|^2 + k l^2 |dphi|^2
    subject to  gap_k(q_ref + dq) = (1 - a_k) gap_k(q_ref),

with dp_j what its joint axes lie beside those on the path and a_k rising over `ramp` from the ends
of the body. Counted by places, only the links at a contact give way, and the head stays on the
path; least in the joint angles, the same gap would turn all that lies before it.

Where a joint passes a post in the inside of its bend the next link touches at once, and dq has a
kink. It is smoothed, so that q_ref has the second derivative that the dynamics need.

Chains are `placed` by x, y of the tail end and the headings of all links, shape (N, n + 2).
"""

from typing import NamedTuple

import numpy as np

from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array, Flags, Indices
from boa_description.chain import spine_points

NEGLIGIBLE = 5e-5  # m of gap; with less everywhere the chain stays on its path
BEND_PRICE = 0.02  # k: of bending beside that of leaving the path
SMOOTHING = 1.5e-3  # m of path, standard deviation of the window that smooths dq(s)
STEPS = 4  # of Newton's method; gaps of 1 mm are then closed to 1e-9 m
ROUNDING = 1e-9  # opposite posts have the same row twice
BLOCK = 2000  # chains worked out together


class _Touch(NamedTuple):
    """Pairs of one of N chains and a contact on it, shape (P,) each.

    Attributes:
        row: the chain. slot: number of the contact among those of the chain.
        link: that touches, where the joints lie on the path.
        centre: of the post, shape (P, 2), m. reach: of the body's middle line to it, m.
        kept: share of the gap that is taken away.
    """

    row: Indices
    slot: Indices
    link: Indices
    centre: Array
    reach: Array
    kept: Array


def keep_contacts(
    reference: ReferenceTable, path: PlannedPath, body_radius: float, ramp: float
) -> ReferenceTable:
    """The table of a chain that keeps its contacts; `reference` where the path does so already.

    Paths built from a pattern do; their tables are those of one repeat and stay as they are.

    Args:
        body_radius: half width of the body, m.
        ramp: length over which a contact is taken on or released, m.
    """
    repeat = reference.curve.repeat
    one_lap = reference.curve.closed and repeat is not None and repeat.length == path.curve.length
    if not path.contacts or not (repeat is None or one_lap):
        return reference
    s, pitch = reference.nodes, reference.pitch
    bend, worst = np.empty((s.size, reference.links + 2)), 0.0
    for begin in range(0, s.size, BLOCK):
        block = slice(begin, begin + BLOCK)
        at = reference.placement(s[block])
        placed = np.concatenate([at.q[:, :2], np.cumsum(at.q[:, 2:], axis=1)], axis=1)
        touch = _touches(reference, path, at.sigma, body_radius, ramp)
        gap, _ = _gaps(placed, touch, pitch)
        bend[block] = _bend(placed, touch, (1.0 - touch.kept) * gap, pitch)
        worst = max(worst, float(np.abs(touch.kept * gap).max(initial=0.0)))
    if worst < NEGLIGIBLE:
        return reference
    return reference.bent(_smoothed(bend, reference.spacing, periodic=one_lap))


def _touches(
    reference: ReferenceTable, path: PlannedPath, sigma: Array, body_radius: float, ramp: float
) -> _Touch:
    """Contacts between tail and head of chains with joints at arc lengths `sigma`, (N, n + 1)."""
    posts = path.contacts
    at = np.array([post.s for post in posts])
    index = np.arange(at.size)
    if reference.curve.closed:  # the body may lie across the seam
        lap = path.curve.length
        at, index = np.concatenate([at - lap, at, at + lap]), np.tile(index, 3)
    inside = np.minimum(at - sigma[:, :1], sigma[:, -1:] - at)
    row, contact = np.nonzero(inside > 0.0)
    first = np.searchsorted(row, row)
    rise = np.minimum(inside[row, contact] / ramp, 1.0)
    post = index[contact]
    return _Touch(
        row,
        np.arange(row.size) - first,
        (sigma[row, 1:-1] <= at[contact, None]).sum(axis=1),
        np.array([[post.x, post.y] for post in posts])[post],
        np.array([post.radius for post in posts])[post] + body_radius,
        rise**2 * (3.0 - 2.0 * rise),
    )


def _bend(placed: Array, touch: _Touch, gap: Array, pitch: float) -> Array:
    """The least dq that leaves gaps `gap`, shape (P,), m, for chains `placed`; shape (N, n + 2)."""
    count, slots = len(placed), int(touch.slot.max(initial=-1)) + 1
    free = np.ones((count, slots), bool)
    free[touch.row, touch.slot] = False
    inverse = np.asarray(np.linalg.inv(_metric(placed[:, 2:], pitch)), float)
    moved = np.zeros_like(placed)
    rows, closed = np.zeros((count, slots, placed.shape[1])), np.zeros((count, slots))
    for _ in range(STEPS):
        now, gradient = _gaps(placed + moved, touch, pitch)
        rows[touch.row, touch.slot] = gradient
        closed[touch.row, touch.slot] = gap - now
        moved = _least(inverse, rows, closed + np.einsum("nki,ni->nk", rows, moved), free)
    return np.concatenate([moved[:, :3], np.diff(moved[:, 2:], axis=1)], axis=1)


def _metric(heading: Array, pitch: float) -> Array:
    """H of sum_j |dp_j|^2 + k l^2 |dphi|^2 in x, y of the tail and headings, (N, n + 2, n + 2)."""
    links = heading.shape[1]
    headward = links - np.arange(links)  # joint axes and the nose that a link moves
    normal = pitch * np.stack([-np.sin(heading), np.cos(heading)], axis=1)
    metric = np.zeros((len(heading), links + 2, links + 2))
    metric[:, :2, :2] = (links + 1) * np.eye(2)
    metric[:, :2, 2:] = headward * normal
    metric[:, 2:, :2] = np.swapaxes(metric[:, :2, 2:], 1, 2)
    both = np.minimum(headward[:, None], headward)
    metric[:, 2:, 2:] = both * np.einsum("nci,ncj->nij", normal, normal)
    difference = np.diff(np.eye(links), axis=0)
    metric[:, 2:, 2:] += BEND_PRICE * pitch**2 * difference.T @ difference
    return metric


def _gaps(placed: Array, touch: _Touch, pitch: float) -> tuple[Array, Array]:
    """Gaps of chains `placed`, shape (P,), m, and their gradients, (P, n + 2).

    A link is a capsule; the nearest of three counts, that of the path and both beside it.
    """
    heading = placed[:, 2:]
    links = heading.shape[1]
    cos, sin = np.cos(heading), np.sin(heading)
    axes = spine_points(pitch, placed[:, :2], cos, sin)
    near = np.clip(touch.link[:, None] + np.array([0, -1, 1]), 0, links - 1)
    row = touch.row[:, None]
    along = np.stack([cos[row, near], sin[row, near]], axis=-1)
    seen = touch.centre[:, None] - axes[row, near]
    offset = np.clip(np.einsum("pci,pci->pc", seen, along), 0.0, pitch)
    arm = offset[..., None] * along - seen
    distance = np.hypot(arm[..., 0], arm[..., 1])
    pair = np.arange(touch.row.size)
    nearest = distance.argmin(axis=1)
    link, offset, distance = (x[pair, nearest] for x in (near, offset, distance))
    normal = arm[pair, nearest] / distance[:, None]
    turning = normal[:, 1:] * cos[touch.row] - normal[:, :1] * sin[touch.row]
    lever = pitch * (np.arange(links) < link[:, None])
    lever[pair, link] = offset
    return distance - touch.reach, np.concatenate([normal, lever * turning], axis=1)


def _least(inverse: Array, rows: Array, closed: Array, free: Flags) -> Array:
    """Least dz with rows dz = closed where not `free`, shape (N, n + 2)."""
    spread = np.einsum("nij,nkj->nki", inverse, rows)
    stiff = np.einsum("nki,nmi->nkm", rows, spread)
    slots = np.arange(free.shape[1])
    stiff[:, slots, slots] += ROUNDING + free
    share = np.linalg.solve(stiff, np.where(free, 0.0, closed)[..., None])[..., 0]
    return np.asarray(np.einsum("nki,nk->ni", spread, share))


def _smoothed(bend: Array, spacing: float, periodic: bool) -> Array:
    """Means over a window of Gaussian weights along s, shape as `bend`."""
    reach = int(np.ceil(4 * SMOOTHING / spacing))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) * spacing / SMOOTHING) ** 2)
    weights /= weights.sum()
    # the first and last row of a lap are the same chain
    longer = (
        np.vstack([bend[-reach - 1 : -1], bend, bend[1 : reach + 1]])
        if periodic
        else np.pad(bend, ((reach, reach), (0, 0)), mode="edge")
    )
    return np.stack([np.convolve(column, weights, "valid") for column in longer.T], axis=1)
