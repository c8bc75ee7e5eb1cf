# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Running, resuming, reporting and comparing ensembles."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from boa_description.errors import BoaError
from boa_tools.ensembles import folder
from boa_tools.ensembles.division import TUNING, UNDIVIDED
from boa_tools.ensembles.ensemble import ARM, COMPLETED, MEMBER, Ensemble, check
from boa_tools.ensembles.summary import Arm, arm_table, arms, change, change_text
from boa_tools.sweeps.journal import JOURNAL, Row, read_journal
from boa_tools.sweeps.remaining import judge, resumed_by, run_remaining
from boa_tools.sweeps.rows import NEEDED, newest
from boa_tools.sweeps.task import Workers

COMMAND = "ensemble"
# what two ensembles must share for their members to be the same
SHARED = {"of": "kind of seeds (runs or fields)", "perturb": "perturbations", "goal": "goal"}


def prepare_ensemble(ensemble: Ensemble, directory: Path) -> None:
    """Check the ensemble and make its folder; one of this very ensemble is kept.

    Raises:
        BoaError: anything wrong; nothing has been written then.
    """
    check(ensemble)
    folder.create(directory, ensemble)


def run_ensemble(directory: Path, workers: Workers) -> int:
    """Run what is missing and report; status 1 where it was interrupted, or a run left no result.

    Raises:
        BoaError: the folder is damaged, or another process is at work in it.
        OSError: the disk is full; what had ended is kept.
    """
    go_on = resumed_by(COMMAND, directory)
    if not run_remaining(folder.load(directory), directory, workers, go_on):
        return 1
    return report_ensemble(directory)


def report_ensemble(directory: Path) -> int:
    """Print the table of the runs so far and write their results; status 1 where runs are missing
    or left no result.

    Raises:
        BoaError: the folder is not that of an ensemble, is damaged, or has no run yet.
    """
    ensemble, rows = folder.load(directory), _rows(directory)
    found = arms(ensemble, rows)
    changes = [
        {"from": one.name, "to": other.name} | asdict(change(one, other))
        for one, other in _pairs(found)
    ]
    outcome = {"arms": [arm.record() for arm in found], "changes": changes}
    folder.write(directory, folder.read(directory) | {"results": outcome})
    print(_about(ensemble))
    _print(found, ensemble.kind)
    print(directory / folder.FILE)
    return judge(rows, ensemble.total, directory, COMMAND)


def compare_ensembles(first: Path, second: Path) -> int:
    """Print the ensembles of two folders side by side, and what changed from the first to the
    second.

    Raises:
        BoaError: one is no ensemble, or they do not have the same members.
    """
    one, other = folder.load(first), folder.load(second)
    known, given = folder.read(first), folder.read(second)
    for key, what in SHARED.items():
        if known[key] != given[key]:
            raise BoaError(
                f"'{first}' and '{second}' differ in their {what}, so their runs cannot be "
                "compared; run one of them anew like the other"
            )
    if not set(one.seeds) & set(other.seeds):
        raise BoaError(f"'{first}' and '{second}' have no seed in common; run one of them anew")
    found = []
    for directory, ensemble in ((first, one), (second, other)):
        rows = _rows(directory)
        versions = ", ".join(sorted({row["version"] for row in rows if row["version"]}))
        print(f"{directory}: {_about(ensemble)}; version {versions}")
        found += arms(ensemble, rows, f"{directory.name}: ")
    if known["digest"] != given["digest"]:
        print("the two scenarios differ")
    _print(found, one.kind)
    return 0


def _rows(directory: Path) -> list[Row]:
    rows = newest(read_journal(directory / JOURNAL, (*NEEDED, ARM, MEMBER)))
    if not rows:
        raise BoaError(f"'{directory}' has no run yet; boa ensemble resume does them")
    return rows


def _pairs(found: Sequence[Arm]) -> list[tuple[Arm, Arm]]:
    """The first with each of the others."""
    return [(found[0], other) for other in found[1:]]


def _print(found: Sequence[Arm], kind: str) -> None:
    print(arm_table(found))
    for one, other in _pairs(found):
        print(change_text(one, other, change(one, other)))
    if len(found) > 1 and kind not in (TUNING, UNDIVIDED):
        print(
            f"note: these are {kind} seeds; they confirm or refute what was chosen on tuning "
            "seeds, and nothing may be chosen with them"
        )


def _about(ensemble: Ensemble) -> str:
    """One line, for people."""
    seeds = ensemble.seeds
    moved = ", ".join(f"{one.key} +-{100 * one.share:g} %" for one in ensemble.perturbations)
    goal = "completed" if ensemble.reached == COMPLETED else str(ensemble.reached)
    return (
        f"{ensemble.name}: {len(seeds)} {ensemble.kind} seeds of {ensemble.of}, {seeds[0]} to "
        f"{seeds[-1]}, {ensemble.repeats} members each; perturbed: {moved or 'nothing'}; "
        f"success: {goal}, no fault, no gate trip"
    )
