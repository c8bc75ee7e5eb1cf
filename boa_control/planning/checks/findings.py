# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Findings about a planned path: each function checks one property and words it with the remedy."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boa_control.estimation.progress import straightest
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_control.planning.checks.along_path import ClosureScan, PathScan, deepest_overlap
from boa_control.planning.checks.friction import FrictionRange
from boa_control.planning.checks.limits import LEAST_FORCE, LimitStudy
from boa_description.arrays import Array, Indices
from boa_description.robot import Robot
from boa_description.scene import GroundFriction, Obstacle, described

ENOUGH_CONTACTS = 5
GAP_TOLERANCE = 1e-4  # m; contacts on a well-built path have gap 0
SLIGHT = 1e-3  # m; by which a link that turns onto its post may overlap it on a searched path
LOOSE = 1e-3  # m; a post further off the body than this is not simply touched
OUT_OF_REACH = 0.02  # m; the controller does not search further than this
STEEP_BEND = 250.0  # rad/m2; jumps of phi'' above this dominate the peak torque from about 0.25 m/s


@dataclass(frozen=True, slots=True)
class Finding:
    """One result worth telling: `error` stops the robot, `warning` costs something, `note` is good
    to know.
    """

    level: Literal["error", "warning", "note"]
    text: str


def worst_first(told: Iterable[Finding | None]) -> tuple[Finding, ...]:
    """Those that there are."""
    order = {"error": 0, "warning": 1, "note": 2}
    return tuple(sorted(filter(None, told), key=lambda finding: order[finding.level]))


def of_angles(s: Array, angles: Array, robot: Robot) -> Finding | None:
    """Whether the joints can bend that far."""
    lower, upper = robot.joint.lower, robot.joint.upper
    excess = np.maximum(angles - upper, lower - angles)
    k, joint = np.unravel_index(int(np.argmax(excess)), excess.shape)
    angle = np.degrees(angles[k, joint])
    if excess[k, joint] > 0:
        return Finding(
            "error",
            f"joint {joint + 1} must bend to {angle:.1f} deg at s = {s[k]:.3f} m, its limits "
            f"are {np.degrees(lower):.1f} and {np.degrees(upper):.1f} deg; use gentler bends",
        )
    if excess[k, joint] > -robot.limits.joint_margin:
        return Finding(
            "warning",
            f"joint {joint + 1} bends to {angle:.1f} deg at s = {s[k]:.3f} m, inside the soft "
            f"stop ({np.degrees(robot.limits.joint_margin):.0f} deg before its limit), where "
            "torque fades",
        )
    return None


def of_crossing(s: Array, axes: NDArray[np.complex128], robot: Robot) -> Finding | None:
    """Where the body would lie on itself: links that are no neighbours nearer than their width."""
    middles = (axes[:, 1:] + axes[:, :-1]) / 2
    first, second = np.triu_indices(robot.links, k=3)
    apart = np.minimum(
        np.abs(middles[:, first] - middles[:, second]), np.abs(axes[:, first] - middles[:, second])
    )
    if not apart.size or apart.min() >= 2 * robot.link.radius:
        return None
    k, pair = np.unravel_index(int(np.argmin(apart)), apart.shape)
    return Finding(
        "error",
        f"the path crosses itself within a body length: at s = {s[k]:.3f} m links "
        f"{first[pair] + 1} and {second[pair] + 1} lie on each other; lead it further around",
    )


def of_progress(reference: ReferenceTable) -> Finding | None:
    """Whether joint angles show everywhere how far the robot is."""
    place = straightest(reference)
    return Finding("error", str(place)) if place.hides_progress else None


def of_gaps(s: Array, gap: Array, nearest: Indices, path: PlannedPath) -> Finding | None:
    """Posts in the way of the body."""
    if not path.contacts:
        return Finding("error", "no posts along the path: nothing to push against")
    k = int(np.argmin(gap))
    if gap[k] >= -GAP_TOLERANCE:
        return None
    return Finding(
        "error" if gap[k] < -0.005 else "warning" if gap[k] < -SLIGHT else "note",
        f"the body overlaps post {_called(path, int(nearest[k]))} by {-gap[k] * 1e3:.1f} mm at "
        f"s = {s[k]:.3f} m; the path must be straight for one pitch to either side of a post, "
        "or the post must stand further out",
    )


def _called(path: PlannedPath, contact: int) -> str | int:
    """The post of a contact: its name, else its number."""
    number = path.post_of[contact]
    return path.names.get(number, number)


def of_clearances(clearance: Array, path: PlannedPath) -> Finding | None:
    """Posts beside the body that it does not touch."""
    loose = np.flatnonzero(np.nan_to_num(clearance) > LOOSE)
    if not loose.size:
        return None
    k = int(loose[np.argmax(clearance[loose])])
    return Finding(
        "error" if clearance[k] > OUT_OF_REACH else "warning",
        f"{'all' if loose.size == np.isfinite(clearance).sum() else 'some'} posts stand off "
        f"the body, post {_called(path, k)} at s = {path.contacts[k].s:.3f} m "
        f"by {clearance[k] * 1e3:.1f} mm; lead the path to them (clearance, "
        f"way-points), or tell hoal how far off they may be (map_error, at most "
        f"{OUT_OF_REACH * 1e3:.0f} mm)",
    )


