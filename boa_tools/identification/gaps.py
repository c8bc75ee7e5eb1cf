# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far simulation and recorded run are apart, with intervals, as a table and as a page."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from boa_description.arrays import Array
from boa_tools.identification.regression import coverage_factor, jackknife
from boa_tools.identification.replay import SIGNALS
from boa_tools.report.style import SERIES, WIDTH, legend, styled
from boa_tools.report.template import filled

ENTRY = 0.25  # of a window, in which contacts find their forces again; forces count from there on
FORCE_SIGNALS = slice(2, None)
BAND = (0.05, 0.95)  # of the windows


class Gap(NamedTuple):
    """Rms over the windows, in the units of `SIGNALS`, and half of its interval of 95 %.

    Attributes:
        rms, half: of all joints, (signals,). joint_rms: (n - 1, signals). joint_half: likewise.
    """

    rms: Array
    half: Array
    joint_rms: Array
    joint_half: Array


def summary(gaps: Array) -> Gap:
    """Of gaps as `replay` gives them."""
    factor = np.array([signal.factor for signal in SIGNALS])[:, None]
    squares = (gaps * factor) ** 2
    entry = int(ENTRY * gaps.shape[1])
    squares[:, :entry, FORCE_SIGNALS] = np.nan
    each = np.nanmean(squares, axis=1)  # (windows, signals, joints)
    rms, half = _rms(each.mean(axis=2))
    joint_rms, joint_half = _rms(each.reshape(len(each), -1))
    shape = each.shape[1:]
    return Gap(rms, half, joint_rms.reshape(shape).T, joint_half.reshape(shape).T)


def _rms(squares: Array) -> tuple[Array, Array]:
    """Root of the mean over windows, (windows, m), and half of its interval."""
    count = len(squares)
    rms: Array = np.sqrt(squares.mean(axis=0))
    if count < 2:
        return rms, np.full_like(rms, np.nan)
    without = np.sqrt((squares.sum(axis=0) - squares) / (count - 1))
    return rms, coverage_factor(count) * np.sqrt(jackknife(without).diagonal())


def table(found: Mapping[str, Gap]) -> str:
    """For the terminal: a line for each simulation."""
    width = max(map(len, found))
    head = "".join(f"{f'{signal.name}, {signal.unit}':>24}" for signal in SIGNALS)
    lines = [f"{'gap, rms':<{width}}{head}"]
    for name, gap in found.items():
        cells = "".join(f"{cell:>24}" for cell in _cells(gap.rms, gap.half))
        lines.append(f"{name:<{width}}{cells}")
    return "\n".join(lines)


def page(title: str, found: Mapping[str, Array], period: float, growth: bytes) -> str:
    """The HTML page; `found`: name of each simulation -> gaps as `replay` gives them; `growth`: the
    figure as PNG.
    """
    gaps = {name: summary(one) for name, one in found.items()}
    first = next(iter(found.values()))
    rows: list[dict[str, Any]] = [
        {"name": name, "joint": "all", "cells": _cells(gap.rms, gap.half)}
        for name, gap in gaps.items()
    ]
    rows += [
        {"name": name, "joint": joint + 1, "cells": _cells(*both)}
        for name, gap in gaps.items()
        for joint, both in enumerate(zip(gap.joint_rms, gap.joint_half, strict=True))
    ]
    return filled(
        "gaps.html",
        title=title,
        windows=len(first),
        length=f"{first.shape[1] * period:g}",
        entry=f"{ENTRY:.0%}",
        signals=SIGNALS,
        rows=rows,
        growth=growth,
    )


def _cells(rms: Array, half: Array) -> list[str]:
    return [f"{value:.3g} ± {one:.1g}" for value, one in zip(rms, half, strict=True)]


def growth(found: Mapping[str, Array], period: float) -> Figure:
    """How gaps grow in a window: rms of the joints, median and band of the windows."""
    with styled():
        return _growth(found, period)


def _growth(found: Mapping[str, Array], period: float) -> Figure:
    figure = Figure(figsize=(WIDTH, 2.0 * len(SIGNALS) + 0.5), layout="constrained")
    grid = figure.subplots(len(SIGNALS), 1, sharex=True)
    for index, (axes, signal) in enumerate(zip(grid, SIGNALS, strict=True)):
        for (name, gaps), colour in zip(found.items(), SERIES * len(found), strict=False):
            size = signal.factor * np.sqrt((gaps[:, :, index] ** 2).mean(axis=2))
            told = np.isfinite(size).any(axis=0)
            time = period * np.arange(1, size.shape[1] + 1)[told]
            low, middle, high = np.nanquantile(size[:, told], (BAND[0], 0.5, BAND[1]), axis=0)
            axes.fill_between(time, low, high, color=colour, alpha=0.15, linewidth=0)
            axes.plot(time, middle, color=colour, label=name)
        axes.set_ylabel(f"{signal.name}\n({signal.unit})")
        axes.set_ylim(bottom=0)
    grid[-1].set_xlabel("time since the recorded state (s)")
    legend(grid[0])
    return figure
