# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Check a planned path: can this chain follow it, is it held all the way, what can these servos
carry on it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from boa_control.paths.path import PlannedPath
from boa_control.planning.checks import findings
from boa_control.planning.checks.along_path import ClosureScan, PathScan, clearances, closure_scan
from boa_control.planning.checks.doubted_map import of_map_error
from boa_control.planning.checks.findings import Finding
from boa_control.planning.checks.friction import UNKNOWN, FrictionRange, Rubbing
from boa_control.planning.checks.limits import LimitStudy, limit_study, withstood
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import SMOOTH, GroundFriction, Obstacle


@dataclass(frozen=True, slots=True)
class PlanReport:
    """Result of `check`. SI units.

    Attributes:
        length: of the path (one lap when closed), m.
        smallest_radius: of the path, m.
        largest_angle: rad; largest_angle_rate: of phi_ref'(s), rad/m; largest_angle_jump: of
            phi_ref''(s), rad/m2.
        smallest_gap: between body and posts, m (0 for a planned contact, negative where a post is
            in the way, infinite without posts).
        ground: floor.
        closure: form closure over s.
        limits: friction, speed and preload limits over s.
        friction: of posts and floor that is possible. withstood: see `limits.withstood`.
        findings: worst first.
    """

    length: float
    closed: bool
    smallest_radius: float
    largest_angle: float
    largest_angle_rate: float
    largest_angle_jump: float
    smallest_gap: float
    ground: GroundFriction
    closure: ClosureScan
    limits: LimitStudy
    friction: FrictionRange
    withstood: Array
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """No errors."""
        return all(finding.level != "error" for finding in self.findings)

    @property
    def bearable(self) -> Rubbing:
        """Up to which friction of posts and floor contacts balance everywhere."""
        return self.friction.at(float(self.withstood.min()))

    def _friction_line(self) -> str:
        worst, most = self.bearable, self.friction.most
        asked = "" if worst == most else f" (asked: {most.posts:g} and {most.floor:g})"
        return f"up to {worst.posts:.2f} on a floor of up to {worst.floor:.3f} everywhere{asked}"

    def lines(self, *, notes: bool = True) -> tuple[str, ...]:
        """The report for people, one fact per line; with or without findings that are notes."""
        closure, limits = self.closure, self.limits
        kind = "closed" if self.closed else "open"
        head = (
            f"path            {self.length:.3f} m {kind}, radius at least "
            f"{self.smallest_radius:.3f} m",
            f"joints          bend to {np.degrees(self.largest_angle):.1f} deg, "
            f"{self.largest_angle_rate:.1f} rad/m, jumps of the second derivative "
            f"{self.largest_angle_jump:.0f} rad/m2",
            f"contacts        {closure.contacts.min()} to {closure.contacts.max()}"
            + (
                f", smallest gap {round(self.smallest_gap * 1e3, 2) + 0.0:.2f} mm"
                if closure.contacts.any()
                else ""
            ),
            f"form closure    first order {np.mean(closure.order == 1):.1%}, second order only "
            f"{np.mean(closure.order == 2):.1%}, none {np.mean(closure.order == 0):.1%}; "
            f"least margin {closure.margin.min():.2f}, least wrench ball {closure.ball.min():.2f}",
            f"floor friction  up to {findings.floor_strength(self.ground, limits.friction.min())} "
            f"everywhere (median {np.median(limits.friction):.3f})",
            f"post friction   {self._friction_line()}",
            f"speed           up to {limits.speed.min():.3f} m/s everywhere (median "
            f"{np.median(limits.speed):.3f}"
            + (
                ")"
                if limits.profile is None
                else f"; {limits.profile.mean_speed:.3f} m/s on average with a profile)"
            ),
            f"preload         up to {limits.preload.min():.1f} N on every contact",
        )
        told = [finding for finding in self.findings if notes or finding.level != "note"]
        return head + tuple(f"{finding.level}: {finding.text}" for finding in told)


