# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques of a recorded run in a simulated plant, in short windows.

A chain between stiff posts forgets its torques' errors slowly: replayed from the start, simulation
and robot part, and what differs later tells nothing of the plant. So every window begins with the
recorded state, and errors have the length of a window to grow.

The state is what a robot knows of itself: joint angles and rates by a parabola through the counts
of the encoders around the tick, the pose by the progress along the path, on which the measured
shape is laid.

How far simulation and recorded run are apart, with intervals, as a table and as a page.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from boa_control.experiments.experiment import Experiment
from boa_description.arrays import Array, Integers
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_description.placement import place_on_curve
from boa_description.robot import Robot
from boa_sim.plant import SimulatedPlant
from boa_tools.identification.record import FORCES, SETTLE
from boa_tools.identification.regression import coverage_factor, jackknife
from boa_tools.report.style import SERIES, WIDTH, legend, styled
from boa_tools.report.template import filled
from boa_tools.runs.runlog import RunLog

ENTRY = 0.25  # of a window, in which contacts find their forces again; forces count from there on
FORCE_SIGNALS = slice(2, None)
BAND = (0.05, 0.95)  # of the windows
AROUND = 0.05  # s to each side of a tick, over which counts of the encoders are smoothed
PROGRESS = "progress_m"


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


class Signal(NamedTuple):
    """What is compared: name, unit, and factor from SI to it."""

    name: str
    unit: str
    factor: float


SIGNALS = (
    Signal("joint angle", "mrad", 1e3),
    Signal("joint rate", "rad/s", 1.0),
    Signal("force along", "N", 1.0),
    Signal("force across", "N", 1.0),
)


class State(NamedTuple):
    """Pose of link 1, (3,), joint angles, (n - 1,), and the rates of both; m, rad, s."""

    base: Array
    joints: Array
    base_velocity: Array
    joint_velocity: Array


class Recorded:
    """What a run tells of the robot's state at its ticks."""

    def __init__(self, log: RunLog, experiment: Experiment) -> None:
        """Raises BoaError: a run without progress along a path."""
        if experiment.path is None or PROGRESS not in log.debug:
            raise BoaError(
                "the run tells no progress along a path, so nobody knows where the body was; "
                "compare with a run of a controller that follows a path, such as hoal"
            )
        self._log, self._robot, self._path = log, experiment.robot, experiment.path
        self._reach = max(round(AROUND / experiment.control_period), 2)
        self._weights = _parabola(self._reach) / [[1.0], [experiment.control_period]]

    def at(self, tick: int) -> State:
        """The state at a tick that has ticks around it."""
        near = slice(tick - self._reach, tick + self._reach + 1)
        joints, rates = self._weights @ self._log.position[near]
        progress, speed = self._weights @ self._log.debug[PROGRESS][near]
        base = self._base(progress, joints)
        step = AROUND / 2
        ahead = self._base(progress + step * speed, joints + step * rates)
        return State(base, joints, (ahead - base) / step, rates)

    def _base(self, progress: float, joints: Array) -> Array:
        """Pose of link 1 with which the measured shape lies best on the path, (3,)."""
        robot = self._robot
        placed = place_on_curve(
            self._path.curve, robot.links, robot.link.pitch, progress, robot.links // 2
        )
        return laid_on(joint_axes(robot.link.pitch, *placed), joints, robot)


def laid_on(points: Array, joints: Array, robot: Robot) -> Array:
    """Pose of link 1, (3,), with which the joint axes lie nearest to `points`, (n + 1, 2), m.

    The plane case of Procrustes' problem (Kabsch, Acta Crystallographica A32, 1976).
    """
    own = joint_axes(robot.link.pitch, np.zeros(3), joints)
    there, here = points - points.mean(axis=0), own - own.mean(axis=0)
    crossed = (here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0]).sum()
    turn = np.arctan2(crossed, (here * there).sum())
    cos, sin = np.cos(turn), np.sin(turn)
    place = points.mean(axis=0) - np.array([[cos, -sin], [sin, cos]]) @ own.mean(axis=0)
    return np.array([*place, turn])


def replay(
    log: RunLog, known: Recorded, plant: SimulatedPlant, starts: Integers, ticks: int
) -> Array:
    """Simulated less recorded signals, (windows, ticks, signals, n - 1), SI units; NaN where
    nothing was recorded.

    Args:
        starts: first ticks of the windows, (windows,). ticks: length of each.
    """
    samples = log.sensors[FORCES]
    force = np.full((log.ticks, log.joints, 2), np.nan)
    when = np.searchsorted(log.stamp_ns, samples.stamp_ns)
    force[np.minimum(when, log.ticks - 1)] = samples["force"][..., :2]
    gaps = np.empty((starts.size, ticks, len(SIGNALS), log.joints))
    for window, start in zip(gaps, starts.tolist(), strict=True):
        state = known.at(start)
        plant.replay_from(state[:2], state[2:], log.effort[start])
        for gap, tick in zip(window, range(start, start + ticks), strict=True):
            plant.write(log.applied[tick])
            world = plant.world
            gap[0] = world.joint_position - log.position[tick + 1]
            gap[1] = world.joint_velocity - log.velocity[tick + 1]
            gap[2:] = (world.joint_force[:, :2] - force[tick + 1]).T
    return gaps


def window_starts(log: RunLog, window: float, every: float, begin: float = SETTLE) -> Integers:
    """First ticks of windows of a length, one in so much time, s.

    Raises:
        BoaError: the run is shorter than that.
    """
    period = float(np.median(np.diff(log.time)))
    last = log.ticks - 1 - round((window + 2 * AROUND) / period)
    answered = log.answered & np.isfinite(log.applied).all(axis=1)
    starts = np.arange(round(max(begin, 2 * AROUND) / period), last, max(round(every / period), 1))
    starts = starts[answered[starts]]
    if not starts.size:
        raise BoaError(
            f"the run lasts {log.time[-1]:.1f} s, which has no window of {window:g} s after "
            f"{begin:g} s; compare with a longer run, or lower --window"
        )
    return starts


def _parabola(reach: int) -> Array:
    """Weights of value and slope of a parabola through 2 reach + 1 values one apart, (2, ...)."""
    steps = np.arange(-reach, reach + 1)
    weights: Array = np.linalg.pinv(np.vander(steps, 3, increasing=True))[:2]
    return weights
