# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values of a scenario that are moved a little: `controller.parameters.force=0.01`."""

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from boa_control.experiments.change import changed, is_whole_number, value_at
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_description.yaml_text import parse_yaml
from boa_tools.sweeps.plan import plain_number

DIGITS = 12  # of a perturbed value; fewer than a float has, so that it is read back the same


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A key of the scenario whose value x becomes x (1 + share u), with u uniform in [-1, 1]; of a
    list every number on its own.
    """

    key: str
    share: float

    def value(self, scenario: Scenario, seed: int, member: int) -> Any:
        """The perturbed value; u depends on seed, member and key alone, so that every value of a
        switch meets the same.

        Raises:
            BoaError: the scenario has no number there that a share would change.
        """
        nominal = value_at(scenario, self.key)
        values = np.array(self._numbers(scenario, nominal))
        stream = np.random.default_rng((seed, member, zlib.crc32(self.key.encode())))
        moved = values * (1.0 + self.share * stream.uniform(-1.0, 1.0, values.shape))
        rounded = [float(f"{value:.{DIGITS}g}") for value in moved]
        return rounded if isinstance(nominal, list) else rounded[0]

    def _numbers(self, scenario: Scenario, nominal: Any) -> list[float]:
        if nominal is None:
            changed(scenario, {self.key: 1.0})  # names the nearest key where there is none
        numbers = nominal if isinstance(nominal, list) else [nominal]
        if not numbers or any(type(number) not in (int, float) for number in numbers):
            raise BoaError(
                f"--perturb {self.key}: scenario {scenario.name} has {nominal} there, neither a "
                f"number nor a list of numbers; give it one: --set {self.key}=NUMBER"
            )
        if is_whole_number(scenario, self.key):
            raise BoaError(f"--perturb {self.key}: a whole number has no share; leave it out")
        if not any(numbers):
            raise BoaError(
                f"--perturb {self.key}: a share of {nominal} is nothing; give it another value "
                f"first: --set {self.key}=NUMBER"
            )
        return [float(number) for number in numbers]


def parse_perturbation(text: str) -> Perturbation:
    """Read `KEY=SHARE`. Raises BoaError."""
    key, _, right = text.partition("=")
    try:
        share = float(right)
    except ValueError:
        share = 0.0
    if not key or not 0.0 < share <= 1.0:
        raise BoaError(
            f"--perturb {text}: write KEY=SHARE with a share above 0, at most 1 (0.01: 1 %)"
        )
    return Perturbation(key.strip(), share)


def parse_setting(text: str, option: str) -> tuple[str, Any]:
    """Read `KEY=VALUE`, a value as in YAML. Raises BoaError."""
    key, equals, right = text.partition("=")
    if not (key and equals and right.strip()):
        raise BoaError(f"{option} {text}: write KEY=VALUE")
    return key.strip(), plain_number(parse_yaml(right, f"{option} {text}"))