def check(
    path: PlannedPath,
    robot: Robot,
    ground: GroundFriction = SMOOTH,
    contact_friction: float = 0.0,
    others: Sequence[Obstacle] = (),
    desired_speed: float = 0.0,
    desired_force: float = 0.0,
    spacing: float | None = None,
    friction: FrictionRange = UNKNOWN,
    map_error: float = 0.0,
) -> PlanReport:
    """Check a path for a robot. Takes a few seconds.

    Args:
        ground, contact_friction: of floor and posts, with which friction, speed and preload are
            judged.
        others: obstacles besides the path's posts, which the robot must not meet.
        desired_speed, desired_force: set-points of the controller, m/s and N on every contact.
        spacing: of the places that are checked, m; see `PathScan`.
        friction: of posts and floor, which nobody knows.
        map_error: that the controller expects of posts, m; see `doubted_map`.

    Raises:
        BoaError: the chain cannot even be placed on the path.
    """
    scan = PathScan(path, robot, ground, contact_friction, spacing)
    asked = (others, desired_speed, desired_force)
    return report_on(scan, closure_scan(scan), *asked, limit_study, friction, map_error)


def decisive(
    scan: PathScan, limits: LimitStudy, others: Sequence[Obstacle] = ()
) -> tuple[Finding, ...]:
    """The findings among which errors may be; the remaining ones of `check` are never any.

    Args:
        limits: `least_loads` at least. others: as of `check`.
    """
    s, states = limits.s, [sample.state for sample in scan.samples]
    gap, nearest = scan.gaps
    told = (
        findings.of_angles(s, np.array([state.q[3:] for state in states]), scan.robot),
        findings.of_progress(scan.reference),
        findings.of_crossing(s, np.array([state.axes for state in states]), scan.robot),
        findings.of_gaps(s, gap, nearest, scan.path),
        findings.of_clearances(clearances(scan), scan.path),
        findings.of_other_obstacles(scan, others),
        findings.of_floor(limits, scan.ground) or findings.of_balance(limits, scan),
    )
    return findings.worst_first(told)


def report_on(
    scan: PathScan,
    closure: ClosureScan,
    others: Sequence[Obstacle] = (),
    desired_speed: float = 0.0,
    desired_force: float = 0.0,
    study: Callable[[PathScan], LimitStudy] = limit_study,
    friction: FrictionRange = UNKNOWN,
    map_error: float = 0.0,
) -> PlanReport:
    """As `check`, where form closure along the path is known already. `study`: of the limits."""
    path = scan.path
    s = scan.positions()
    curve_s = np.linspace(0.0, path.curve.length, max(1000, round(path.curve.length / 1e-3)))
    curvature = float(np.abs(path.curve.curvature(curve_s)).max())
    states = [sample.state for sample in scan.samples]
    angles = np.array([state.q[3:] for state in states])
    rates = np.array([state.dphi for state in states])
    bends = np.array([state.ddq[3:] for state in states])
    jump = float(np.abs(np.diff(bends, axis=0)).max())
    limits = study(scan)
    bearable = withstood(scan, friction)
    told = (
        *decisive(scan, limits, others),
        findings.of_closure(closure, path),
        findings.of_friction(s, bearable, friction),
        findings.of_speed(limits, desired_speed),
        findings.of_force(limits, desired_force),
        of_map_error(scan, map_error),
        findings.of_bends(jump),
    )
    return PlanReport(
        length=path.curve.length,
        closed=path.curve.closed,
        smallest_radius=1 / curvature if curvature > 0 else np.inf,
        largest_angle=float(np.abs(angles).max()),
        largest_angle_rate=float(np.abs(rates).max()),
        largest_angle_jump=jump,
        smallest_gap=float(scan.gaps[0].min()),
        ground=scan.ground,
        closure=closure,
        limits=limits,
        friction=friction,
        withstood=bearable,
        findings=findings.worst_first(told),
    )
