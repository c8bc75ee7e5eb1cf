# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bodies on the path of a search lie where the reference of the controllers has them."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.model.reference import ReferenceTable
from boa_control.paths.segments import SegmentRun, Segments
from boa_control.planning.search.track import Track, pinch, track_behind
from boa_control.planning.search.tree import Reached
from boa_control.planning.search.way import sample

LINKS, PITCH = 13, 0.13
PIECES = (
    (0.3, 0.0),
    (0.12, 9.0),
    (0.25, 0.0),
    (0.2, -7.0),
    (0.3, 0.0),
    (0.1, -11.0),
    (0.2, 10.0),
    (0.9, 0.0),
)
START, HEADING = np.array([0.4, -0.2]), 0.7


@pytest.fixture(scope="module")
def track() -> Track:
    """Of three nodes, as the search makes it: the path cut into ways."""
    node = None
    at, heading, s = START, HEADING, 0.0
    for pieces in (PIECES[:1], PIECES[1:5], PIECES[5:]):
        way = sample(at, heading, pieces, 0.01)
        s += way.s[-1]
        node = Reached(0, node, s, 0.0, way=way)
        at, heading = way.points[-1], float(way.heading[-1])
    assert node is not None
    return track_behind(node, 0.0, -2.0, PITCH)


def test_joints_lie_where_the_reference_has_them(track):
    """Straight pieces of 10 mm between the points of a track: 0.2 mm of a joint's place after 13
    links, and twice that where bends end.
    """
    lengths, bends = np.array(PIECES).T
    curve = SegmentRun(Segments(START, HEADING, lengths, bends))
    table = ReferenceTable(curve, LINKS, PITCH)
    placed = table.placement(np.linspace(*table.extent, 50))
    joints = track.joints(placed.sigma[:, -1], LINKS)
    assert np.abs(joints - placed.sigma).max() < 5e-4


def test_joints_bend_as_the_reference_bends_them(track):
    """Where a joint passes a place, both its links lie on the track; places err by 0.2 mm."""
    lengths, bends = np.array(PIECES).T
    curve = SegmentRun(Segments(START, HEADING, lengths, bends))
    table = ReferenceTable(curve, LINKS, PITCH)
    placed = table.placement(np.linspace(*table.extent, 50))
    at, angles = placed.sigma[:, 1:-1], placed.q[:, 3:]
    inside = (at > PITCH) & (at < track.arcs[-1] - PITCH)
    assert np.ptp(angles[inside]) > 1.0
    assert np.abs(track.bends(at[inside]) - angles[inside]).max() < 4e-3


def test_pinch_counts_joints_in_the_outside_of_their_bend_for_nothing(track):
    at = np.array([0.36, 0.77])  # in a bend to the left, and in one to the right
    left, right = track.bends(at)
    assert left > 0.3 and right < -0.3
    assert pinch(track, at, np.array([1.0, 1.0])) == pytest.approx(left**2)
    assert pinch(track, at, np.array([-1.0, -1.0])) == pytest.approx(right**2)
    assert pinch(track, at, np.array([-1.0, 1.0])) == 0.0


def test_before_its_beginning_the_path_is_straight(track):
    assert track.joints(np.array([0.25]), LINKS)[0] == pytest.approx(
        0.25 - PITCH * np.arange(LINKS, -1, -1), abs=1e-9
    )


def test_poses_stop_just_beside_every_event(track):
    """One with each joint just before a contact, one just behind it, and one where the tail comes
    onto the path.
    """
    at = np.array([0.35, 1.1])
    poses = track.poses(1.4, float(track.arcs[-1]), at, LINKS)
    assert poses.arcs[:, 0].min() == pytest.approx(0.0, abs=1e-3)
    assert (poses.arcs[:, 0] >= 0.0).all()
    for place in at:
        away = poses.arcs - place
        passing = np.flatnonzero((away[0] < 0) & (away[-1] > 0))
        assert passing.size >= 3
        for joint in passing:
            before, after = away[away[:, joint] < 0, joint], away[away[:, joint] >= 0, joint]
            assert before.max() > -1e-3 and after.min() < 1e-3
    links = np.hypot(*np.moveaxis(np.diff(poses.axes, axis=1), -1, 0))
    assert links == pytest.approx(PITCH, abs=3e-4)


def test_a_longer_track_goes_on_straight(track):
    longer = track.longer(0.06, PITCH)
    assert longer.arcs[-1] == pytest.approx(track.arcs[-1] + 0.06)
    joints = longer.joints(longer.arcs[-1:], LINKS)[0]
    assert np.diff(joints)[-5:] == pytest.approx(PITCH, abs=1e-9)
