# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the posts that stand differ from those of the map: settings of a scenario's disturbance."""

from typing import Literal, Self

from pydantic import Field, model_validator

from boa_description.robot import Block, Metre, Radian, Second
from boa_description.scene import Circle


class ChosenPosts(Block):
    """Posts of the map, named or drawn."""

    posts: tuple[int, ...] = Field(default=(), description="by their index on the map")
    count: int = Field(default=0, ge=0, description="further ones, drawn from the seed")
    ahead: bool = Field(
        default=False, description="draw them from those that the path touches before the robot"
    )

    @model_validator(mode="after")
    def _drawn(self) -> Self:
        if self.ahead and not self.count:
            raise ValueError("posts drawn ahead need a count, e.g. count: 2")
        return self


class MissingPosts(ChosenPosts):
    """Posts of the map that do not stand."""


class MovedPosts(ChosenPosts):
    """Posts that stand elsewhere; all of them where neither `posts` nor `count` is given."""

    distance: Metre = Field(default=0.0, ge=0, le=0.5)
    direction: Radian | None = Field(
        default=None, description="in the map; None: each its own, drawn from the seed"
    )
    to: tuple[tuple[Metre, Metre], ...] = Field(
        default=(), description="x and y of where each of `posts` stands, instead of a distance"
    )
    time: Second | None = Field(
        default=None, gt=0, description="of the run, at which they move; None: before it"
    )

    @model_validator(mode="after")
    def _moves(self) -> Self:
        if self.to:
            if len(self.to) != len(self.posts) or self.count or self.distance:
                raise ValueError(
                    f"moved posts that stand at {len(self.to)} places need as many posts by their "
                    "index, and neither count nor distance"
                )
        elif self.distance == 0.0 and (
            self.posts or self.count or self.direction is not None or self.time
        ):
            raise ValueError("moved posts need a distance, e.g. distance: 0.02")
        return self


class PostBesidePath(Block):
    """A post beside the path that stands in the body's way."""

    s: Metre = Field(description="of the path point beside it")
    side: Literal["left", "right"]
    into: Metre = Field(
        gt=-0.5, lt=0.5, description="by which a body on the path would overlap it at s"
    )
    radius: Metre = Field(default=0.05, gt=0)


class UnmappedPosts(Block):
    """Posts that stand although the map does not have them."""

    posts: tuple[Circle | PostBesidePath, ...] = ()
    count: int = Field(
        default=0, ge=0, description="further ones beside the path, drawn from the seed"
    )
    into: tuple[Metre, Metre] = Field(
        default=(0.005, 0.02), description="least and most by which those stand in the way"
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.into[0] > self.into[1]:
            raise ValueError(f"into: {self.into}: the first value must not be above the second")
        return self
