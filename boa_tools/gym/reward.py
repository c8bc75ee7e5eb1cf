# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rewards from metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from boa_control.experiments.experiment import Experiment
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError, unknown_name
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import Metric
from boa_tools.evaluation.metric_table import FURTHER, METRICS
from boa_tools.runs.block import Gathering
from boa_tools.runs.recording import Recording
from boa_tools.runs.tick import Tick


class Reward:
    """Sum of weights times metrics of the ticks of a step; one that is unknown adds nothing.

    Ways and energies of steps add up to those of the run; a peak is that of each step.
    """

    def __init__(self, weights: Mapping[str, float], scenario: Scenario) -> None:
        """`weights` by the key of the metric, per its SI unit.

        Raises:
            BoaError: no such metric, or one that needs `evaluation.heading`.
        """
        known = METRICS | FURTHER
        for key in weights:
            if key not in known:
                raise unknown_name("metric", key, known)
            if key.startswith("advance") and scenario.evaluation.heading is None:
                raise BoaError(
                    f"reward {key}: scenario {scenario.name} says not where to; give "
                    "evaluation: {heading: ...}"
                )
        self._terms: list[tuple[Metric, float]] = [
            (known[key], weight) for key, weight in weights.items()
        ]

    def of(self, ticks: Sequence[Tick], experiment: Experiment) -> float:
        """The reward of consecutive ticks; the first is the last one of the step before."""
        recording = Recording(experiment.robot)
        gathering = Gathering((recording,))
        for tick in ticks:
            gathering.add(tick)
        gathering.flush()
        run = Analysis(recording.log(), experiment)
        values = [(metric.compute(run), weight) for metric, weight in self._terms]
        return sum(weight * float(value) for value, weight in values if value is not None)
