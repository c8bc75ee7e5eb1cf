"""A path of lines and arcs with named contacts, past posts that stand where they were found."""

from __future__ import annotations

import numpy as np

from boa_control.paths.path import PathObstacle, PlannedPath
from boa_control.paths.segments import SegmentRun, Segments
from boa_control.paths.settings import NamedContact, SegmentPath
from boa_description.errors import BoaError

LONGEST = 1000.0  # m; what is longer was meant in mm
SIDES = {"L": 1, "R": -1}


def segment_path(settings: SegmentPath, body_radius: float) -> PlannedPath:
    """The path as described. Posts that are not contacts are bystanders.

    Args:
        body_radius: half width of the body, m.

    Raises:
        BoaError: a piece without length, a bend at either end, a contact that names no post, one
            that is named twice, lies beyond the path, or is more than half a body radius from
            touching the body there.
    """
    lengths, curvatures = np.array(settings.segments, float).T
    _check_pieces(lengths, curvatures)
    curve = SegmentRun(Segments(np.array(settings.start), settings.heading, lengths, curvatures))
    posts = settings.posts
    contacts = []
    taken: set[int] = set()
    for number, contact in enumerate(settings.contacts):
        where = f"path: contact {number} (post {contact.post}, s = {contact.s:.3f} m)"
        if contact.post >= len(posts):
            raise BoaError(f"{where} names a post that does not exist; there are {len(posts)}")
        if contact.post in taken:
            raise BoaError(f"{where} names its post a second time; each post carries once")
        if contact.s > curve.length:
            raise BoaError(f"{where} lies beyond the end of the path, {curve.length:.3f} m")
        taken.add(contact.post)
        contacts.append(_contact(contact, settings, curve, body_radius, where))
    bystanders = tuple(post for k, post in enumerate(posts) if k not in taken)
    return PlannedPath(curve, tuple(sorted(contacts, key=lambda post: post.s)), bystanders)


def _contact(
    contact: NamedContact,
    settings: SegmentPath,
    curve: SegmentRun,
    body_radius: float,
    where: str,
) -> PathObstacle:
    """One contact, checked: its post must stand where it says."""
    post = settings.posts[contact.post]
    side = SIDES[contact.side]
    heading = float(curve.heading(np.array(contact.s)))
    arm = np.array([post.x, post.y]) - curve.position(np.array(contact.s))
    along = float(np.cos(heading) * arm[0] + np.sin(heading) * arm[1])
    left = float(-np.sin(heading) * arm[0] + np.cos(heading) * arm[1])
    off = max(abs(along), abs(side * left - post.radius - body_radius))
    if off > 0.5 * body_radius:
        raise BoaError(
            f"{where} does not stand there: its post is {off:.3f} m from touching the body, at "
            f"most {0.5 * body_radius:.3f} m can be a measuring error; plan the path again"
        )
    return PathObstacle(post.x, post.y, post.radius, contact.s, side)


def _check_pieces(lengths: np.ndarray, curvatures: np.ndarray) -> None:
    """Refuse pieces without length, and bends that would go on beyond the ends."""
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
    for end, name in ((0, "first"), (-1, "last")):
        if curvatures[end] != 0.0:
            raise BoaError(
                f"path: the {name} of the segments must be straight (curvature 0), it bends with "
                f"{curvatures[end]:g} 1/m; add a straight one"
            )
