# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plots, picture and page of a finished run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boa_control.safety.ended import Reason
from boa_tools.evaluation.analysis import Analysis
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
