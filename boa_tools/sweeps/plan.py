# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sweep before it runs: all combinations of the varied values, each with all seeds. One varied
key of a sweep and its values, as on the command line.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from boa_control.controllers import checked_parameters
from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_description.yaml_text import parse_yaml
from boa_sim.factory import plant_from_experiment
from boa_tools.sweeps.task import Task

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER}):({NUMBER}):(\d+)(:log)?")
LOOKS_LIKE_RANGE = re.compile(rf"{NUMBER}(:{NUMBER})+(:\w*)?")
FORMS = "KEY=first:last:count, KEY=first:last:count:log or KEY=value,value,..."
DIGITS = 12  # of the values of a range: 0.006, not 0.006000000000000001
MOST_VALUES = 10_000  # of one range; more is a slip of the hand
MOST_RUNS = 1_000_000  # more is a slip of the hand

Parameters = dict[str, Any]
Watched = Callable[[Sequence[Parameters]], Iterable[Parameters]]


@dataclass(frozen=True, slots=True)
class Axis:
    """A key of the scenario with dots, and the values that it takes."""

    key: str
    values: tuple[Any, ...]


def parse_axis(text: str) -> Axis:
    """Read `KEY=first:last:count` (both ends belong to it; `:log` for equal ratios), or
    `KEY=value,value,...` with values as in YAML.

    Raises:
        BoaError: not of that form, an empty range, or a value given twice.
    """
    key, equals, right = text.partition("=")
    if not (key and equals and right.strip()):
        raise BoaError(f"--vary {text}: write {FORMS}")
    values = _range(text, right) if LOOKS_LIKE_RANGE.fullmatch(right) else _list(text, right)
    seen = set()
    for value in values:
        if repr(value) in seen:
            raise BoaError(f"--vary {text}: the value {value} comes twice; give it once")
        seen.add(repr(value))
    return Axis(key.strip(), values)


def _range(text: str, right: str) -> tuple[float, ...]:
    match = RANGE.fullmatch(right)
    if match is None:
        raise BoaError(f"--vary {text}: a range is first:last:count or first:last:count:log")
    first, last, count = float(match[1]), float(match[2]), int(match[3])
    if count < 2 or first == last:
        raise BoaError(
            f"--vary {text}: the range from {first:g} to {last:g} with {count} values is empty; "
            "give two different ends and a count of 2 or more, or single values: KEY=value,..."
        )
    if count > MOST_VALUES:
        raise BoaError(f"--vary {text}: {count} values, at most {MOST_VALUES}; take fewer")
    if match[4] and not first * last > 0:
        raise BoaError(f"--vary {text}: a range in equal ratios needs ends of one sign, not 0")
    spaced = np.geomspace(first, last, count) if match[4] else np.linspace(first, last, count)
    values = [float(f"{value:.{DIGITS}g}") for value in spaced]
    whole = all(value.is_integer() for value in values) and "." not in match[1] + match[2]
    return tuple(int(value) for value in values) if whole else tuple(values)


def _list(text: str, right: str) -> tuple[Any, ...]:
    values = parse_yaml(f"[{right}]", f"--vary {text}")
    if not isinstance(values, list) or not values:
        raise BoaError(f"--vary {text}: write {FORMS}")
    return tuple(plain_number(value) for value in values)


def plain_number(value: Any) -> Any:
    """YAML takes 1e-3 for a text; we do not."""
    return float(value) if isinstance(value, str) and re.fullmatch(NUMBER, value) else value


