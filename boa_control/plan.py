"""Check a planned path: can this chain follow it, is it held all the way, what can these servos carry on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boa_control.closure.along_path import (
    SAMPLES_PER_PERIOD,
    ClosureScan,
    PathScan,
    clearances,
    closure_scan,
    deepest_overlap,
    gaps,
)
from boa_control.closure.limits import LimitStudy, limit_study
from boa_control.paths.path import PlannedPath
from boa_description.robot import Robot
from boa_description.scene import GroundFriction, Obstacle, Wall

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

ENOUGH_CONTACTS = 5
GAP_TOLERANCE = 1e-4  # m; contacts on a well-built path have gap 0
LEAST_FORCE = 0.5  # N; what every contact must keep at the largest speed
LOOSE = 1e-3  # m; a post further off the body than this is not simply touched
OUT_OF_REACH = 0.02  # m; and further than this the controller does not look for it
STEEP_BEND = 250.0  # rad/m2; jumps of phi'' above this dominate the peak torque from about 0.25 m/s


@dataclass(frozen=True, slots=True)
class Finding:
    """One result worth telling: `error` stops the robot, `warning` costs something, `note` is good to know."""

    level: Literal["error", "warning", "note"]
    text: str


@dataclass(frozen=True, slots=True)
class PlanReport:
    """All that `check` found. SI units.

    Attributes:
        length: of the path (one lap when closed), m.
        smallest_radius: of the path, m.
        largest_angle: rad; largest_angle_rate: of phi_ref'(s), rad/m; largest_angle_jump: of phi_ref''(s), rad/m2.
        smallest_gap: between body and posts, m (0 for a planned contact, negative where a post is in the way,
            infinite without posts).
        closure: form closure over s.
        limits: friction, speed and preload limits over s.
        findings: worst first.
    """

    length: float
    closed: bool
    smallest_radius: float
    largest_angle: float
    largest_angle_rate: float
    largest_angle_jump: float
    smallest_gap: float
    closure: ClosureScan
    limits: LimitStudy
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """No errors."""
        return all(finding.level != "error" for finding in self.findings)

    def lines(self) -> tuple[str, ...]:
        """The report for people, one fact per line."""
        closure, limits = self.closure, self.limits
        kind = "closed" if self.closed else "open"
        head = (
            f"path            {self.length:.3f} m {kind}, radius at least {self.smallest_radius:.3f} m",
            f"joints          bend to {np.degrees(self.largest_angle):.1f} deg, {self.largest_angle_rate:.1f} rad/m, "
            f"jumps of the second derivative {self.largest_angle_jump:.0f} rad/m2",
            f"contacts        {closure.contacts.min()} to {closure.contacts.max()}"
            + (f", smallest gap {round(self.smallest_gap * 1e3, 2) + 0.0:.2f} mm" if closure.contacts.any() else ""),
            f"form closure    first order {np.mean(closure.order == 1):.1%}, second order only "
            f"{np.mean(closure.order == 2):.1%}, none {np.mean(closure.order == 0):.1%}; "
            f"least margin {closure.margin.min():.2f}",
            f"floor friction  up to mu = {limits.friction.min():.3f} everywhere "
            f"(median {np.median(limits.friction):.3f})",
            f"speed           up to {limits.speed.min():.3f} m/s everywhere (median {np.median(limits.speed):.3f}"
            + (")" if limits.profile is None else f"; {limits.profile.mean_speed:.3f} m/s on average with a profile)"),
            f"preload         up to {limits.preload.min():.1f} N on every contact",
        )
        return head + tuple(f"{finding.level}: {finding.text}" for finding in self.findings)


def check(
    path: PlannedPath,
    robot: Robot,
    ground: GroundFriction | None = None,
    samples: int = SAMPLES_PER_PERIOD,
    others: Sequence[Obstacle] = (),
) -> PlanReport:
    """Check a path for a robot. Takes a few seconds.

    Args:
        ground: floor friction under which speed and preload are judged; none by default.
        samples: along one period of a pattern of four posts; few samples miss short holes in the closure.
        others: obstacles besides the path's posts, which the robot must not meet.

    Raises:
        BoaError: the chain cannot even be placed on the path.
    """
    scan = PathScan(path, robot, samples=samples)
    s = scan.positions()
    curve_s = np.linspace(0.0, path.curve.length, max(1000, round(path.curve.length / 1e-3)))
    curvature = float(np.abs(path.curve.curvature(curve_s)).max())
    states = [scan.model.at(float(x)) for x in s]
    angles = np.array([state.q[3:] for state in states])
    rates = np.array([state.dq[3:] for state in states])
    bends = np.array([state.ddq[3:] for state in states])
    jump = float(np.abs(np.diff(bends, axis=0)).max())
    gap, nearest = gaps(scan)
    closure = closure_scan(scan)
    mu = 0.0 if ground is None or ground.model == "none" else ground.mu
    limits = limit_study(scan, friction=mu, least_force=LEAST_FORCE)
    findings = [
        *_angle_findings(s, angles, robot),
        *_crossing_findings(s, np.array([state.axes for state in states]), robot),
        *_gap_findings(s, gap, nearest, path),
        *_clearance_findings(clearances(scan), path),
        *_other_findings(scan, others),
        *_closure_findings(closure, path),
        *(_friction_findings(limits, ground) or _balance_findings(limits, closure, path)),
        *_bend_findings(jump),
    ]
    order = {"error": 0, "warning": 1, "note": 2}
    return PlanReport(
        length=path.curve.length,
        closed=path.curve.closed,
        smallest_radius=1 / curvature if curvature > 0 else np.inf,
        largest_angle=float(np.abs(angles).max()),
        largest_angle_rate=float(np.abs(rates).max()),
        largest_angle_jump=jump,
        smallest_gap=float(gap.min()),
        closure=closure,
        limits=limits,
        findings=tuple(sorted(findings, key=lambda finding: order[finding.level])),
    )


def _angle_findings(s: Array, angles: Array, robot: Robot) -> list[Finding]:
    lower, upper = robot.joint.lower, robot.joint.upper
    beyond = np.maximum(angles - upper, lower - angles)
    k, joint = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
    angle = np.degrees(angles[k, joint])
    if beyond[k, joint] > 0:
        return [
            Finding(
                "error",
                f"joint {joint + 1} must bend to {angle:.1f} deg at s = {s[k]:.3f} m, its limits are "
                f"{np.degrees(lower):.1f} and {np.degrees(upper):.1f} deg; use gentler bends",
            )
        ]
    if beyond[k, joint] > -robot.limits.joint_margin:
        return [
            Finding(
                "warning",
                f"joint {joint + 1} bends to {angle:.1f} deg at s = {s[k]:.3f} m, inside the soft stop "
                f"({np.degrees(robot.limits.joint_margin):.0f} deg before its limit), where torque fades",
            )
        ]
    return []


def _crossing_findings(s: Array, axes: NDArray[np.complex128], robot: Robot) -> list[Finding]:
    """Where the body would lie on itself: links with another one between them nearer than their width."""
    middles = (axes[:, 1:] + axes[:, :-1]) / 2
    first, second = np.triu_indices(robot.links, k=3)
    apart = np.minimum(np.abs(middles[:, first] - middles[:, second]), np.abs(axes[:, first] - middles[:, second]))
    if not apart.size or apart.min() >= 2 * robot.link.radius:
        return []
    k, pair = np.unravel_index(int(np.argmin(apart)), apart.shape)
    return [
        Finding(
            "error",
            f"the path crosses itself within a body length: at s = {s[k]:.3f} m links {first[pair] + 1} and "
            f"{second[pair] + 1} lie on each other; lead it further around",
        )
    ]


def _gap_findings(s: Array, gap: Array, nearest: Indices, path: PlannedPath) -> list[Finding]:
    if not path.obstacles:
        return [Finding("error", "no posts along the path: nothing to push against")]
    k = int(np.argmin(gap))
    if gap[k] >= -GAP_TOLERANCE:
        return []
    return [
        Finding(
            "error" if gap[k] < -0.005 else "warning",
            f"the body overlaps post {nearest[k]} by {-gap[k] * 1e3:.1f} mm at s = {s[k]:.3f} m; the path must be "
            f"straight for one pitch to either side of a post (half_line), or the post must stand further out",
        )
    ]


def _clearance_findings(clearance: Array, path: PlannedPath) -> list[Finding]:
    loose = np.flatnonzero(np.nan_to_num(clearance) > LOOSE)
    if not loose.size:
        return []
    k = int(loose[np.argmax(clearance[loose])])
    return [
        Finding(
            "error" if clearance[k] > OUT_OF_REACH else "warning",
            f"{'all' if loose.size == np.isfinite(clearance).sum() else 'some'} posts stand off the body, post {k} at "
            f"s = {path.obstacles[k].s:.3f} m by {clearance[k] * 1e3:.1f} mm; lead the path to them (clearance, "
            f"way-points), or tell hoal how far off they may be (map_error, at most {OUT_OF_REACH * 1e3:.0f} mm)",
        )
    ]


def _other_findings(scan: PathScan, others: Sequence[Obstacle]) -> list[Finding]:
    overlap = deepest_overlap(scan, others)
    if overlap is None or overlap[0] >= -GAP_TOLERANCE:
        return []
    gap, index, s = overlap
    return [
        Finding(
            "error",
            f"the body overlaps the {others[index].kind} at {_place(others[index])} by {-gap * 1e3:.1f} mm at "
            f"s = {s:.3f} m, an obstacle of the scene and no post of the path; move it, or lead the path around it",
        )
    ]


def _place(obstacle: Obstacle) -> str:
    x, y = (obstacle.x1, obstacle.y1) if isinstance(obstacle, Wall) else (obstacle.x, obstacle.y)
    return f"x = {x:g} m, y = {y:g} m"


def _closure_findings(closure: ClosureScan, path: PlannedPath) -> list[Finding]:
    open_ = closure.order == 0
    if not open_.any():
        return []
    k = int(np.flatnonzero(open_)[0])
    count = int(closure.contacts[k])
    sides = {post.side for post in path.obstacles}
    if count < 4:
        why = f"only {count} contacts there, four are needed; stand posts closer (about 0.2 body lengths)"
    elif len(sides) == 2 and not (closure.order == 1).any():
        why = "posts only push forward or only backward; let some brake (LRRL)"
    else:
        why = "the contacts there leave a direction free"
    few = closure.contacts.min()
    text = f"no form closure on {open_.mean():.0%} of the path, first at s = {closure.s[k]:.3f} m: {why}"
    if few < ENOUGH_CONTACTS:
        text += f" (contacts: {few} to {closure.contacts.max()})"
    return [Finding("warning", text)]


def _friction_findings(limits: LimitStudy, ground: GroundFriction | None) -> list[Finding]:
    if ground is None or ground.model not in ("coulomb", "anisotropic"):
        return []
    mu = ground.mu
    k = int(np.argmin(limits.friction))
    if limits.friction[k] >= mu:
        return []
    return [
        Finding(
            "error",
            f"floor friction {mu:.2f} cannot be carried: at s = {limits.s[k]:.3f} m the servos manage "
            f"{limits.friction[k]:.3f}; let all posts propel (LR) or both sides hold (B), or use a smoother floor",
        )
    ]


def _balance_findings(limits: LimitStudy, closure: ClosureScan, path: PlannedPath) -> list[Finding]:
    stuck = limits.speed <= 0
    if not stuck.any() or not path.obstacles:
        return []
    k = int(np.flatnonzero(stuck)[0])
    return [
        Finding(
            "error",
            f"no contact forces balance the robot on {stuck.mean():.0%} of the path, not even creeping, first at "
            f"s = {limits.s[k]:.3f} m with {closure.contacts[k]} contacts: each would need at least "
            f"{LEAST_FORCE:.1f} N within the torques of the servos; stand more posts on both sides (LRRL)",
        )
    ]


def _bend_findings(jump: float) -> list[Finding]:
    if jump < STEEP_BEND:
        return []
    return [
        Finding(
            "note",
            f"the bending jumps by {jump:.0f} rad/m2 where lines meet arcs; that limits the speed. "
            f"Larger radii or longer m-lines raise it",
        )
    ]
