# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write plots, picture and page of a run."""

from __future__ import annotations

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
from boa_tools.report.style import in_formats, styled
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
    written: list[Path] = []
    with styled():
        drawn = [
            (plot, in_formats(plot.name, figure, formats))
            for plot in PLOTS
            if (figure := plot.draw(analysis)) is not None
        ]
        image = picture(analysis)
    (directory / results.PLOTS).mkdir(exist_ok=True)
    for _, files in drawn:
        for name, content in files.items():
            written.append(_write(directory / results.PLOTS / name, content))
    if image is not None:
        written.append(_write(directory / results.PICTURE, image))
    shown = [(plot, files[f"{plot.name}.png"]) for plot, files in drawn]
    html = page(analysis, metrics, shown, image, said, reason)
    results.write_text(directory / results.REPORT, html)
    return [*written, directory / results.REPORT]


def _write(path: Path, content: bytes) -> Path:
    scratch = path.with_name(f".{path.name}.part")
    scratch.write_bytes(content)
    scratch.replace(path)
    return path
