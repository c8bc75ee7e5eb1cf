# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction that nobody knows: the intervals within which a path must balance.

Friction tilts the force of contact i from its normal against the motion: w_i(mu) = n_i - mu t_i.
Forces l <= lam_i <= u that balance, within the torques of the servos, exist for every friction of
a box, each contact and the floor with its own, if they exist at its corners (docs/mathematics.md,
section 7). Where all posts rub alike the ends of that line are no proof, so the check of paths
tries frictions in between, too.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self


class Rubbing(NamedTuple):
    """Coefficients of friction: between body and posts, and of the floor."""

    posts: float = 0.0
    floor: float = 0.0


class Interval(NamedTuple):
    """Of a coefficient."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class FrictionRange:
    """Frictions of posts and floor that are possible, all posts alike."""

    posts: Interval
    floor: Interval

    @classmethod
    def of(cls, posts: float, floor: float) -> Self:
        """Frictions that are known."""
        return cls(Interval(posts, posts), Interval(floor, floor))

    @property
    def least(self) -> Rubbing:
        """What rubs least."""
        return Rubbing(self.posts.least, self.floor.least)

    @property
    def most(self) -> Rubbing:
        """What rubs most."""
        return Rubbing(self.posts.most, self.floor.most)

    def at(self, share: float) -> Rubbing:
        """So far from the least, at 0, to the most, at 1."""
        pairs = zip(self.least, self.most, strict=True)
        return Rubbing(*(low + share * (high - low) for low, high in pairs))

    def corners(self, share: float) -> tuple[Rubbing, ...]:
        """Of what lies between the least and `at(share)`, the most doubtful first, and half-way."""
        low, high = self.least, self.at(share)
        every = (high, self.at(share / 2), Rubbing(high.posts, low.floor))
        return tuple(dict.fromkeys([*every, Rubbing(low.posts, high.floor), low]))


UNKNOWN = FrictionRange(Interval(0.0, 0.3), Interval(0.0, 0.05))
