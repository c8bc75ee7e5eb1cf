# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A chain that keeps contacts on straight pieces shorter than its links."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.dynamics import PlanarChain
from boa_control.model.kept_contacts import keep_contacts
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_control.paths.path import PlannedPath
from boa_control.paths.settings import SegmentPath
from boa_description.load import load_robot
from boa_description.scene import SMOOTH
from test.boa_control.circle import circle

BOA = load_robot("boa13")
RAMP = 0.03  # m
RADIUS, TURN = 0.09, 0.6  # m, rad
POST = 0.05  # m
SEEN = 1.5e-4  # m of gap that the smoothing of kinks leaves


def zigzag(half: float, closed: bool = False) -> PlannedPath:
    """Bends between straight pieces of `half` to either side of a post, on alternating sides; or
    twelve bends to the left, a lap.
    """
    turn = np.pi / 6 if closed else TURN
    corners = 12 if closed else 9
    lead = half if closed else 1.0
    pieces = [(lead, 0.0)]
    for k in range(corners):
        left = 1.0 if closed or k % 2 else -1.0
        pieces += [(RADIUS * turn, left / RADIUS), (2 * half, 0.0)]
    pieces[-1] = (lead, 0.0)
    bare = {"kind": "segments", "start": (0.0, 0.0), "heading": 0.1, "segments": pieces}
    curve = build_path(SegmentPath.model_validate(bare | {"closed": closed}), BOA).curve
    ends = np.cumsum([length for length, _ in pieces])
    posts, contacts = [], []
    for k, s in enumerate(ends[2 : 2 * corners : 2] - half):
        side = 1 if k % 4 in (0, 3) else -1
        heading = float(curve.heading(s))
        reach = side * (POST + BOA.link.radius)
        x, y = curve.position(s) + reach * np.array([-np.sin(heading), np.cos(heading)])
        posts.append({"kind": "circle", "x": x, "y": y, "radius": POST})
        contacts.append({"post": k, "side": "L" if side > 0 else "R", "s": s})
    full = bare | {"closed": closed, "posts": posts, "contacts": contacts}
    return build_path(SegmentPath.model_validate(full), BOA)


def tables(path: PlannedPath) -> tuple[ReferenceTable, ReferenceTable]:
    """All joints on the path, and the chain that keeps its contacts."""
    on_path = ReferenceTable(path.curve, BOA.links, BOA.link.pitch)
    return on_path, keep_contacts(on_path, path, BOA.link.radius, RAMP)


def gaps(table: ReferenceTable, path: PlannedPath) -> np.ndarray:
    """Of contacts that are carried fully, by the distance of capsules to discs."""
    there = ObstacleMap.of(path.posts)
    at = np.array([post.s for post in path.contacts])
    lap = path.curve.length if path.curve.closed else np.inf
    found = []
    start, end = table.extent
    for s in np.arange(start, end, 0.011):
        point = table.at(float(s))
        tail, head = point.sigma[0] + RAMP, point.sigma[-1] - RAMP
        around = at if lap == np.inf else tail + np.mod(at - tail, lap)
        inside = np.flatnonzero((tail < around) & (around < head))
        pose = chain_pose(BOA, table.world_base(point), point.phi)
        touch = find_contacts(pose, there, within=0.01)
        found += [touch.gap[touch.obstacle == k].min() for k in inside]
    return np.array(found)


@pytest.mark.parametrize("closed", [False, True])
def test_contacts_are_kept_where_links_straddle_bends(closed: bool) -> None:
    path = zigzag(0.08, closed)
    on_path, kept = tables(path)
    assert np.abs(gaps(on_path, path)).max() > 5e-4
    assert np.abs(gaps(kept, path)).max() < SEEN


def test_the_head_stays_on_the_path() -> None:
    path = zigzag(0.08)
    on_path, kept = tables(path)
    start, end = kept.extent
    off = []
    for s in np.arange(start, end, 0.013):
        before, after = on_path.at(float(s)), kept.at(float(s))
        heads = [chain_pose(BOA, point.q[:3], point.phi).axes[-1] for point in (before, after)]
        off.append(np.hypot(*(heads[1] - heads[0])))
    gap = np.abs(gaps(on_path, path)).max()
    assert max(off) < gap  # where the head link itself touches
    assert np.sqrt(np.mean(np.square(off))) < 0.25 * gap


def test_derivatives_are_those_of_the_kept_shape() -> None:
    _, kept = tables(zigzag(0.08))
    s = np.arange(*kept.extent, 0.0011)
    step = 2e-4
    before, at, after = (kept.placement(s + by) for by in (-step, 0.0, step))
    first = (after.q - before.q) / (2 * step) - at.dq
    second = (after.dq - before.dq) / (2 * step) - at.ddq
    # the path's own second derivative jumps where lines meet arcs
    assert np.quantile(np.abs(first).max(axis=1), 0.9) < 0.02
    assert np.quantile(np.abs(second).max(axis=1), 0.9) < 8.0
    assert np.abs(at.ddq).max() > 80.0


def test_the_seam_of_a_lap_is_smooth() -> None:
    path = zigzag(0.08, closed=True)
    _, kept = tables(path)
    lap = path.curve.length
    before, after = kept.at(lap - 1e-9), kept.at(lap + 1e-9)
    np.testing.assert_allclose(after.phi, before.phi, atol=1e-6)
    np.testing.assert_allclose(after.dphi, before.dphi, atol=1e-3)
    assert after.turn == before.turn + 1


def test_a_path_that_keeps_its_contacts_is_left_as_it_is() -> None:
    for path in (build_path(circle(), BOA), zigzag(0.13), zigzag(0.131, closed=True)):
        on_path, kept = tables(path)
        assert kept is on_path


def test_its_contacts_are_those_of_round_joints() -> None:
    path = zigzag(0.08)
    on_path, kept = tables(path)
    chain = PlanarChain(BOA)
    model = PathModel(chain, kept, SMOOTH)
    opening = {}
    for table in (on_path, kept):
        schedule = ContactSchedule(path, table, BOA.link.radius, RAMP)
        rates = []
        for s in np.arange(*kept.extent, 0.0031):
            state = model.at(float(s))
            contacts = schedule.at(state)
            gap, _ = contacts.rows(chain, state, 0.0)
            rates += np.abs(gap @ state.dq)[contacts.activation >= 1.0].tolist()
        opening[table.on_path] = np.quantile(rates, 0.95)
    assert opening[False] < 3e-3  # m/m; but for the moments in which the next link touches
    assert opening[True] > 2e-2  # as if only flat flanks touched
