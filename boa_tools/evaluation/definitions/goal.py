# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well a robot without a path pursued its goal: targets, the guide, the place it believes."""

from functools import partial

import numpy as np

from boa_control.paths.goals import Course
from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.free_motion import believed_misses
from boa_tools.evaluation.metric import further, mean, peak, rms

NARROW, NEAR = 0.05, 0.1  # m beside a guide


def goal_progress(run: Analysis) -> float | None:
    """Progress along the guide, m."""
    return None if run.free is None else run.free.progress


def targets_reached(run: Analysis) -> float | None:
    """Number of targets that were truly reached, in order."""
    goal = run.experiment.goal
    if run.free is None or goal is None or isinstance(goal, Course):
        return None
    return run.free.reached.size


def target_times(run: Analysis) -> str | None:
    """Times at which targets were truly reached, s."""
    if not targets_reached(run) or run.free is None:
        return None
    return ", ".join(f"{time:.2f}" for time in run.free.reached)


def last_target(run: Analysis) -> float | None:
    """Time at which the last target of all was truly reached, s."""
    goal = run.experiment.goal
    if run.free is None or goal is None or isinstance(goal, Course):
        return None
    return float(run.free.reached[-1]) if run.free.reached.size == len(goal.points) else None


def target_miss(run: Analysis) -> float | None:
    """Largest true distance to a target when the controller took it for reached, m."""
    if run.free is None:
        return None
    return peak(believed_misses(run.log, run.experiment.goal, run.free))


def _offset(run: Analysis) -> Array | None:
    """Offsets from the guide after the start-up, m."""
    if run.free is None:
        return None
    return run.free.offset[run.window[run.free.tick]]


def cross_track_rms(run: Analysis) -> float | None:
    """Distance of the centre of mass from the guide, rms, m."""
    return rms(_offset(run))


def cross_track_max(run: Analysis) -> float | None:
    """Largest distance of the centre of mass from the guide, m."""
    return peak(_offset(run))


def cross_track_mean(run: Analysis) -> float | None:
    """Mean distance of the centre of mass from the guide, m."""
    offset = _offset(run)
    return None if offset is None else mean(np.abs(offset))


def cross_track_late(run: Analysis) -> float | None:
    """Mean distance of the averaged centre of mass in the last quarter of the run, m."""
    if run.free is None:
        return None
    smooth = run.free.smooth_offset()
    return mean(np.abs(smooth[3 * len(smooth) // 4 :]))


def overshoot(run: Analysis) -> float | None:
    """How far the averaged centre of mass went beyond the guide, m."""
    if run.free is None or not np.isfinite(run.free.smooth_offset()).any():
        return None
    first = run.free.offset[0]
    return float(max(0.0, np.nanmax(-np.sign(first) * run.free.smooth_offset())))


def near_after(distance: float, run: Analysis) -> float | None:
    """Time from which on the averaged centre of mass stays that near to the guide, s."""
    if run.free is None:
        return None
    smooth = run.free.smooth_offset()
    known = np.flatnonzero(np.isfinite(smooth))
    if not known.size:
        return None
    away = known[np.abs(smooth[known]) > distance]
    if not away.size:
        return 0.0
    return None if away[-1] == known[-1] else float(run.free.time[away[-1] + 1])


def position_error(run: Analysis) -> float | None:
    """Error of the controller's own estimate of the centre of mass, rms, m."""
    believed = run.log.debug.get("position_m")
    if run.free is None or believed is None:
        return None
    error = believed[run.free.tick] - run.free.centre
    return rms(np.hypot(error[:, 0], error[:, 1]))


def position_from(run: Analysis) -> str | None:
    """The source of the controller's place; None where it reports none."""
    if "position_m" not in run.log.debug:
        return None
    # controllers that report a place take the tracker unless told otherwise
    return str(run.experiment.scenario.controller.parameters.get("position", "tracker"))


METRICS = (
    further(
        "goal_progress_m",
        "progress on the guide",
        1,
        "m",
        "How far the centre of mass came along the guide.",
        goal_progress,
    ),
    further(
        "targets_reached",
        "targets reached",
        1,
        "",
        "Number of targets to which the true centre of mass came, in order, within the tolerance "
        "of the goal.",
        targets_reached,
    ),
    further(
        "target_times_s", "targets at", 1, "s", "Times at which they were reached.", target_times
    ),
    further(
        "last_target_s",
        "last target at",
        1,
        "s",
        "Time at which the last of all targets was reached; `null` if it was not.",
        last_target,
    ),
    further(
        "target_miss_max_m",
        "target miss, largest",
        1e3,
        "mm",
        "Largest true distance to a target when the controller took it for reached.",
        target_miss,
    ),
    further(
        "cross_track_rms_m",
        "beside the guide, rms",
        1e3,
        "mm",
        "Distance of the centre of mass from the guide, rms.",
        cross_track_rms,
    ),
    further(
        "cross_track_mean_m",
        "beside the guide, mean",
        1e3,
        "mm",
        "Mean distance of the centre of mass from the guide.",
        cross_track_mean,
    ),
    further(
        "cross_track_max_m",
        "beside the guide, largest",
        1e3,
        "mm",
        "Largest distance of the centre of mass from the guide.",
        cross_track_max,
    ),
    further(
        "cross_track_late_m",
        "beside the guide, late",
        1e3,
        "mm",
        "Mean distance from the guide in the last quarter of the run, of the centre of mass "
        "averaged over 6 s, which takes the swing of a gait out.",
        cross_track_late,
    ),
    further(
        "overshoot_m",
        "overshoot",
        1e3,
        "mm",
        "How far the centre of mass, averaged over 6 s, went to the other side of the guide than "
        "that of its start.",
        overshoot,
    ),
    further(
        "within_100mm_s",
        "within 0.1 m after",
        1,
        "s",
        "Time from which on the centre of mass, averaged over 6 s, stays within 0.1 m of the "
        "guide.",
        partial(near_after, NEAR),
    ),
    further(
        "within_50mm_s",
        "within 0.05 m after",
        1,
        "s",
        "Time from which on the centre of mass, averaged over 6 s, stays within 0.05 m of the "
        "guide.",
        partial(near_after, NARROW),
    ),
    further(
        "position_error_rms_m",
        "own place, error rms",
        1e3,
        "mm",
        "Error of the place of the centre of mass as the controller believes it.",
        position_error,
    ),
    further(
        "position_from",
        "own place from",
        1,
        "",
        "What tells the controller its place: `tracker` or `dead_reckoning`.",
        position_from,
    ),
)
