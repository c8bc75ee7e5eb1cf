# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The search for the start, against chains placed on the path by another solver, and against plain
integration.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.estimation.start_search import Heading, StartSearch
from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_control.paths.path import PlannedPath
from boa_control.paths.settings import PathSettings, StraightPath, WaypointPath
from boa_description.load import load_robot
from boa_description.placement import place_on_curve
from test.boa_control.circle import circle

BOA = load_robot("boa13")
LIMITS = (BOA.joint.lower, BOA.joint.upper)
MIDDLE = BOA.links // 2
STD = 0.03


def prepared(settings: PathSettings) -> tuple[PlannedPath, ReferenceTable]:
    path = build_path(settings, BOA)
    return path, ReferenceTable(path.curve, BOA.links, BOA.link.pitch)


PATH, TABLE = prepared(circle())
SEARCH = StartSearch(PATH, TABLE, LIMITS, STD)
SPAN, LAP = TABLE.span, PATH.curve.length


def placed(s: float, path: PlannedPath = PATH) -> tuple[np.ndarray, np.ndarray]:
    """Base and joint angles of a robot that lies exactly on the path with its middle joint at s."""
    return place_on_curve(path.curve, BOA.links, BOA.link.pitch, anchor_s=s, anchor_joint=MIDDLE)


def apart(a: float, b: float, period: float) -> float:
    return abs((a - b + period / 2) % period - period / 2)


@settings(max_examples=25)
@given(st.floats(0.0, LAP))
def test_exact_angles_tell_the_place_up_to_a_repeat(s: float) -> None:
    found = SEARCH.find(placed(s)[1])
    assert apart(found.s, s, SPAN) < 1e-5
    assert found.confidence > 1 - 1e-9
    assert found.residual < 1e-5


@settings(max_examples=20)
@given(st.floats(0.0, LAP))
def test_one_of_two_kinds_of_repeats_is_the_true_one(s: float) -> None:
    """LRRL on a circle of two m-lines per repeat: posts stand alike in every second repeat."""
    found = SEARCH.find(placed(s)[1])
    assert len(found.alternatives) == 1
    assert sum(apart(place, s, 2 * SPAN) < 1e-5 for place in (found.s, *found.alternatives)) == 1


@pytest.mark.parametrize(
    "s", [0.0, 1e-9, SPAN - 1e-9, SPAN, SPAN + 1e-9, 2 * SPAN, LAP - 1e-9, LAP]
)
def test_seams_between_repeats_are_no_places_of_their_own(s: float) -> None:
    found = SEARCH.find(placed(s)[1])
    assert (
        apart(found.s, s, SPAN) < 1e-5
        and found.confidence > 1 - 1e-9
        and len(found.alternatives) == 1
    )


@settings(max_examples=20)
@given(st.floats(0.0, LAP), st.floats(-0.15, 0.15))
def test_a_heading_tells_the_repeat(s: float, error: float) -> None:
    base, phi = placed(s)
    found = SEARCH.find(phi, Heading(base[2] + error + 4 * np.pi, 0.08))
    assert apart(found.s, s, LAP) < 1e-5
    assert found.alternatives == ()


def test_a_heading_that_says_nothing_leaves_the_alternative() -> None:
    base, phi = placed(1.0)
    assert len(SEARCH.find(phi, Heading(base[2], 3.0)).alternatives) == 1


@settings(max_examples=20)
@given(st.floats(0.0, LAP), st.integers(0, 10_000))
def test_noise_moves_the_place_as_much_as_it_must(s: float, seed: int) -> None:
    """The spread of any unbiased estimate is at least sigma / |phi_ref'(s)|; five of these are
    never exceeded.
    """
    noise = STD * np.random.default_rng(seed).standard_normal(BOA.joints)
    step = 1e-5
    slope = np.linalg.norm((placed(s + step)[1] - placed(s - step)[1]) / (2 * step))
    found = SEARCH.find(placed(s)[1] + noise)
    assert apart(found.s, s, SPAN) < max(5 * STD / slope, 2e-3)
    assert found.confidence > 0.99


