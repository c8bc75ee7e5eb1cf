# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gearboxes by name: the shipped ones of `data/gearboxes`, or a YAML file of one's own, in which
every value has a unit and a source.
"""

from importlib.resources import files
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from boa_description.arrays import Array
from boa_description.errors import BoaError, unknown_name
from boa_description.gearbox_friction import GearboxFriction
from boa_description.quantities import quantities
from boa_description.registry import is_file_name
from boa_description.robot import COULOMB, Block, NewtonMetre, RadianPerSecond, Ratio
from boa_description.validation import validated
from boa_description.yaml_text import parse_mapping, read_text

NONE = "none"  # no friction at all
OWN = (NONE, COULOMB)  # names that stand for no file


class Gearbox(Block):
    """What one kind of gearbox loses; the law is in `boa_description.gearbox_friction`."""

    name: str
    summary: str
    base: NewtonMetre = Field(default=0.0, ge=0, description="b, whatever load and rate")
    motor: Ratio = Field(default=0.0, ge=0, lt=1, description="lm, share of the motor's torque")
    load: Ratio = Field(default=0.0, ge=0, lt=1, description="le, share of the torque passed on")
    stribeck: NewtonMetre = Field(default=0.0, ge=0, description="b_s, added at rest")
    stribeck_motor: Ratio = Field(default=0.0, ge=0, lt=1, description="lms, added at rest")
    stribeck_load: Ratio = Field(default=0.0, ge=0, lt=1, description="les, added at rest")
    stribeck_rate: RadianPerSecond = Field(
        default=1.0, gt=0, description="w_s, at which 37 % of what is added at rest are left"
    )
    stribeck_shape: Ratio = Field(default=1.0, gt=0, description="a, exponent of the decline")
    losses: tuple[Ratio, ...] = Field(
        default=(),
        description="factor on all losses of every joint, or of all, as identified; none: 1",
    )
    calibration: tuple[Ratio, ...] = Field(
        default=(),
        description="k of every joint, or of all, as identified; none: the stall torque comes out "
        "at stall",
    )

    @model_validator(mode="after")
    def _moves(self) -> Self:
        for name in ("motor", "load"):
            share = getattr(self, name) + getattr(self, f"stribeck_{name}")
            if share >= 1:
                raise ValueError(
                    f"{name} + stribeck_{name} are {share:g}; from 1 on the gearbox locks itself, "
                    "which is not simulated"
                )
        return self

    @field_validator("losses", "calibration")
    @classmethod
    def _positive(cls, factors: tuple[float, ...]) -> tuple[float, ...]:
        if factors and min(factors) <= 0:
            raise ValueError(f"a factor of {min(factors):g}; all must be above 0")
        return factors

    @property
    def friction(self) -> GearboxFriction:
        """Its law of friction, of the joints on average where they differ."""
        return GearboxFriction(*(getattr(self, name) for name in GearboxFriction._fields))

    def motor_per_command(self, stall: float) -> float:
        """k, of the joints on average where they differ; `stall`: torque of the data sheet, N m."""
        known = self.calibration
        return sum(known) / len(known) if known else self.friction.calibration(stall)

    def of_each(self, joints: int, stall: float) -> tuple[GearboxFriction, Array]:
        """Law of friction and k of each of so many joints.

        Raises:
            BoaError: the file is of another number of joints.
        """
        for name in ("losses", "calibration"):
            given = len(getattr(self, name))
            if given not in (0, 1, joints):
                raise BoaError(
                    f"gearbox {self.name}: {name} has {given} values, the robot {joints} joints; "
                    "take a gearbox that was identified on this robot"
                )
        friction = self.friction.scaled(np.array(self.losses)) if self.losses else self.friction
        k = self.calibration or (self.friction.calibration(stall),)
        return friction, np.broadcast_to(np.array(k), joints)


def gearbox_names() -> tuple[str, ...]:
    """Names of the shipped gearboxes, sorted."""
    folder = files("boa_description") / "data" / "gearboxes"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(n.removesuffix(".yaml") for n in names if n.endswith(".yaml")))


def load_gearbox(name: str) -> Gearbox:
    """Read a shipped gearbox, or a YAML file (anything with a slash or ending in .yaml).

    Raises:
        BoaError: no such gearbox or file, a wrong key, unit or range; says what is valid.
    """
    if is_file_name(name):
        path, where = Path(name), name
        if not path.is_file():
            raise BoaError(
                f"gearbox file '{path}' does not exist; shipped ones: {', '.join(gearbox_names())}"
            )
        text = read_text(path)
    elif name in gearbox_names():
        where = f"gearbox {name}"
        source = files("boa_description") / "data" / "gearboxes" / f"{name}.yaml"
        text = source.read_text(encoding="utf-8")
    else:
        raise unknown_name("gearbox", name, (*OWN, *gearbox_names()))
    values, _ = quantities(parse_mapping(text, where), Gearbox, where)
    return validated(Gearbox, values, where)
