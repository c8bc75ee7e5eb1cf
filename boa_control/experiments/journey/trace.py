# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way that a robot has come, as one path: what it went back on, and left for another, is cut
off. Its body has been on all of it, held by posts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boa_control.controllers.new_path import SAME_POST, NewPath
from boa_control.paths.settings import SegmentPath
from boa_control.planning.explore import STRAIGHT
from boa_control.planning.lying import LyingBody, pieces_after, pieces_before
from boa_control.planning.search.field import PostField
from boa_control.planning.search.found import Contact, FoundPath, merged
from boa_description.robot import Robot
from boa_description.scene import Obstacle


@dataclass(frozen=True, slots=True)
class Trace:
    """A path from where the robot began.

    Attributes:
        path: of arc lengths that count from the start of the first path.
        shift: by which they are greater than those of the path on which the robot lies, m.
    """

    path: SegmentPath
    shift: float = 0.0

    def onto(self, new: NewPath, robot: Robot) -> Trace:
        """The trace of a robot that goes over to a new path."""
        head = LyingBody.at_progress(new.path, robot, new.progress).head
        shift = self.shift + new.leaves - new.progress
        old, further = self.path, new.path
        kept = [at for at in old.contacts if at.s <= shift + head]
        added = [
            at.model_copy(update={"post": len(old.posts) + at.post, "s": at.s + shift})
            for at in further.contacts
            if at.s > head
        ]
        pieces = pieces_before(old.segments, shift + head)
        path = old.model_copy(
            update={
                "segments": merged([*pieces, *pieces_after(further.segments, head)]),
                "posts": (*old.posts, *further.posts),
                "contacts": (*kept, *added),
            }
        )
        return Trace(path, shift)

    def among(self, obstacles: Sequence[Obstacle], end: float) -> FoundPath:
        """The path up to `end`, m, of the one on which the robot lies, among the posts of a map:
        where they stand by what is known at last. Contacts with posts that it does not have are
        left out.
        """
        end += self.shift
        posts = PostField.of(obstacles).tree
        contacts = []
        for at in (one for one in self.path.contacts if one.s <= end):
            post = self.path.posts[at.post]
            apart, nearest = posts.query((post.x, post.y))
            if apart < SAME_POST:
                side = 1 if at.side == "L" else -1
                contacts.append(Contact(int(nearest), side, at.s))
        return FoundPath(
            start=np.array(self.path.start),
            heading=self.path.heading,
            segments=merged([*pieces_before(self.path.segments, end), (STRAIGHT, 0.0)]),
            contacts=tuple(contacts),
            margin=0.0,
            effective_mass=0.0,
            price=0.0,
            to_go=0.0,
        )
