# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A path of lines and arcs with named contacts, past posts that stand where they were found."""

import numpy as np

from boa_control.paths.path import Curve, PathContact, PlannedPath
from boa_control.paths.segments import SegmentRun, Segments, lap
from boa_control.paths.settings import NamedContact, SegmentPath
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.scene import Circle

LONGEST = 1000.0  # m; what is longer was meant in mm
SIDES = {"L": 1, "R": -1}
SAME_PLACE = 0.01  # m along the path, below which two contacts with one post are one contact
SEAM = 1e-3  # m and rad by which the end of a closed path may miss its start
MISPLACED = 0.5  # of the body's half width: how far a post may stand off its contact


def segment_path(settings: SegmentPath, body_radius: float) -> PlannedPath:
    """The path as described. Posts that are not contacts are bystanders.

    Args:
        body_radius: half width of the body, m.

    Raises:
        BoaError: a piece without length, a bend at either end of an open path, a closed one whose
            end misses its start, a contact that names no post, lies beyond the path, or is more
            than half a body radius from touching the body there, two contacts with one post at
            one place.
    """
    curve = segment_curve(settings)
    contacts: list[PathContact] = []
    named: dict[int, list[float]] = {}
    for number, contact in enumerate(settings.contacts):
        called = _called(contact.post, settings)
        where = f"path: contact {number} (post {called}, s = {contact.s:.3f} m)"
        if contact.post >= len(settings.posts):
            raise BoaError(
                f"{where} names a post that does not exist; there are {len(settings.posts)}"
            )
        if contact.s > curve.length:
            raise BoaError(f"{where} lies beyond the end of the path, {curve.length:.3f} m")
        others = named.setdefault(contact.post, [])
        if any(abs(contact.s - s) < SAME_PLACE for s in others):
            raise BoaError(f"{where} is there a second time; name each contact once")
        others.append(contact.s)
        off = misplaced(contact, settings.posts[contact.post], curve, body_radius)
        if off > MISPLACED * body_radius:
            raise BoaError(
                f"{where} does not stand there: its post is {off:.3f} m from touching the body, at "
                f"most {MISPLACED * body_radius:.3f} m can be a measuring error; plan the path "
                "again"
            )
        contacts.append(_contact(contact, settings.posts[contact.post]))
    bystanders = tuple(post for k, post in enumerate(settings.posts) if k not in named)
    return PlannedPath(curve, tuple(sorted(contacts, key=lambda at: at.s)), bystanders)


def end_point(settings: SegmentPath) -> tuple[float, float]:
    """Where an open path ends, x and y, m."""
    curve = segment_curve(settings)
    x, y = curve.position(np.array(curve.length)).tolist()
    return x, y


def segment_curve(settings: SegmentPath) -> Curve:
    """The curve of the path alone.

    Raises:
        BoaError: as `segment_path`.
    """
    lengths, curvatures = np.array(settings.segments, float).T
    _check_pieces(lengths, curvatures)
    segments = Segments(np.array(settings.start), settings.heading, lengths, curvatures)
    if settings.closed:
        _check_seam(segments)
        return lap(segments)
    _check_ends(curvatures)
    return SegmentRun(segments)


def misplaced(contact: NamedContact, post: Circle, curve: Curve, body_radius: float) -> float:
    """How far a post is from where it touches a body that lies straight at the contact, m."""
    heading = float(curve.heading(np.array(contact.s)))
    arm = np.array([post.x, post.y]) - curve.position(np.array(contact.s))
    along = float(np.cos(heading) * arm[0] + np.sin(heading) * arm[1])
    left = float(-np.sin(heading) * arm[0] + np.cos(heading) * arm[1])
    return max(abs(along), abs(SIDES[contact.side] * left - post.radius - body_radius))


def _contact(contact: NamedContact, post: Circle) -> PathContact:
    side = SIDES[contact.side]
    return PathContact(post.x, post.y, post.radius, contact.s, side, post.name, post.std)


def _called(number: int, settings: SegmentPath) -> str | int:
    """A post by its name, else by its number."""
    posts = settings.posts
    return (posts[number].name if number < len(posts) else None) or number


def _check_pieces(lengths: Array, curvatures: Array) -> None:
    """Refuse pieces without length."""
    if not (np.isfinite(lengths) & np.isfinite(curvatures) & (lengths > 0)).all():
        piece = int(np.argmin(np.isfinite(lengths) & np.isfinite(curvatures) & (lengths > 0)))
        raise BoaError(
            f"path: segments[{piece}] = [{lengths[piece]:g}, {curvatures[piece]:g}]; write a "
            "length above 0 in m and a curvature in 1/m (0 for a straight line)"
        )
    if lengths.sum() > LONGEST:
        raise BoaError(
            f"path: its segments are {lengths.sum():g} m long in all, at most {LONGEST:g} m; give "
            "lengths in m"
        )


def _check_ends(curvatures: Array) -> None:
    """Refuse bends that would go on beyond the ends."""
    for end, name in ((0, "first"), (-1, "last")):
        if curvatures[end] != 0.0:
            raise BoaError(
                f"path: the {name} of the segments must be straight (curvature 0), it bends with "
                f"{curvatures[end]:g} 1/m; add a straight one"
            )


def _check_seam(segments: Segments) -> None:
    """Refuse a closed path whose end is not where it starts."""
    run = SegmentRun(segments)
    miss = float(np.hypot(*(run.position(np.array(run.length)) - segments.start)))
    turned = float((segments.lengths * segments.curvatures).sum())
    off = abs(turned - 2 * np.pi * round(turned / (2 * np.pi)))
    if miss > SEAM or off > SEAM:
        raise BoaError(
            f"path: it is closed, but ends {miss:.3f} m and {np.degrees(off):.1f} deg from its "
            f"start, at most {SEAM:g} m and {np.degrees(SEAM):.2f} deg can be rounding; lead it "
            "back to its start"
        )
