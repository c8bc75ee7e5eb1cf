# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find a recorded run: from a results folder or a bag to its scenario."""

from dataclasses import dataclass
from pathlib import Path

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario, parse_scenario
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_tools.bags.rosbag import METADATA, STORAGE, bag_summary
from boa_tools.runs import results


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A bag and the experiment it belongs to.

    Attributes:
        bag: folder or .mcap file.
        experiment: of the scenario that was run.
        directory: where its results belong: the results folder, or `<bag>-report` beside the bag.
    """

    bag: Path
    experiment: Experiment
    directory: Path


def find_bag(source: Path) -> Path:
    """Find a bag.

    Args:
        source: results folder of a run, bag folder, or .mcap file.

    Raises:
        BoaError: there is none.
    """
    if not source.exists():
        raise BoaError(
            f"'{source}' does not exist; give the results folder of a run, a bag folder or an "
            f".mcap file"
        )
    bag = source / results.BAG if (source / results.BAG).is_dir() else source
    if not bag.is_dir() and bag.suffix not in STORAGE:
        raise BoaError(
            f"'{bag}' is not a bag; give the results folder of a run, a bag folder or an .mcap file"
        )
    if bag.is_dir() and not any(
        path.name == METADATA or path.suffix in STORAGE for path in bag.iterdir()
    ):
        raise _no_bag(bag)
    return bag


def _no_bag(folder: Path) -> BoaError:
    """Say what a folder without a bag is, and what to do."""
    inside = {path.name for path in folder.iterdir()}
    again = f"repeat a run with `boa run {folder}/{{}}{results.SCENARIO}`"
    if results.SEEDS in inside:
        return BoaError(
            f"'{folder}' has the results of several seeds, which are run without bags; "
            f"{again.format('')}"
        )
    if results.COMPARISON in inside:
        return BoaError(
            f"'{folder}' has the results of a set, which is run without bags; "
            f"{again.format('MEMBER/')}"
        )
    if results.METRICS in inside:
        return BoaError(
            f"results folder '{folder}' has no bag (run with --no-bag, or in a set); "
            f"{again.format('')}"
        )
    what = "has no bag in it" if inside else "is empty"
    return BoaError(
        f"folder '{folder}' {what}; give the results folder of a run, a bag folder or an .mcap file"
    )


def find_run(source: Path, scenario: str | None = None) -> RecordedRun:
    """Find bag and scenario.

    Args:
        source: results folder (with scenario.yaml and bag), bag folder, or .mcap file.
        scenario: name or file that replaces the recorded scenario.

    Raises:
        BoaError: there is no bag, it cannot be opened, or no scenario is to be found.
    """
    bag = find_bag(source)
    folder = bag.parent if bag.is_file() and (bag.parent / METADATA).is_file() else bag
    directory = folder.with_name(f"{folder.stem}-report") if bag == source else source
    return RecordedRun(bag, prepare(_scenario(bag, scenario)), directory)


def _scenario(bag: Path, chosen: str | None) -> Scenario:
    """The chosen scenario, else that in the results folder around the bag, else that in the bag."""
    if chosen is not None:
        return load_scenario(chosen)
    for folder in (bag.absolute(), bag.absolute().parent):  # a bag, or a file in it
        beside = folder.parent / results.SCENARIO
        if folder.name == results.BAG and beside.is_file():
            return load_scenario(str(beside), trusted=True)  # whoever runs its code asks
    if text := bag_summary(bag).scenario:
        return parse_scenario(text, f"scenario in bag '{bag}'")
    raise BoaError(f"bag '{bag}' does not say which scenario was run; give it with --scenario NAME")
