# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Surroundings of the robot: immovable obstacles, ground friction, contact settings."""

import math
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from boa_description.post_fields import PostField
from boa_description.robot import Block, Metre, Radian, Ratio
from boa_description.terrain import AnyFeature, misplaced

GRAVITY = 9.81  # m/s2; presses the links on the floor, although a planar model has no weight
IMPEDANCE_RANGE = (0.0001, 0.9999)  # mjMINIMP, mjMAXIMP


class Circle(Block):
    """A round post."""

    kind: Literal["circle"] = "circle"
    x: Metre
    y: Metre
    radius: Metre = Field(gt=0)
    name: str | None = Field(
        default=None, max_length=60, description="of a post, as on the map of its user"
    )
    std: Metre | None = Field(
        default=None, ge=0, le=1, description="standard deviation of its place per axis, if known"
    )

    @model_serializer(mode="wrap")
    def _without_unknown(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Posts without a name, or a standard deviation, have no key for it."""
        fields: dict[str, Any] = written(self)
        return {key: value for key, value in fields.items() if value is not None}


class Box(Block):
    """A rectangular block, centred at (x, y) and turned by `heading`."""

    kind: Literal["box"] = "box"
    x: Metre
    y: Metre
    length: Metre = Field(gt=0)
    width: Metre = Field(gt=0)
    heading: Radian = 0.0


class Wall(Block):
    """A straight wall from (x1, y1) to (x2, y2); `thickness` is centred on that line."""

    kind: Literal["wall"] = "wall"
    x1: Metre
    y1: Metre
    x2: Metre
    y2: Metre
    thickness: Metre = Field(default=0.02, gt=0)

    @model_validator(mode="after")
    def _has_length(self) -> Self:
        if (self.x1, self.y1) == (self.x2, self.y2):
            raise ValueError(
                f"a wall needs two different ends, both are ({self.x1:g}, {self.y1:g})"
            )
        return self


class Duct(Block):
    """Two parallel walls along the line from (x1, y1) to (x2, y2), `width` clear between them."""

    kind: Literal["duct"] = "duct"
    x1: Metre
    y1: Metre
    x2: Metre
    y2: Metre
    width: Metre = Field(gt=0)
    thickness: Metre = Field(default=0.02, gt=0)

    @model_validator(mode="after")
    def _has_length(self) -> Self:
        if (self.x1, self.y1) == (self.x2, self.y2):
            raise ValueError(
                f"a duct needs two different ends, both are ({self.x1:g}, {self.y1:g})"
            )
        return self

    @property
    def walls(self) -> tuple[Wall, Wall]:
        """The wall on the left as seen from the first end, and the one on the right."""
        across = 0.5 * (self.width + self.thickness)
        length = math.hypot(self.x2 - self.x1, self.y2 - self.y1)
        x, y = -across * (self.y2 - self.y1) / length, across * (self.x2 - self.x1) / length

        def wall(side: float) -> Wall:
            return Wall(
                x1=self.x1 + side * x,
                y1=self.y1 + side * y,
                x2=self.x2 + side * x,
                y2=self.y2 + side * y,
                thickness=self.thickness,
            )

        return wall(1.0), wall(-1.0)


Obstacle = Circle | Box | Wall


class Round(Protocol):
    """A round post, whatever else is known of it: place of its centre and radius, m."""

    @property
    def x(self) -> float:
        """m."""

    @property
    def y(self) -> float:
        """m."""

    @property
    def radius(self) -> float:
        """m."""


def clearance(one: Round, other: Round) -> float:
    """Distance between the surfaces of two round posts, m; negative where they overlap."""
    return math.hypot(one.x - other.x, one.y - other.y) - (one.radius + other.radius)


def described(obstacle: Obstacle) -> str:
    """Kind and place, for messages."""
    x, y = (obstacle.x1, obstacle.y1) if isinstance(obstacle, Wall) else (obstacle.x, obstacle.y)
    return f"{obstacle.kind} at x = {x:g} m, y = {y:g} m"


class GroundFriction(Block):
    """Friction between links and floor, acting at link centres (planar robot, gravity carried by
    the floor).

    `coulomb`: mu m g against the velocity, smoothed below `slip_speed`. `viscous`: force per speed.
    `anisotropic`: Coulomb with `mu` along and `mu_normal` across the link. `mixed`: the same and
    `viscous` along, `viscous_normal` across the link. `components`: Coulomb and viscous, along and
    across each by itself. The laws are in `boa_description.floor`.
    """

    model: Literal["none", "coulomb", "viscous", "anisotropic", "mixed", "components"] = Field(
        default="none", description="the law"
    )
    mu: Ratio = Field(default=0.0, ge=0, le=2, description="Coulomb, along the link")
    mu_normal: Ratio = Field(default=0.0, ge=0, le=2, description="Coulomb, across the link")
    viscous: float = Field(default=0.0, ge=0, description="N s/m per link")
    viscous_normal: float = Field(default=0.0, ge=0, description="N s/m per link")
    slip_speed: float = Field(
        default=0.005, gt=0, description="m/s, below which friction is smoothed"
    )

    @model_validator(mode="after")
    def _nothing_ignored(self) -> Self:
        used_by = {
            "mu": ("coulomb", "anisotropic", "mixed", "components"),
            "mu_normal": ("anisotropic", "mixed", "components"),
            "viscous": ("viscous", "mixed", "components"),
            "viscous_normal": ("mixed", "components"),
        }
        for name, models in used_by.items():
            if getattr(self, name) and self.model not in models:
                raise ValueError(
                    f"{name} = {getattr(self, name):g} has no effect with model: {self.model}; "
                    f"write model: {models[0]}, or leave {name} out"
                )
        return self

    @property
    def coefficient(self) -> float:
        """Factor of the forces of this floor: mu (mu_normal where mu is 0) or the viscosity; 0
        without friction. Floors of other models have none (`floor.require_one_coefficient`).
        """
        if self.model == "viscous":
            return self.viscous
        if self.model == "anisotropic":
            return self.mu or self.mu_normal
        return self.dry

    @property
    def dry(self) -> float:
        """Of a floor that holds what rests on it, mu; 0 where it rubs in motion only, or one way
        more than the other.
        """
        return self.mu if self.model == "coulomb" else 0.0

    def coefficient_at(self, speed: float) -> float:
        """The coefficient of a floor without viscosity that brakes as much at `speed`, m/s."""
        return self.coefficient * speed if self.model == "viscous" else self.coefficient

    def scaled(self, factor: float) -> Self:
        """The same floor with `factor` times the friction."""
        parts = ("mu", "mu_normal", "viscous", "viscous_normal")
        stronger = {name: factor * getattr(self, name) for name in parts}
        return self.model_copy(update=stronger)


SMOOTH = GroundFriction()


class ContactModel(Block):
    """MuJoCo contact settings. The default carries the force in a spring-damper (low impedance d =
    0.2), which is what keeps contacts from chattering; see docs/engines.md.
    """

    solref: tuple[float, float] = Field(
        default=(-1e4, -220.0), description="minus stiffness and minus damping"
    )
    solimp: tuple[float, float, float] = Field(
        default=(0.2, 0.2, 0.001), description="least and largest impedance, width, m"
    )
    friction: Ratio = Field(
        default=0.0, ge=0, le=2, description="Coulomb coefficient link against obstacle"
    )
    restitution: Ratio = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of the normal speed that is left after an impact; rigid engines only",
    )
    viscous: float = Field(
        default=0.0,
        ge=0,
        description="N s/m of a touching point along an obstacle, beside Coulomb's friction; rigid "
        "engines only",
    )

    @field_validator("solref")
    @classmethod
    def _one_format(cls, solref: tuple[float, float]) -> tuple[float, float]:
        if not (min(solref) > 0 or max(solref) <= 0):
            raise ValueError(
                "give time constant and damping ratio, both > 0, or -stiffness and -damping, "
                "both <= 0"
            )
        return solref

    @field_validator("solimp")
    @classmethod
    def _impedances(cls, solimp: tuple[float, float, float]) -> tuple[float, float, float]:
        low, high, width = solimp
        if not (
            IMPEDANCE_RANGE[0] <= min(low, high) <= max(low, high) <= IMPEDANCE_RANGE[1]
            and width > 0
        ):
            raise ValueError(
                f"impedances must lie in {IMPEDANCE_RANGE[0]} to {IMPEDANCE_RANGE[1]} (MuJoCo "
                f"clips others), width > 0"
            )
        return solimp


class Scene(Block):
    """Obstacles listed here come after those that the scenario's path generates, the posts of
    fields after them.
    """

    obstacles: tuple[Annotated[Obstacle | Duct, Field(discriminator="kind")], ...] = Field(
        default=(), description="posts, boxes, walls, ducts"
    )
    fields: tuple[PostField, ...] = Field(
        default=(), description="peg boards and random fields of posts"
    )
    ground: GroundFriction = Field(default=GroundFriction(), description="friction of the floor")
    terrain: tuple[AnyFeature, ...] = Field(
        default=(), description="steps and gaps in the floor, for robots that leave the plane"
    )
    contact: ContactModel = Field(default=ContactModel(), description="between links and posts")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if (reason := misplaced(self.terrain)) is not None:
            raise ValueError(reason)
        return self

    @property
    def bodies(self) -> tuple[Obstacle, ...]:
        """The obstacles, a duct as its two walls."""
        each = ([one] if not isinstance(one, Duct) else one.walls for one in self.obstacles)
        return tuple(body for bodies in each for body in bodies)
