"""Find a recorded run: from a results folder or a bag to its scenario."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from boa_control.experiment import Experiment, prepare
from boa_control.library import load_scenario, parse_scenario
from boa_description.errors import BoaError
from boa_tools import results
from boa_tools.bags import bag_summary


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


def find_run(source: Path, scenario: str | None = None) -> RecordedRun:
    """Find bag and scenario.

    Args:
        source: results folder (with scenario.yaml and bag), bag folder, or .mcap file.
        scenario: name or file that replaces the recorded scenario.

    Raises:
        BoaError: there is no bag, or no scenario to be found.
    """
    if not source.exists():
        raise BoaError(f"'{source}' does not exist; give the results folder of a run, or a bag")
    whole = source.is_dir() and (source / results.BAG).exists()
    if not whole and (source / results.METRICS).is_file():
        raise BoaError(f"results folder '{source}' has no bag (a run with --no-bag writes none); run it again with one")
    bag = source / results.BAG if whole else source
    summary = bag_summary(bag)
    if scenario is not None:
        found = load_scenario(scenario)
    elif whole and (source / results.SCENARIO).is_file():
        found = load_scenario(str(source / results.SCENARIO))
    elif summary.scenario:
        found = parse_scenario(summary.scenario, f"scenario in bag '{bag}'")
    else:
        raise BoaError(f"bag '{bag}' does not say which scenario was run; give it with --scenario NAME")
    return RecordedRun(bag, prepare(found), source if whole else bag.with_name(f"{bag.stem}-report"))