@dataclass(frozen=True, slots=True)
class Plan:
    """A sweep.

    Attributes:
        base: scenario that is varied.
        axes: varied keys.
        seeds: of which every combination has all.
    """

    base: Scenario
    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]

    @property
    def name(self) -> str:
        """Of the scenario."""
        return self.base.name

    @property
    def total(self) -> int:
        """Number of runs."""
        return prod(len(axis.values) for axis in self.axes) * len(self.seeds)

    @property
    def points(self) -> tuple[Parameters, ...]:
        """All combinations, the last key changing fastest."""
        keys = [axis.key for axis in self.axes]
        return tuple(
            dict(zip(keys, values, strict=True))
            for values in product(*(axis.values for axis in self.axes))
        )

    def runs(self) -> Iterator[tuple[int, Parameters, int]]:
        """Number, parameters and seed of every run: all combinations with the first seed, then
        with the second. A sweep that is broken off has covered its range.
        """
        points = self.points
        for round_, seed in enumerate(self.seeds):
            for place, point in enumerate(points):
                yield round_ * len(points) + place, point, seed

    def scenario(self, point: Mapping[str, Any]) -> Scenario:
        """The scenario of one combination, named after it. Raises BoaError where it is refused."""
        scenario = changed(self.base, point)
        return scenario.model_copy(update={"summary": f"{self.base.summary} ({said(point)})"})

    def task(self, point: Mapping[str, Any], seed: int) -> Task:
        """One run."""
        return Task(f"{said(point)}, seed {seed}", self.scenario(point), seed)


def said(point: Mapping[str, Any]) -> str:
    """Parameters for people: keys by their last part."""
    return ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in point.items())


def check(plan: Plan, watched: Watched = iter) -> None:
    """Make everything that the runs need but do no step: what would be refused is refused now.

    Args:
        watched: goes through the combinations, e.g. with a progress bar; each takes a tenth of a
            second or more.

    Raises:
        BoaError: a key given twice or one that changes nothing, too many runs, or a combination
            that the scenario, its controller or its plant refuses.
    """
    keys = [axis.key for axis in plan.axes]
    for key in keys:
        if keys.count(key) > 1:
            raise BoaError(f"--vary {key} is given twice; put all its values into one")
    if plan.total > MOST_RUNS:
        raise BoaError(f"these would be {plan.total} runs, at most {MOST_RUNS}; take fewer values")
    seen: dict[str, Parameters] = {}
    for point in watched(plan.points):
        scenario = plan.scenario(point)
        _refuse_same(plan, point, seen.setdefault(identity(scenario), point))
        try_out(scenario, plan.seeds[0], said(point))
    _refuse_single(plan)


def try_out(scenario: Scenario, seed: int, where: str) -> None:
    """Make everything that a run needs but do no step. Raises BoaError that begins with `where`."""
    try:
        experiment = prepare(scenario)
        build_controller(experiment)
        with closing(plant_from_experiment(experiment, seed)):
            pass
    except BoaError as error:
        raise BoaError(f"{where}: {error}") from error


def identity(scenario: Scenario) -> str:
    """Equal for scenarios that are the same, whether a default is written out or not."""
    choice = scenario.controller
    parameters = checked_parameters(choice.name, choice.parameters).model_dump(mode="json")
    data = scenario.model_dump(mode="json", exclude={"name", "summary"})
    data["controller"]["parameters"] = parameters
    return json.dumps(data, sort_keys=True)


def _refuse_same(plan: Plan, point: Parameters, earlier: Parameters) -> None:
    differing = [axis.key for axis in plan.axes if point[axis.key] != earlier[axis.key]]
    if differing:
        raise BoaError(
            f"--vary {differing[0]} does not change the scenario: {said(earlier)} and "
            f"{said(point)} are the same; leave it out, or give other values"
        )


def _refuse_single(plan: Plan) -> None:
    """Refuse a key whose only value is the scenario's own."""
    first = plan.points[0]
    for axis in plan.axes:
        if len(axis.values) > 1:
            continue
        others = {key: value for key, value in first.items() if key != axis.key}
        try:
            without = changed(plan.base, others)
        except BoaError:
            continue  # the scenario needs this value
        if identity(without) == identity(plan.scenario(first)):
            raise BoaError(
                f"--vary {axis.key} does not change the scenario: {axis.values[0]} is its value "
                "already; leave it out, or give other values"
            )
