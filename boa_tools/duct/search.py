# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The search of the best gait, every evaluation kept as a line of a file."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from boa_description.errors import BoaError
from boa_sim.duct.run import DuctRun
from boa_tools.duct.task import DuctTask
from boa_tools.optimisers.sample import Sample
from boa_tools.optimisers.sampler import Sampler
from boa_tools.sweeps.journal import open_journal, read_journal

TASK, LINES = "task.json", "evaluations.jsonl"
FINALISTS = 3
NEIGHBOURS = 5
NEARBY = 0.01  # of each range, how far neighbours are away at most


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One gait that was tried.

    Attributes:
        values: by name of the variable.
        score: the larger the better; 0 where the run was stopped.
        end, distance, energy, force_peak: as in `DuctRun`.
    """

    values: Mapping[str, float]
    score: float
    end: str
    distance: float
    energy: float
    force_peak: float

    @property
    def stopped(self) -> bool:
        """Whether a force or a heading ended the run."""
        return self.end != "ran"


@dataclass(frozen=True, slots=True)
class Finalist:
    """One of the best, with gaits beside it: on a ridge a single best value is lucky.

    Attributes:
        evaluation: how it came out.
        beside: scores of its neighbours.
    """

    evaluation: Evaluation
    beside: tuple[float, ...]

    @property
    def median(self) -> float:
        """Of the gait itself and its neighbours."""
        return float(np.median((self.evaluation.score, *self.beside)))


def evaluate(task: DuctTask, values: Mapping[str, float]) -> Evaluation:
    """Run a gait."""
    return judged(task, values, task.run(values))


def judged(task: DuctTask, values: Mapping[str, float], run: DuctRun) -> Evaluation:
    """A run with these values by the criterion of the task."""
    return Evaluation(
        dict(values), task.score(run), run.end, run.distance, run.energy, run.force_peak
    )


def search(
    task: DuctTask,
    sampler: Sampler,
    evaluations: int,
    directory: Path,
    told: Callable[[int, Evaluation], None],
) -> list[Evaluation]:
    """Search, or go on with the search that `directory` holds: the result is the same.

    Args:
        told: called after each new evaluation with its number.

    Raises:
        BoaError: the directory holds another search, or a damaged line.
    """
    directory.mkdir(parents=True, exist_ok=True)
    _same_task(directory / TASK, task, sampler)
    known = [Evaluation(**row) for row in read_journal(directory / LINES, ("values", "score"))]
    with open_journal(directory / LINES) as journal:
        while len(known) < evaluations:
            samples = [_sample(task, each) for each in known]
            point = sampler.propose(task.space, samples, (), len(known))
            if point is None:
                break
            known.append(evaluate(task, task.space.values(point)))
            journal.append(asdict(known[-1]))
            told(len(known), known[-1])
    return known


def finalists(task: DuctTask, known: Sequence[Evaluation], seed: int) -> list[Finalist]:
    """The three best with their neighbours, best median first."""
    rng = np.random.default_rng(seed)
    ranked = sorted(known, key=lambda each: -each.score)[:FINALISTS]
    chosen = []
    for each in ranked:
        point = task.space.point(each.values)
        near = point + rng.uniform(-NEARBY, NEARBY, (NEIGHBOURS, point.size))
        scores = (evaluate(task, task.space.values(np.clip(one, 0, 1))).score for one in near)
        chosen.append(Finalist(each, tuple(scores)))
    return sorted(chosen, key=lambda one: -one.median)


def _sample(task: DuctTask, each: Evaluation) -> Sample:
    """A stopped run tells the sampler nothing but that: its zero would be a cliff in the surrogate
    just where the best gaits are.
    """
    objective = math.nan if each.stopped else -each.score
    return Sample(task.space.point(each.values), objective, np.zeros(0))


def _same_task(path: Path, task: DuctTask, sampler: Sampler) -> None:
    text = json.dumps({"task": repr(task), "sampler": repr(sampler)}, indent=1)
    if not path.exists():
        path.write_text(text)
    elif path.read_text() != text:
        raise BoaError(
            f"'{path.parent}' holds another search ({path.name}); choose another --out, or repeat "
            f"its arguments to go on with it"
        )
