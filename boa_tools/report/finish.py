# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a finished run to its results: metrics, plots, picture, page. Used by `boa run`, `boa
launch`, `boa report`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.identified import identified
from boa_control.experiments.library import load_scenario
from boa_control.planning.corrected import corrected_post_map, map_text
from boa_control.safety.ended import Ended
from boa_tools.bags.ticks import read_run
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.ending import closing_sentence
from boa_tools.evaluation.metric_table import metrics, summary
from boa_tools.runs import results
from boa_tools.runs.console import when_interrupted
from boa_tools.runs.results import keep_record, read_record
from boa_tools.runs.runlog import RunLog


def finish(
    log: RunLog,
    experiment: Experiment,
    directory: Path,
    *,
    report: bool = True,
    video: bool = False,
    formats: Sequence[str] = (),
) -> dict[str, Any]:
    """Write metrics (and plots, picture, page) of a run, print summary and paths; the metrics.
    `formats`: of plots, besides PNG.

    Raises:
        BoaError: no video can be made here; everything else has been written then.
    """
    analysis = Analysis(log, experiment)
    values = metrics(analysis)
    record, said, reason = read_record(directory), None, None
    if record is not None:
        end = Ended.of(record)
        said, reason = closing_sentence(values, end, log, experiment.scenario), end.reason
        keep_record(directory, {**record, "sentence": said})
    results.write_json(directory / results.METRICS, values)
    print(summary(values, reason))
    if not analysis.window.any():
        settle = experiment.scenario.evaluation.settle
        print(
            f"  nothing could be judged: the run ended within its start-up of {settle:g} s "
            f"(evaluation.settle)"
        )
    print(f"\n{directory / results.METRICS}")
    if (directory / results.BAG).is_dir():
        print(directory / results.BAG)
    if log.maps:
        corrected = corrected_post_map(log.maps[-1].corrected, experiment.post_names)
        results.write_text(directory / results.MAP, map_text(corrected))
        print(directory / results.MAP)
    source = _source(directory, experiment.scenario.name, record)
    known = identified(experiment.robot.name, log.debug, source)
    if known is not None:
        results.write_text(directory / results.IDENTIFIED, known)
        print(directory / results.IDENTIFIED)
    if report:
        with when_interrupted(f"'{directory}' has all but the report"):
            from boa_tools.report.build import build_report  # matplotlib, renderer and film writer

            for path in build_report(analysis, values, directory, said, reason, formats):
                print(path)
    if video:
        with when_interrupted(f"'{directory}' has all but the video"):
            from boa_tools.report.picture import write_run_video

            write_run_video(analysis, directory / results.VIDEO)
        print(directory / results.VIDEO)
    if said is not None:
        print(f"\n{said}")
    return values


def _source(directory: Path, scenario: str, record: dict[str, Any] | None) -> dict[str, Any]:
    """The run that a results folder is of: its name, scenario, version and date."""
    source = {"run": directory.absolute().name, "scenario": scenario}
    if record is not None:
        source |= {"version": record["versions"]["boa_control"], "date": record["written"]}
    return source


def finish_run(directory: Path, *, report: bool = True, video: bool = False) -> dict[str, Any]:
    """Do the same for a results folder, from its scenario and bag.

    Raises:
        BoaError: there is no scenario or bag, or one of them is wrong.
    """
    experiment = prepare(load_scenario(str(directory / results.SCENARIO)))
    return finish(
        read_run(directory / results.BAG, experiment),
        experiment,
        directory,
        report=report,
        video=video,
    )
