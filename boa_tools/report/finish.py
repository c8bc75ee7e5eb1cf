# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a finished run to its results: metrics, plots, picture, page. Used by `boa run`, `boa
launch`, `boa report`. Write plots, picture and page of a run.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.identified import identified
from boa_control.experiments.library import load_scenario
from boa_control.planning.corrected import corrected_post_map, map_text
from boa_control.safety.ended import Ended, Reason
from boa_tools.bags.ticks import read_run
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.ending import closing_sentence
from boa_tools.evaluation.metric_table import metrics, summary
from boa_tools.report import (
    contacts,
    errors,
    forces,
    joints,
    map,
    side_view,
    top_view,
    torques,
    travel,
)
from boa_tools.report.page import page
from boa_tools.report.picture import picture
from boa_tools.report.plot import Plot
from boa_tools.report.style import all_forms, styled, write_figures
from boa_tools.runs import results
from boa_tools.runs.results import keep_record, read_record
from boa_tools.runs.runlog import RunLog

PLOTS: tuple[Plot, ...] = (
    top_view.PLOT,
    side_view.PLOT,
    forces.PLOT,
    contacts.PLOT,
    errors.PLOT,
    travel.PLOT,
    torques.PLOT,
    joints.PLOT,
    map.PLOT,
)


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
        for path in build_report(analysis, values, directory, said, reason, formats):
            print(path)
    if video:
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


def build_report(
    analysis: Analysis,
    metrics: Mapping[str, Any],
    directory: Path,
    said: str | None = None,
    reason: Reason | None = None,
    formats: Sequence[str] = (),
) -> list[Path]:
    """Write plots/*.png, picture.png and report.html into a results folder; return their paths.
    `formats`: in which plots are written besides.
    `said`: how the run ended, and for what `reason`, where that is known.
    """
    with styled():
        drawn = {plot.name: figure for plot in PLOTS if (figure := plot.draw(analysis)) is not None}
        image = picture(analysis)
    folder = directory / results.PLOTS
    images = write_figures(folder, drawn, formats)
    written = [folder / f"{name}.{form}" for name in images for form in all_forms(formats)]
    if image is not None:
        written.append(directory / results.PICTURE)
        results.write_bytes(written[-1], image)
    shown = [(plot, images[plot.name]) for plot in PLOTS if plot.name in images]
    html = page(analysis, metrics, shown, image, said, reason)
    results.write_text(directory / results.REPORT, html)
    return [*written, directory / results.REPORT]
