# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The corrected map as visualization_msgs/MarkerArray, which viewers show and programs read back.

Every post is a pillar at its place; the disc at its foot is two standard deviations wider. The
namespace of both says what is known of the post (`touched`, `mapped`, `unexpected`), `id` is its
index on the map. Posts that are not there are pillars without height in the namespace `missing`.
"""

from functools import lru_cache
from typing import Any, get_args

import numpy as np

from boa_control.messages.cdr import (
    MARKED_NS,
    Mark,
    MessageError,
    Template,
    deserialize,
    message,
    nanoseconds,
)
from boa_control.messages.markers import (
    CYLINDER,
    DELETE_ALL,
    OBSTACLE_HEIGHT,
    Colour,
    marker,
    require_place,
)
from boa_control.messages.topics import CORRECTED_MAP
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost, Kind
from boa_description.arrays import Array
from boa_description.colours import CORRECTED_POST, POST, UNMAPPED_POST, rgb
from boa_description.frames import WORLD

MISSING = "missing"
DEVIATION = "/deviation"  # after the namespace, of the discs
FLAT = 0.005  # m, height of the discs
COLOURS: dict[str, Colour] = {
    "touched": (*rgb(CORRECTED_POST), 0.9),
    "mapped": (*rgb(POST), 0.4),
    "unexpected": (*rgb(UNMAPPED_POST), 0.9),
    MISSING: (0.0, 0.0, 0.0, 0.0),
}
Key = tuple[str, int]  # namespace, index
MOST_TEMPLATES = 50


class CorrectedMapCodec:
    """Writes and reads corrected maps; a template is kept for every set of posts that occurs."""

    def __init__(self) -> None:
        self._template = lru_cache(MOST_TEMPLATES)(
            lambda keys: Template(lambda mark: _build(mark, keys))
        )

    def encode(self, stamp_ns: int, corrected: CorrectedMap) -> bytes:
        """Serialise a map; it replaces the one before."""
        keys: list[Key] = [(post.kind, post.number) for post in corrected.posts]
        keys += [(MISSING, index) for index in corrected.missing]
        numbers = {}
        for number, post in enumerate(corrected.posts):
            width, spread = 2 * post.radius, 2 * (post.radius + 2 * post.std)
            numbers[f"post{number}"] = _pillar(post, OBSTACLE_HEIGHT, width)
            numbers[f"disc{number}"] = _pillar(post, FLAT, spread)
        return self._template(tuple(keys)).write(stamp_ns, **numbers)

    def decode(self, raw: bytes) -> tuple[int, CorrectedMap]:
        """Return stamp (ns) and map. Raises MessageError for markers that are none."""
        markers = deserialize(raw, CORRECTED_MAP.msgtype).markers[1:]
        posts, missing, stamp = [], [], 0
        spread = {
            (entry.ns.removesuffix(DEVIATION), entry.id): entry.scale.x
            for entry in markers
            if entry.ns.endswith(DEVIATION)
        }
        for entry in markers:
            stamp = nanoseconds(entry.header.stamp)
            if entry.ns == MISSING:
                missing.append(entry.id)
            elif not entry.ns.endswith(DEVIATION):
                kind = _kind(entry.ns)
                if (kind, entry.id) not in spread:
                    raise MessageError(f"{CORRECTED_MAP.name}: post {entry.id} has no deviation")
                require_place(entry, f"{CORRECTED_MAP.name}: post {entry.id}")
                radius = entry.scale.x / 2
                std = (spread[kind, entry.id] / 2 - radius) / 2
                at = entry.pose.position
                posts.append(CorrectedPost(entry.id, at.x, at.y, radius, std, kind))
        return stamp, CorrectedMap(tuple(posts), tuple(missing))


def _kind(namespace: str) -> Kind:
    for kind in get_args(Kind):
        if namespace == kind:
            return kind
    raise MessageError(
        f"{CORRECTED_MAP.name}: namespace '{namespace[:40]}' is unknown; expected one of "
        f"{', '.join(get_args(Kind))}, {MISSING}"
    )


def _pillar(post: CorrectedPost, height: float, width: float) -> Array:
    """Position, orientation and scale of a marker, shape (10,)."""
    return np.array([post.x, post.y, height / 2, 0.0, 0.0, 0.0, 1.0, width, width, height])


def _build(mark: Mark, keys: tuple[Key, ...]) -> Any:
    markers = [marker(MARKED_NS, WORLD, MISSING, action=DELETE_ALL)]
    for number, (namespace, index) in enumerate(keys):
        colour = COLOURS[namespace]
        if namespace == MISSING:
            markers.append(marker(MARKED_NS, WORLD, MISSING, index, type=CYLINDER, colour=colour))
            continue
        pale = (*colour[:3], colour[3] / 3)
        for name, space, shade in (
            ("post", namespace, colour),
            ("disc", namespace + DEVIATION, pale),
        ):
            entry = marker(MARKED_NS, WORLD, space, index, type=CYLINDER, colour=shade)
            numbers = mark(f"{name}{number}", 10)
            entry.pose.position.x, entry.pose.position.y, entry.pose.position.z = numbers[:3]
            turn = entry.pose.orientation
            turn.x, turn.y, turn.z, turn.w = numbers[3:7]
            entry.scale.x, entry.scale.y, entry.scale.z = numbers[7:]
            markers.append(entry)
    return message(CORRECTED_MAP.msgtype, markers=markers)
