# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sweep before it runs: all combinations of the varied values, each with all seeds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from boa_control.controllers import checked_parameters
from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment
from boa_tools.sweeps.axis import Axis
from boa_tools.sweeps.task import Task

MOST_RUNS = 1_000_000  # more is a slip of the hand

Parameters = dict[str, Any]
Watched = Callable[[Sequence[Parameters]], Iterable[Parameters]]


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
