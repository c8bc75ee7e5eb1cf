# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a scenario describes its path."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from boa_description.robot import Block, Metre, Radian
from boa_description.scene import Circle
from boa_description.units import Unit

# what is farther away was meant in mm
Coordinate = Annotated[float, Unit("m"), Field(ge=-1000, le=1000)]

SIDES = {"L": (1,), "R": (-1,), "B": (1, -1), "-": ()}


class PathCommon(Block):
    """Settings of every generated path."""

    sides: str = Field(
        default="LRRL", description="obstacle side per m-line, repeated: L, R, B both, - none"
    )
    obstacle_radius: Metre = Field(default=0.05, gt=0, le=1, description="of the posts")
    clearance: Metre = Field(
        default=0.0, ge=0, le=1, description="gap between the body and each obstacle"
    )

    @field_validator("sides")
    @classmethod
    def _known_sides(cls, sides: str) -> str:
        wrong = sorted(set(sides) - set(SIDES))
        if wrong or not sides:
            what = (
                f"no side is called {', '.join(map(repr, wrong))}" if wrong else "no side is given"
            )
            raise ValueError(
                f"{what}; per m-line write L left, R right, B both or - none, e.g. LRRL or LR"
            )
        return sides


class CirclePath(PathCommon):
    """Closed path around a circle (thesis 6.2.1): `segments` m-lines of half length `half_line`,
    inclined by +-`attack_angle`.
    """

    kind: Literal["circle"]
    radius: Metre = Field(gt=0, le=100, description="of the circle of m-lines, r_p")
    segments: int = Field(ge=4, description="n_p, number of m-lines on the circle, even")
    attack_angle: Radian = Field(gt=0, lt=1.4, description="alpha_p, inclination of the m-lines")
    half_line: Metre = Field(
        gt=0, le=10, description="of an m-line; below the pitch the body overlaps the posts"
    )


class StraightPath(PathCommon):
    """Endless straight zigzag: m-lines every `spacing` along x, inclined by +-`attack_angle`."""

    kind: Literal["straight"]
    spacing: Metre = Field(gt=0, le=10, description="of the m-lines along x")
    attack_angle: Radian = Field(gt=0, lt=1.4, description="inclination of the m-lines")
    half_line: Metre = Field(gt=0, le=10, description="half the length of an m-line")
    cells: int = Field(default=200, ge=4, description="m-lines that really stand in the scene")


class WaypointPath(Block):
    """Smooth path through way-points with a curvature limit; obstacles as measured in the lab."""

    kind: Literal["waypoints"]
    points: tuple[tuple[Coordinate, Coordinate], ...] = Field(
        min_length=3, description="x and y, m"
    )
    closed: bool = Field(default=False, description="back to the first point")
    minimum_radius: Metre = Field(gt=0, le=100, description="tighter bends are refused")
    obstacles: tuple[Circle, ...] = Field(default=(), description="the map")


class NamedContact(Block):
    """A post that carries the robot: its index in `posts`, its side, its place along the path. A
    post may be named several times.
    """

    post: int = Field(ge=0, description="its place in `posts`, counted from 0")
    side: Literal["L", "R"] = Field(description="on which it stands, left or right")
    s: Metre = Field(ge=0, le=1000, description="arc length at which the body touches it")


class SegmentPath(Block):
    """Path of straight lines and arcs past given posts, as a planner finds it; the contacts are
    named.
    """

    kind: Literal["segments"]
    start: tuple[Coordinate, Coordinate] = Field(description="first point, x and y, m")
    heading: Radian = Field(description="at the start")
    segments: tuple[tuple[float, float], ...] = Field(
        min_length=1, description="length, m, and curvature, 1/m, of each piece"
    )
    posts: tuple[Circle, ...] = Field(default=(), description="the map")
    contacts: tuple[NamedContact, ...] = Field(default=(), description="posts that carry")
    closed: bool = Field(default=False, description="the last piece leads into the first")


PathSettings = Annotated[
    CirclePath | StraightPath | WaypointPath | SegmentPath, Field(discriminator="kind")
]
