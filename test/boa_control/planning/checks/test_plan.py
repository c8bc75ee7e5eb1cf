# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`plan.check` finds what was built into the path, and words it with the remedy."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.paths.construct import build_path
from boa_control.paths.settings import WaypointPath
from boa_control.planning.checks.plan import PlanReport, check
from boa_description.load import load_robot
from boa_description.scene import Circle, GroundFriction
from test.boa_control.circle import circle

SETTINGS = circle()


def report(**change: object) -> PlanReport:
    robot = load_robot("boa13")
    return check(build_path(SETTINGS.model_copy(update=change), robot), robot, spacing=0.05)


def on(
    ground: GroundFriction, contact_friction: float = 0.0, speed: float = 0.0, force: float = 0.0
) -> PlanReport:
    robot = load_robot("boa13")
    return check(
        build_path(SETTINGS, robot),
        robot,
        ground,
        contact_friction,
        desired_speed=speed,
        desired_force=force,
        spacing=0.05,
    )


def texts(found: PlanReport, level: str) -> str:
    return " | ".join(finding.text for finding in found.findings if finding.level == level)


def test_a_good_path_has_no_errors_and_reads_well() -> None:
    found = report()
    assert found.ok and not texts(found, "warning")
    assert any("form closure    first order 100.0%" in line for line in found.lines())
    assert found.smallest_gap == pytest.approx(0.0, abs=1e-6)


def test_propelling_posts_alone_are_named_as_the_reason_for_missing_closure() -> None:
    assert "let some brake" in texts(report(sides="LR"), "warning")


def test_too_few_posts_are_named() -> None:
    assert "contacts there, four are needed" in texts(report(sides="L---"), "warning")


def test_friction_beyond_the_servos_is_an_error() -> None:
    found = on(GroundFriction(model="coulomb", mu=0.3))
    assert not found.ok
    assert "floor friction mu = 0.300 cannot be carried" in texts(found, "error")


def test_friction_across_the_links_counts() -> None:
    found = on(GroundFriction(model="anisotropic", mu=0.02, mu_normal=1.5))
    assert "floor friction mu = 0.020 along and 1.500 across the links cannot be carried" in texts(
        found, "error"
    )


def test_friction_at_the_posts_leaves_less_for_the_floor() -> None:
    floor = GroundFriction(model="coulomb", mu=0.1)
    assert on(floor).ok
    assert "floor friction mu = 0.100 cannot be carried" in texts(on(floor, 0.2), "error")


def test_posts_that_are_too_rough_stop_the_robot() -> None:
    assert "stand more posts on both sides (LRRL), or smoother ones" in texts(
        on(GroundFriction(), 0.6), "error"
    )


def test_a_viscous_floor_limits_the_speed() -> None:
    found = on(GroundFriction(model="viscous", viscous=200.0), speed=0.1)
    assert "the desired speed of 0.1 m/s is more than the servos manage: 0.01" in texts(
        found, "warning"
    )
    assert any("N on every link everywhere" in line for line in found.lines())


def test_wishes_are_judged_by_the_limits() -> None:
    modest = on(GroundFriction(), speed=0.2, force=5.0)
    bold = on(GroundFriction(), speed=1.0, force=30.0)
    assert not texts(modest, "warning") and "wanted" not in texts(modest, "note")
    assert "the desired speed of 1 m/s is more" in texts(bold, "warning") and bold.ok
    assert "the desired contact force of 30 N is more" in texts(bold, "warning")
    uneven = on(GroundFriction(), speed=0.2, force=12.0)
    assert "the desired contact force of 12 N is more" in texts(uneven, "note")


def test_a_long_straight_is_refused_once_for_it_hides_how_far_the_robot_is() -> None:
    robot = load_robot("boa13")
    posts = tuple(
        Circle(
            x=0.2 + 0.3 * k,
            y=(1 if k % 4 in (0, 3) else -1) * (0.05 + robot.link.radius),
            radius=0.05,
        )
        for k in range(8)
    )
    line = build_path(
        WaypointPath(
            kind="waypoints",
            points=tuple((0.3 * k, 0.0) for k in range(9)),
            minimum_radius=0.2,
            obstacles=posts,
        ),
        robot,
    )
    assert "joint angles do not show where on its path the robot is" in texts(
        check(line, robot, spacing=0.05), "error"
    )


def test_short_m_lines_leave_posts_in_the_way() -> None:
    found = report(half_line=0.06)
    assert found.smallest_gap < -1e-3
    assert "overlaps post" in texts(found, "error") + texts(found, "warning")


def test_posts_that_nothing_can_push_against_stop_the_robot() -> None:
    found = report(sides="L---")
    assert not found.ok
    assert "no contact forces balance the robot on 100% of the path" in texts(found, "error")


def test_posts_off_the_body_are_named_with_their_distance() -> None:
    assert "all posts stand off the body" in texts(report(clearance=0.01), "warning")
    assert "by 30.0 mm" in texts(report(clearance=0.03), "error")


def test_a_path_without_posts_says_so_once() -> None:
    found = report(sides="-")
    assert texts(found, "error") == "no posts along the path: nothing to push against"
    assert "inf" not in "".join(found.lines())


def test_a_path_that_crosses_itself_under_the_robot_is_an_error() -> None:
    points = (
        (-0.5, 0.0),
        (0.5, 0.0),
        (0.75, 0.2),
        (0.5, 0.4),
        (0.3, 0.2),
        (0.3, -0.4),
        (0.3, -1.2),
    )
    robot = load_robot("boa13")
    crossing = build_path(WaypointPath(kind="waypoints", points=points, minimum_radius=0.05), robot)
    assert "crosses itself within a body length" in texts(
        check(crossing, robot, spacing=0.05), "error"
    )


def test_obstacles_of_the_scene_must_not_stand_in_the_way() -> None:
    """A circle with its centre 60 mm beside a straight part of the path, on the side without a
    post, half a lap on.
    """
    robot = load_robot("boa13")
    path = build_path(SETTINGS, robot)
    post = path.contacts[12]
    spine = path.curve.position(np.array([post.s]))[0]
    towards = spine - [post.x, post.y]
    beside = spine + 0.06 * towards / np.linalg.norm(towards)
    found = check(path, robot, spacing=0.05, others=[Circle(x=beside[0], y=beside[1], radius=0.05)])
    assert f"the body overlaps the circle at x = {beside[0]:g} m" in texts(found, "error")
    assert f"by {1e3 * (0.05 + robot.link.radius - 0.06):.1f} mm" in texts(found, "error")
    away = spine + 0.2 * towards / np.linalg.norm(towards)
    assert check(path, robot, spacing=0.05, others=[Circle(x=away[0], y=away[1], radius=0.05)]).ok