def test_confidence_is_the_integral_of_bayes_rule() -> None:
    """Second implementation: plain integration of the two densities, at a sigma so large that much
    stays unclear.
    """
    std = 0.5
    wide = StartSearch(PATH, TABLE, LIMITS, std)
    s = np.linspace(0.0, SPAN, 4000, endpoint=False)
    shapes = TABLE.shapes(s)
    for phi in (placed(0.3)[1], placed(0.05)[1] + 0.2, np.zeros(BOA.joints)):
        density = np.prod(
            np.exp(-0.5 * ((shapes - phi) / std) ** 2) / (std * np.sqrt(2 * np.pi)), axis=1
        )
        nowhere = (LIMITS[1] - LIMITS[0]) ** -BOA.joints
        best = s[np.argmax(density)]
        here = np.array([apart(x, best, SPAN) <= 0.02 for x in s])
        expected = density[here].mean() * here.mean() / (density.mean() + nowhere)
        assert wide.find(phi).confidence == pytest.approx(expected, rel=0.05)
        assert expected < 0.9


def test_confidence_with_a_heading_is_that_of_angles_and_heading_together() -> None:
    """The same with the density of the heading: of the place on the path, and 1 / 2 pi of a robot
    anywhere else.
    """
    std, heading_std = 0.5, 0.3
    wide = StartSearch(PATH, TABLE, LIMITS, std)
    s = np.linspace(0.0, LAP, 4000, endpoint=False)
    headings = np.array([TABLE.world_base(TABLE.at(x))[2] for x in s.tolist()])
    for place, error in ((0.3, 0.0), (1.1, 0.4)):
        base, phi = placed(place)
        phi, heading = phi + 0.6, base[2] + error
        density = np.prod(
            np.exp(-0.5 * ((TABLE.shapes(s) - phi) / std) ** 2) / (std * np.sqrt(2 * np.pi)), axis=1
        )
        off = (headings - heading + np.pi) % (2 * np.pi) - np.pi
        density *= np.exp(-0.5 * (off / heading_std) ** 2) / (heading_std * np.sqrt(2 * np.pi))
        nowhere = (LIMITS[1] - LIMITS[0]) ** -BOA.joints / (2 * np.pi)
        best = s[np.argmax(density)]
        here = np.array([apart(x, best, SPAN) <= 0.02 for x in s])
        expected = density[here].mean() * here.mean() / (density.mean() + nowhere)
        assert wide.find(phi, Heading(heading, heading_std)).confidence == pytest.approx(
            expected, rel=0.05
        )


@settings(max_examples=20)
@given(st.lists(st.floats(*LIMITS), min_size=BOA.joints, max_size=BOA.joints))
def test_a_shape_far_from_the_path_has_no_confidence(angles: list[float]) -> None:
    phi = np.array(angles)
    nearest = np.sqrt(np.mean((TABLE.shapes(np.linspace(0, SPAN, 2000)) - phi) ** 2, axis=1)).min()
    if nearest > 4 * STD:
        found = SEARCH.find(phi)
        assert found.confidence < 1e-6
        assert found.residual >= nearest - 1e-3


def test_a_straight_robot_lies_nowhere_on_the_circle() -> None:
    assert SEARCH.find(np.zeros(BOA.joints)).confidence < 1e-12


def test_on_a_long_straight_every_place_fits_alike() -> None:
    points = ((0.0, 0.0), (3.0, 0.0), (6.0, 0.0), (7.0, 1.0), (6.0, 2.0), (6.0, 4.0))
    path, table = prepared(WaypointPath(kind="waypoints", points=points, minimum_radius=0.3))
    search = StartSearch(path, table, LIMITS, STD)
    assert search.find(np.zeros(BOA.joints)).confidence < 0.2
    s = 7.5  # in the bend
    found = search.find(placed(s, path)[1])
    assert found.s == pytest.approx(s, abs=1e-4) and found.alternatives == ()


def test_an_open_zigzag_starts_where_the_whole_robot_fits() -> None:
    path, table = prepared(
        StraightPath(
            kind="straight", spacing=0.3, attack_angle=np.radians(30), half_line=0.13, cells=40
        )
    )
    search = StartSearch(path, table, LIMITS, STD)
    for s in np.linspace(table.start, table.end, 7):
        found = search.find(placed(s, path)[1])
        assert apart(found.s, s, table.span) < 1e-5 and len(found.alternatives) == 1
        assert all(
            table.start - 1e-9 <= place <= table.end + 1e-9
            for place in (found.s, *found.alternatives)
        )
