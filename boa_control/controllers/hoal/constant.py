# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of a room of `hoal`: each a field of a frozen block, with unit, reason and scale.

What follows from another one is a property beside them. docs/hoal_tuning.md is written from these
blocks, and a scenario may replace single values (`controller.parameters.tuning`).
"""

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from boa_description.robot import Block
from boa_description.units import Unit

PerSecond = Annotated[float, Unit("1/s")]
NewtonPerSecond = Annotated[float, Unit("N/s")]
NewtonSecond = Annotated[float, Unit("N s")]
NewtonMetrePerRadian = Annotated[float, Unit("N m/rad")]
MetrePerSecond = Annotated[float, Unit("m/s")]
PerAcceleration2 = Annotated[float, Unit("1/(m/s2)2")]
RadianPerSecond2 = Annotated[float, Unit("rad/s2")]
Deviations = Annotated[float, Unit("std")]
Count = Annotated[int, Unit("1")]


def constant(value: float, why: str, scale: str = "", **limits: float) -> Any:
    """A field with its shipped `value`. `why` it has this value; `scale`: what that is tied to, and
    would change with; `limits` as of pydantic's `Field`, at least 0 unless given.
    """
    bounds: dict[str, Any] = limits if "gt" in limits else {"ge": 0, **limits}
    return Field(default=value, description=why, json_schema_extra={"scale": scale}, **bounds)


class Room(Block):
    """The constants of one room.

    Attributes:
        ramps: pairs of names, from and to which something rises; the first must be the smaller.
    """

    ramps: ClassVar[tuple[tuple[str, str], ...]] = ()

    @model_validator(mode="after")
    def _require_rising(self) -> Self:
        for low, high in self.ramps:
            least, most = getattr(self, low), getattr(self, high)
            if not least < most:
                raise ValueError(f"{low} {least:g} must be below {high} {most:g}; change one")
        return self
