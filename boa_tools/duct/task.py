# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A question about gaits in a duct: which duct, which reading of the paper, what is best."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from boa_description.errors import BoaError
from boa_sim.duct.model import DUCTS, READINGS, DuctGait
from boa_sim.duct.run import DuctRun, drive
from boa_tools.optimisers.space import Space, Variable

# sections 6.1 to 6.3 of the paper
BOUNDS = {
    "amplitude": (0.0, 3.0),
    "delay": (0.0, math.pi),
    "frequency": (0.0, 2 * math.pi),
    "stiffness": (0.0, 1000.0),
    "damping": (0.0, 1000.0),
}
UNITS = {"amplitude": "rad", "delay": "rad", "frequency": "rad/s", "stiffness": "1/s²"} | {
    "damping": "1/s"
}
CRITERIA = {"distance": "m", "thrift": "m/J"}


@dataclass(frozen=True, slots=True)
class DuctTask:
    """The task of a search.

    Attributes:
        width: `wide` or `narrow`.
        reading: `printed` or `resolved`.
        criterion: `distance` (eq. 5) or `thrift` (eq. 6); the larger the better.
        space: the variables, of the names of `DuctGait`.
        gait: the values of all others.

    Raises:
        BoaError: an unknown word.
    """

    width: str
    reading: str
    criterion: str
    space: Space
    gait: DuctGait

    def __post_init__(self) -> None:
        for name, value, known in (
            ("width", self.width, DUCTS),
            ("reading", self.reading, READINGS),
            ("criterion", self.criterion, CRITERIA),
        ):
            if value not in known:
                raise BoaError(f"{name} '{value}' is unknown; choose one of {', '.join(known)}")

    def run(self, values: Mapping[str, float]) -> DuctRun:
        """The run of 20 s with these values."""
        return drive(READINGS[self.reading], DUCTS[self.width], replace(self.gait, **values))

    def score(self, run: DuctRun) -> float:
        """By the criterion; 0 where the run was stopped."""
        return run.far if self.criterion == "distance" else run.thrifty


def variable(text: str) -> Variable:
    """NAME or NAME=LOW:HIGH, within the bounds of the paper where they are left out.

    Raises:
        BoaError: no variable of a gait, or no range.
    """
    name, _, ends = text.partition("=")
    if name not in BOUNDS:
        raise BoaError(f"'{name}' is no variable of a gait; choose from {', '.join(BOUNDS)}")
    if not ends:
        return Variable(name, *BOUNDS[name])
    low, _, high = ends.partition(":")
    try:
        return Variable(name, float(low), float(high))
    except ValueError as error:
        raise BoaError(f"--over {text}: write {name}=LOW:HIGH with LOW < HIGH") from error