def of_other_obstacles(scan: PathScan, others: Sequence[Obstacle]) -> Finding | None:
    """Other obstacles in the way of the body."""
    overlap = deepest_overlap(scan, others)
    if overlap is None or overlap[0] >= -GAP_TOLERANCE:
        return None
    gap, index, s = overlap
    return Finding(
        "error",
        f"the body overlaps the {described(others[index])} by {-gap * 1e3:.1f} mm at "
        f"s = {s:.3f} m, an obstacle of the scene and no post of the path; move it, or "
        f"lead the path around it",
    )


def of_closure(closure: ClosureScan, path: PlannedPath) -> Finding | None:
    """Where nothing holds the body."""
    open_ = closure.order == 0
    if not open_.any():
        return None
    k = int(np.flatnonzero(open_)[0])
    count = int(closure.contacts[k])
    sides = {post.side for post in path.contacts}
    if count < 4:
        why = (
            f"only {count} contacts there, four are needed; stand posts closer (about 0.2 "
            f"body lengths)"
        )
    elif len(sides) == 2 and not (closure.order == 1).any():
        why = "posts only push forward or only backward; let some brake (LRRL)"
    else:
        why = "the contacts there leave a direction free"
    few = closure.contacts.min()
    text = (
        f"no form closure on {open_.mean():.0%} of the path, first at s = "
        f"{closure.s[k]:.3f} m: {why}"
    )
    if few < ENOUGH_CONTACTS:
        text += f" (contacts: {few} to {closure.contacts.max()})"
    return Finding("warning", text)


def of_floor(limits: LimitStudy, ground: GroundFriction) -> Finding | None:
    """Whether the servos can overcome the floor; one without dry friction lets the robot creep at
    least.
    """
    k = int(np.argmin(limits.friction))
    if ground.model == "viscous" or limits.friction[k] >= ground.coefficient:
        return None
    return Finding(
        "error",
        f"floor friction {floor_strength(ground, ground.coefficient)} cannot be carried: at s "
        f"= {limits.s[k]:.3f} m the servos manage "
        f"{floor_strength(ground, limits.friction[k])}; let all posts propel (LR) or both "
        "sides hold (B), or use a smoother floor or smoother posts",
    )


def floor_strength(ground: GroundFriction, coefficient: float) -> str:
    """In words, how strongly a floor of this kind with this coefficient brakes."""
    if ground.model == "viscous":
        return f"{coefficient:.2f} N on every link"
    if ground.model == "anisotropic" and ground.coefficient > 0:
        share = coefficient / ground.coefficient
        return (
            f"mu = {share * ground.mu:.3f} along and {share * ground.mu_normal:.3f} across "
            f"the links"
        )
    return f"mu = {coefficient:.3f}"


def of_balance(limits: LimitStudy, scan: PathScan) -> Finding | None:
    """Where no contact forces let the robot move on."""
    stuck = limits.speed <= 0
    if not stuck.any() or not scan.path.contacts:
        return None
    k = int(np.flatnonzero(stuck)[0])
    contacts = len(scan.samples[k].points)
    return Finding(
        "error",
        f"no contact forces balance the robot on {stuck.mean():.0%} of the path, not even "
        f"creeping, first at s = {limits.s[k]:.3f} m with {contacts} contacts: each "
        f"would need at least {LEAST_FORCE:.1f} N within the torques of the servos; stand more "
        "posts on both "
        f"sides (LRRL)" + (", or smoother ones" if scan.contact_friction > 0 else ""),
    )


def of_friction(s: Array, withstood: Array, friction: FrictionRange) -> Finding | None:
    """Where friction that is possible stops the robot."""
    k = int(np.argmin(withstood))
    if withstood[k] >= 1.0:
        return None
    most = friction.at(float(withstood[k]))
    return Finding(
        "note",
        f"posts that rub by more than {most.posts:.2f}, on a floor of {most.floor:.3f}, stop "
        f"the robot, first at s = {s[k]:.3f} m, where contacts would not balance; up to "
        f"{friction.most.posts:g} and {friction.most.floor:g} are possible: plan with "
        "--post-friction and more --seconds, or make the posts smoother",
    )


def of_speed(limits: LimitStudy, speed: float) -> Finding | None:
    """Whether the servos manage the desired speed, m/s."""
    k = int(np.argmin(limits.speed))
    if not 0.0 < limits.speed[k] < speed:
        return None
    return Finding(
        "warning",
        f"the desired speed of {speed:g} m/s is more than the servos manage: "
        f"{limits.speed[k]:.3f} m/s at s = {limits.s[k]:.3f} m; lower it, or let hoal "
        "follow a speed profile (profile)",
    )


def of_force(limits: LimitStudy, force: float) -> Finding | None:
    """Whether all contacts can carry the desired force at once, N."""
    k, most = int(np.argmin(limits.preload)), int(np.argmax(limits.preload))
    more = f"the desired contact force of {force:g} N is more than all contacts can carry at once"
    least = f"{limits.preload[k]:.1f} N at s = {limits.s[k]:.3f} m"
    if 0.0 < limits.preload[most] < force:
        return Finding(
            "warning",
            f"{more} anywhere: {limits.preload[most]:.1f} N at s = {limits.s[most]:.3f} m, "
            f"{least}; so much at most is pressed: lower it",
        )
    if 0.0 < limits.preload[k] < force:
        return Finding("note", f"{more}: {least}; some will carry less, others more")
    return None


def of_bends(jump: float) -> Finding | None:
    """Jumps of curvature."""
    if jump < STEEP_BEND:
        return None
    return Finding(
        "note",
        f"the bending jumps by {jump:.0f} rad/m2 where lines meet arcs; that limits the speed. "
        f"Larger radii or longer m-lines raise it",
    )
