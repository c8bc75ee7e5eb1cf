# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A path that is too weak for posts that stand elsewhere is named; one that was planned for them is
not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.paths.construct import build_path
from boa_control.paths.path import PlannedPath
from boa_control.planning.checks.along_path import PathScan
from boa_control.planning.checks.displaced import PUSH_MASS, SLIDE
from boa_control.planning.checks.doubted_map import of_map_error, weakness
from boa_control.planning.find import find_route
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.region import Around
from boa_description.load import load_robot
from boa_description.scene import Circle
from test.boa_control.planning.hexagonal import hexagonal

ROBOT = load_robot("boa13")
STD = 0.003
POSTS = tuple(Circle(x=x, y=y, radius=0.05, std=STD) for x, y in hexagonal(0.32, 3.2, 1.3, 0.26))
SETTINGS = RouteSettings(seconds=600.0, refine=0.0)


def scan_of(path: PlannedPath | None) -> PathScan:
    assert path is not None
    return PathScan(path, ROBOT, spacing=0.05)


def test_a_route_on_a_map_with_std_is_strong_enough_for_it() -> None:
    """Search and check work on other samples of bodies, so that they agree up to a tenth."""
    goal = Around(3.0, 0.6, 0.35)
    route = find_route(POSTS, ROBOT, Around(0.3, 0.5, 0.3), [goal], SETTINGS).route
    assert route is not None and route.std == STD
    weak = weakness(scan_of(build_path(route.settings, ROBOT)), 0.0)
    assert weak.slide.max() <= 1.1 * SLIDE and weak.mass.max() <= 1.1 * PUSH_MASS
    assert weak.uneven.mean() < 0.1


def test_the_shipped_path_across_a_field_is_too_weak_for_errors_and_the_circle_is_not() -> None:
    """`hoal` stands still on the first where it is told of 1 mm (evidence/weak_routes.yaml)."""
    field, circle = (
        scan_of(prepare(load_scenario(name)).path) for name in ("boa_random_field", "boa_circle")
    )
    told = of_map_error(field, 0.001)
    assert told is not None and told.level == "warning"
    assert "too weak" in told.text and "slides by up to" in told.text
    assert of_map_error(field, 0.0) is of_map_error(circle, 0.028) is None


def test_posts_that_the_map_knows_count_with_their_own_std() -> None:
    """Contacts of well-known posts may carry twice as unlike forces as those that stand 10 mm off:
    those of the rough field do on much of the path.
    """
    path = prepare(load_scenario("boa_rough_field")).path
    assert path is not None
    known = replace(path, contacts=tuple(replace(at, std=0.0) for at in path.contacts))
    all_off, told, none_off = (
        weakness(scan_of(one), std) for one, std in ((path, 0.01), (known, 0.01), (path, 1e-6))
    )
    assert all_off.uneven.sum() > told.uneven.sum() == none_off.uneven.sum()
    np.testing.assert_array_equal(all_off.slide, told.slide)


@pytest.mark.parametrize("std", [0.0, None])
def test_a_map_without_errors_asks_for_nothing_more(std: float | None) -> None:
    exact = tuple(post.model_copy(update={"std": std}) for post in POSTS)
    assert not SETTINGS.on_map(exact).unsure and SETTINGS.on_map(POSTS).unsure
