# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The course of the run: computing time, gate, completion."""

import numpy as np

from boa_control.events import EventKind
from boa_control.paths.goals import Course, tells_arrival
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions.travel import progress
from boa_tools.evaluation.metric import further, metric


def control_step(percent: float, run: Analysis) -> float | None:
    """Percentile of the duration of the controller's step, us."""
    step = run.log.control_step_us[run.window]
    step = step[np.isfinite(step)]
    return float(np.percentile(step, percent)) if step.size else None


@metric("real_time_factor", "speed of the run", "x")
def real_time_factor(run: Analysis) -> float | None:
    """Simulated time per wall-clock time.

    Simulated time / wall-clock time, logging and bag included.
    """
    wall = run.log.wall_s[np.isfinite(run.log.wall_s)]
    spent = float(wall[-1] - wall[0]) if wall.size > 1 else 0.0
    return float(run.log.time[-1]) / spent if spent > 0 else None


@metric("control_step_us_p50", "control step, median", "us")
def control_step_us_p50(run: Analysis) -> float | None:
    """Computing time of one controller step.

    Median duration of the controller's step, on the wall clock of the machine, with whatever else
    it was doing.
    """
    return control_step(50, run)


@metric("control_step_us_p99", "control step, 99 %", "us")
def control_step_us_p99(run: Analysis) -> float | None:
    """99 of 100 steps take no longer than this."""
    return control_step(99, run)


@metric("gate_trips", "gate trips")
def gate_trips(run: Analysis) -> int:
    """How often the torque gate stepped in.

    Protective events of the torque gate: latched faults, and each time commands or sensor data
    became too old.
    """
    return len(run.log.trips)


@metric("completed", "completed")
def completed(run: Analysis) -> bool:
    """The run got as far as the scenario says, without a fault.

    No fault was latched, and the scenario's `distance`, `goal` or end of the `tour` was reached
    (or, where it has none, its `duration`). A robot is at its `goal` where its controller told so.
    Says nothing about how the robot travelled: the summary and the badge of the report add where it
    left its path (`extra.left_path_after_m`), and how long contacts were lost where that is more
    than 1 % (`extra.contact_lost_fraction`), or that no post was touched.
    """
    log, experiment, travelled = run.log, run.experiment, progress(run)
    if any(event.trip.fault is not None for event in log.trips):
        return False
    scenario, goal = experiment.scenario, experiment.goal
    if scenario.tour is not None:
        return any(told.event.kind is EventKind.TOUR_ARRIVED for told in log.events)
    if goal is not None and not (isinstance(goal, Course) and goal.distance is None):
        if log.truth is None:
            return any(tells_arrival(told.event, goal) for told in log.events)
        return run.free is not None and run.free.done
    if scenario.distance is not None:
        return travelled is not None and travelled >= scenario.distance * (1 - 1e-9)
    return log.ticks >= round(scenario.duration / experiment.control_period)


@further("unanswered_fraction", "unanswered", "%")
def unanswered(run: Analysis) -> float | None:
    """Share of control ticks whose command is not known.

    Share of ticks whose command is not known: on a robot, answers that came too late.
    """
    if not run.window.any():
        return None
    return float(1 - run.log.answered[run.window].mean())
