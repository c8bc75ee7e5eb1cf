# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The folder of an ensemble: its scenarios, its runs, and `ensemble.json`, which says what is run
and what came of it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from boa_control.experiments.library import load_scenario
from boa_control.experiments.own_files import own_files, with_own_files
from boa_control.experiments.scenario import Scenario
from boa_tools.ensembles.division import FIELDS
from boa_tools.ensembles.ensemble import Ensemble
from boa_tools.ensembles.perturbation import Perturbation
from boa_tools.runs import results
from boa_tools.runs.results import write_scenario
from boa_tools.sweeps.definition import FORMAT, begin, go_on_by, read_definition, undamaged
from boa_tools.sweeps.goal import Limit

FILE, WHAT = "ensemble.json", "an ensemble"
# what makes two ensembles the same
IDENTITY = ("scenario", "digest", "seeds", "repeats", "perturb", "against", "goal")


def create(directory: Path, ensemble: Ensemble) -> None:
    """Make the folder, or keep one that is of this very ensemble.

    Raises:
        BoaError: it holds something else.
    """

    def write(scratch: Path) -> None:
        for folder, scenario in _places(scratch, ensemble.of, ensemble.scenarios).items():
            folder.mkdir(exist_ok=True)
            write_scenario(folder, scenario)

    begin(
        directory / FILE,
        definition(ensemble),
        WHAT,
        write,
        identity=IDENTITY,
        remedy=go_on_by("ensemble", directory),
    )


def load(directory: Path) -> Ensemble:
    """The ensemble of a folder. Raises BoaError: it is no such folder, or damaged."""
    known = read(directory)
    with undamaged(directory / FILE):
        seeds = dict.fromkeys(known["seeds"])
        places = {
            folder: load_scenario(str(folder / results.SCENARIO))
            for folder in _places(directory, known["of"], seeds)
        }
        scenarios = {seed: places[_place(directory, known["of"], seed)] for seed in seeds}
        perturbations = tuple(Perturbation(key, share) for key, share in known["perturb"].items())
        return Ensemble(
            known["scenario"],
            known["of"],
            known["kind"],
            scenarios,
            known["repeats"],
            perturbations,
            known["against"],
            Limit(**known["goal"]),
            known["command"],
        )


def definition(ensemble: Ensemble) -> dict[str, Any]:
    """The ensemble as JSON, without its scenarios."""
    return {
        "format": FORMAT,
        "command": ensemble.command,
        "scenario": ensemble.name,
        "digest": digest(list(_places(Path(), ensemble.of, ensemble.scenarios).values())),
        "of": ensemble.of,
        "kind": ensemble.kind,
        "seeds": list(ensemble.seeds),
        "repeats": ensemble.repeats,
        "perturb": {one.key: one.share for one in ensemble.perturbations},
        "against": dict(ensemble.against),
        "goal": asdict(ensemble.reached),
    }


def digest(scenarios: list[Scenario]) -> str:
    """SHA-256 over scenarios, with the user's files that they name."""
    whole = hashlib.sha256()
    for scenario in scenarios:
        for file in own_files(scenario):  # their content counts, not where they lie
            whole.update(file.read_bytes())
        nameless = with_own_files(scenario, lambda path: path.name)
        data = nameless.model_dump(mode="json", exclude_unset=True)
        whole.update(json.dumps(data, sort_keys=True).encode())
    return whole.hexdigest()


def read(directory: Path) -> dict[str, Any]:
    """`ensemble.json`. Raises BoaError: there is none, or it is damaged."""
    return read_definition(directory / FILE, WHAT, IDENTITY)


def write(directory: Path, content: Mapping[str, Any]) -> None:
    """Write `ensemble.json`."""
    results.write_json(directory / FILE, content)


def _place(directory: Path, of: str, seed: int) -> Path:
    return directory / f"field_{seed}" if of == FIELDS else directory


def _places(directory: Path, of: str, scenarios: Mapping[int, Any]) -> dict[Path, Any]:
    """Folder of every scenario; one where all seeds have the same."""
    return {_place(directory, of, seed): scenario for seed, scenario in scenarios.items()}
