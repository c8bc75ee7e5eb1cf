# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far and how fast the robot went."""

import numpy as np

from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import further, metric

LEFT_PATH = 0.1  # m, half a link; a head further away has left its path


@metric("duration_s", "duration", "s")
def duration(run: Analysis) -> float:
    """Simulated or real time of the run.

    Number of ticks times $T$, start-up included.
    """
    return run.log.ticks * run.experiment.control_period


@metric("path_progress_m", "progress", "m")
def progress(run: Analysis) -> float | None:
    """How far the middle joint came along the path.

    $s$ at the end minus $s$ at the start, start-up included. Without ground truth: the controller's
    own `progress_m`.
    """
    s = run.progress
    if s is None or run.experiment.path is None:
        return None
    finite = np.flatnonzero(np.isfinite(s))
    return float(s[finite[-1]] - s[finite[0]])


@metric("laps", "laps")
def laps(run: Analysis) -> float | None:
    """Progress divided by the length of a closed path.

    `path_progress_m` / length of the path; `null` on open paths.
    """
    path, travelled = run.experiment.path, progress(run)
    if path is None or travelled is None or not path.curve.closed:
        return None
    return travelled / path.curve.length


@metric("mean_speed_mps", "mean speed", "mm/s")
def mean_speed(run: Analysis) -> float | None:
    """Progress per time, after the start-up."""
    s, time = run.progress, run.log.time
    if s is None or run.experiment.path is None:
        return None
    finite = np.flatnonzero(np.isfinite(s))
    judged = finite[run.window[finite]]
    if judged.size < 2:
        return None
    first, last = judged[0], judged[-1]
    return float(s[last] - s[first]) / float(time[last] - time[first])


@further("body_lengths", "progress in body lengths")
def body_lengths(run: Analysis) -> float | None:
    """Progress divided by the length of the robot.

    `path_progress_m` / length of the robot.
    """
    travelled = progress(run)
    return None if travelled is None else travelled / run.experiment.robot.length


@further("left_path_after_m", "left its path after", "m")
def left_path_after(run: Analysis) -> float | None:
    """Progress when the head was first more than 0.1 m from the path, once it had been on it: among
    posts that stand off the map it may begin beside it.
    """
    motion = run.motion
    if motion is None:
        return None
    off = np.abs(motion.head.offset)
    been = np.logical_or.accumulate(off <= LEFT_PATH)
    left = np.flatnonzero((off > LEFT_PATH) & (been | ~been.any()))
    return float(motion.middle.s[left[0]] - motion.middle.s[0]) if left.size else None
