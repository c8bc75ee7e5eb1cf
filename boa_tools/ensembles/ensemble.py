# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An ensemble: seeds, of each several members with perturbed values, under one value of a switch or
two.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boa_control.experiments.change import changed
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_tools.ensembles.perturbation import Perturbation
from boa_tools.sweeps.goal import Goal, Limit
from boa_tools.sweeps.plan import identity, said, try_out
from boa_tools.sweeps.task import Task

ARM, MEMBER = "arm", "member"  # columns of a run
AS_GIVEN = "as given"  # arm without the other value of the switch
COMPLETED = Limit("completed", 1.0, least=True)

Point = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ensemble:
    """An ensemble of runs.

    Attributes:
        name: of the scenario, or of the set of planned fields.
        of: what the seeds are of, RUNS or FIELDS.
        kind: of the seeds: tuning, judging ...
        scenarios: by seed; for RUNS all the same.
        repeats: members of every seed.
        perturbations: of every member.
        against: values of the other arm; none without one.
        reached: what a run must have reached to be a success.
        command: that began it, for people.
    """

    name: str
    of: str
    kind: str
    scenarios: Mapping[int, Scenario]
    repeats: int
    perturbations: tuple[Perturbation, ...]
    against: Mapping[str, Any]
    reached: Limit
    command: str

    @property
    def seeds(self) -> tuple[int, ...]:
        """All of them, in order."""
        return tuple(self.scenarios)

    @property
    def arms(self) -> tuple[str, ...]:
        """One arm, or two that are set side by side."""
        other = ", ".join(f"{key}={value}" for key, value in self.against.items())
        return (AS_GIVEN, other) if other else (AS_GIVEN,)

    @property
    def total(self) -> int:
        """Number of runs."""
        return len(self.seeds) * self.repeats * len(self.arms)

    def runs(self) -> Iterator[tuple[int, Point, int]]:
        """Number, parameters and seed of every run: the first member of all seeds, then the second.
        Both arms of a member follow one another.
        """
        number = 0
        for member in range(self.repeats):
            for seed in self.seeds:
                for arm in self.arms:
                    scenario = self._nominal(arm, seed)
                    values = {p.key: p.value(scenario, seed, member) for p in self.perturbations}
                    yield number, {ARM: arm, MEMBER: member} | values, seed
                    number += 1

    def task(self, point: Point, seed: int) -> Task:
        """One run."""
        values = {key: value for key, value in point.items() if key not in (ARM, MEMBER)}
        key = f"{point[ARM]}, seed {seed}, member {point[MEMBER]}"
        return Task(key, changed(self._nominal(point[ARM], seed), values), seed)

    def succeeded(self, row: Mapping[str, Any]) -> bool:
        """Whether a run has reached its goal without a fault or another trip of the gate."""
        goal = Goal(self.reached.metric, self.reached.least, (self.reached,))
        return row["error"] is None and row["gate_trips"] == 0 and goal.kept(row)

    def _nominal(self, arm: str, seed: int) -> Scenario:
        scenario = self.scenarios[seed]
        return scenario if arm == AS_GIVEN else changed(scenario, self.against)


def check(ensemble: Ensemble) -> None:
    """Make every scenario, and of each arm all that its first run needs: what would be refused is
    refused now.

    Raises:
        BoaError: a key given twice, a switch that changes nothing, or a refused value.
    """
    keys = [one.key for one in ensemble.perturbations]
    for key in keys:
        if keys.count(key) > 1:
            raise BoaError(f"--perturb {key} is given twice; give one share")
    first = ensemble.scenarios[ensemble.seeds[0]]
    if ensemble.against and identity(first) == identity(changed(first, ensemble.against)):
        raise BoaError(
            f"--against {ensemble.arms[1]} does not change the scenario; give the other value"
        )
    for number, point, seed in ensemble.runs():
        task = ensemble.task(point, seed)
        if number < len(ensemble.arms):
            try_out(task.scenario, seed, said(point))
