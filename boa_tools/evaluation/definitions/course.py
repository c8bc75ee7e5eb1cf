# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The course of the run: computing time, gate, completion."""

from functools import partial

import numpy as np

from boa_control.events import EventKind
from boa_control.paths.goals import Course
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions.travel import progress
from boa_tools.evaluation.metric import Metric, further


def real_time_factor(run: Analysis) -> float | None:
    """Simulated time per wall-clock time."""
    wall = run.log.wall_s[np.isfinite(run.log.wall_s)]
    spent = float(wall[-1] - wall[0]) if wall.size > 1 else 0.0
    return float(run.log.time[-1]) / spent if spent > 0 else None


def control_step(percent: float, run: Analysis) -> float | None:
    """Percentile of the duration of the controller's step, us."""
    step = run.log.control_step_us[run.window]
    step = step[np.isfinite(step)]
    return float(np.percentile(step, percent)) if step.size else None


def unanswered(run: Analysis) -> float | None:
    """Share of ticks whose command is not known."""
    if not run.window.any():
        return None
    return float(1 - run.log.answered[run.window].mean())


def completed(run: Analysis) -> bool:
    """Whether the run got as far as its scenario needs, without a fault."""
    log, experiment, travelled = run.log, run.experiment, progress(run)
    if any(event.trip.fault is not None for event in log.trips):
        return False
    scenario, goal = experiment.scenario, experiment.goal
    if scenario.tour is not None:
        return any(told.event.kind is EventKind.TOUR_ARRIVED for told in log.events)
    if goal is not None and not (isinstance(goal, Course) and goal.distance is None):
        return run.free is not None and run.free.done
    if scenario.distance is not None:
        return travelled is not None and travelled >= scenario.distance * (1 - 1e-9)
    return log.ticks >= round(scenario.duration / experiment.control_period)


METRICS = (
    Metric(
        "real_time_factor",
        "speed of the run",
        1,
        "x",
        "Simulated time per wall-clock time.",
        real_time_factor,
        "simulated time / wall-clock time, logging and bag included",
    ),
    Metric(
        "control_step_us_p50",
        "control step, median",
        1,
        "us",
        "Computing time of one controller step.",
        partial(control_step, 50),
        "median duration of the controller's step, on the wall clock of the machine, with whatever "
        "else it was doing",
    ),
    Metric(
        "control_step_us_p99",
        "control step, 99 %",
        1,
        "us",
        "99 of 100 steps take no longer than this.",
        partial(control_step, 99),
    ),
    Metric(
        "gate_trips",
        "gate trips",
        1,
        "",
        "How often the torque gate stepped in.",
        lambda run: len(run.log.trips),
        "protective events of the torque gate: latched faults, and each time commands or sensor "
        "data became too old",
    ),
    Metric(
        "completed",
        "completed",
        1,
        "",
        "The run got as far as the scenario says, without a fault.",
        completed,
        "no fault was latched, and the scenario's `distance`, `goal` or end of the `tour` was "
        "reached (or, where it has none, its `duration`). Says nothing about how the robot "
        "travelled: the summary and the badge of the report add where it left its path "
        "(`extra.left_path_after_m`), and how long contacts were lost where that is more than 1 % "
        "(`extra.contact_lost_fraction`), or that no post was touched",
    ),
    further(
        "unanswered_fraction",
        "unanswered",
        100,
        "%",
        "Share of control ticks whose command is not known.",
        unanswered,
        "share of ticks whose command is not known: on a robot, answers that came too late",
    ),
)
