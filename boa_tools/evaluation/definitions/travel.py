# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far and how fast the robot went."""

import numpy as np

from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import Metric, further

LEFT_PATH = 0.1  # m, half a link; a head further away has left its path


def duration(run: Analysis) -> float:
    """Number of ticks times the period, s."""
    return run.log.ticks * run.experiment.control_period


def progress(run: Analysis) -> float | None:
    """Path coordinate at the end minus that at the start, m."""
    s = run.progress
    if s is None or run.experiment.path is None:
        return None
    finite = np.flatnonzero(np.isfinite(s))
    return float(s[finite[-1]] - s[finite[0]])


def laps(run: Analysis) -> float | None:
    """Progress in lengths of a closed path."""
    path, travelled = run.experiment.path, progress(run)
    if path is None or travelled is None or not path.curve.closed:
        return None
    return travelled / path.curve.length


def mean_speed(run: Analysis) -> float | None:
    """Progress per time after the start-up, m/s."""
    s, time = run.progress, run.log.time
    if s is None or run.experiment.path is None:
        return None
    finite = np.flatnonzero(np.isfinite(s))
    judged = finite[run.window[finite]]
    if judged.size < 2:
        return None
    first, last = judged[0], judged[-1]
    return float(s[last] - s[first]) / float(time[last] - time[first])


def body_lengths(run: Analysis) -> float | None:
    """Progress in lengths of the robot."""
    travelled = progress(run)
    return None if travelled is None else travelled / run.experiment.robot.length


def left_path_after(run: Analysis) -> float | None:
    """Progress when the head was first more than `LEFT_PATH` off the path, m; None if never."""
    motion = run.motion
    if motion is None:
        return None
    away = np.flatnonzero(np.abs(motion.head.offset) > LEFT_PATH)
    return float(motion.middle.s[away[0]] - motion.middle.s[0]) if away.size else None


METRICS = (
    Metric(
        "duration_s",
        "duration",
        1,
        "s",
        "Simulated or real time of the run.",
        duration,
        "number of ticks times $T$, start-up included",
    ),
    Metric(
        "path_progress_m",
        "progress",
        1,
        "m",
        "How far the middle joint came along the path.",
        progress,
        "$s$ at the end minus $s$ at the start, start-up included. Without ground truth: the "
        "controller's own `progress_m`",
    ),
    Metric(
        "laps",
        "laps",
        1,
        "",
        "Progress divided by the length of a closed path.",
        laps,
        "`path_progress_m` / length of the path; `null` on open paths",
    ),
    Metric(
        "mean_speed_mps",
        "mean speed",
        1e3,
        "mm/s",
        "Progress per time, after the start-up.",
        mean_speed,
    ),
    further(
        "body_lengths",
        "progress in body lengths",
        1,
        "",
        "Progress divided by the length of the robot.",
        body_lengths,
        "`path_progress_m` / length of the robot",
    ),
    further(
        "left_path_after_m",
        "left its path after",
        1,
        "m",
        "Progress when the head was first more than 0.1 m from the path.",
        left_path_after,
    ),
)
