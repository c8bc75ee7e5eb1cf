# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well a robot without a path pursued its goal: targets, the guide, the place it believes."""

import numpy as np

from boa_control.controllers import checked_parameters
from boa_control.paths.goals import Course
from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.free_motion import believed_misses
from boa_tools.evaluation.metric import further, mean, peak, rms

NARROW, NEAR = 0.05, 0.1  # m beside a guide


def _offset(run: Analysis) -> Array | None:
    """Offsets from the guide after the start-up, m."""
    if run.free is None:
        return None
    return run.free.offset[run.window[run.free.tick]]


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


@further("goal_progress_m", "progress on the guide", "m")
def goal_progress(run: Analysis) -> float | None:
    """How far the centre of mass came along the guide."""
    return None if run.free is None else run.free.progress


@further("targets_reached", "targets reached")
def targets_reached(run: Analysis) -> float | None:
    """Number of targets to which the true centre of mass came, in order, within the tolerance of
    the goal.
    """
    goal = run.experiment.goal
    if run.free is None or goal is None or isinstance(goal, Course):
        return None
    return run.free.reached.size


@further("target_times_s", "targets at", "s")
def target_times(run: Analysis) -> str | None:
    """Times at which they were reached."""
    if not targets_reached(run) or run.free is None:
        return None
    return ", ".join(f"{time:.2f}" for time in run.free.reached)


@further("last_target_s", "last target at", "s")
def last_target(run: Analysis) -> float | None:
    """Time at which the last of all targets was reached; `null` if it was not."""
    goal = run.experiment.goal
    if run.free is None or goal is None or isinstance(goal, Course):
        return None
    return float(run.free.reached[-1]) if run.free.reached.size == len(goal.points) else None


@further("target_miss_max_m", "target miss, largest", "mm")
def target_miss(run: Analysis) -> float | None:
    """Largest true distance to a target when the controller took it for reached."""
    if run.free is None:
        return None
    return peak(believed_misses(run.log, run.experiment.goal, run.free))


@further("cross_track_rms_m", "beside the guide, rms", "mm")
def cross_track_rms(run: Analysis) -> float | None:
    """Distance of the centre of mass from the guide, rms."""
    return rms(_offset(run))


@further("cross_track_mean_m", "beside the guide, mean", "mm")
def cross_track_mean(run: Analysis) -> float | None:
    """Mean distance of the centre of mass from the guide."""
    offset = _offset(run)
    return None if offset is None else mean(np.abs(offset))


@further("cross_track_max_m", "beside the guide, largest", "mm")
def cross_track_max(run: Analysis) -> float | None:
    """Largest distance of the centre of mass from the guide."""
    return peak(_offset(run))


@further("cross_track_late_m", "beside the guide, late", "mm")
def cross_track_late(run: Analysis) -> float | None:
    """Mean distance from the guide in the last quarter of the run, of the centre of mass averaged
    over 6 s, which takes the swing of a gait out.
    """
    if run.free is None:
        return None
    smooth = run.free.smooth_offset()
    return mean(np.abs(smooth[3 * len(smooth) // 4 :]))


@further("overshoot_m", "overshoot", "mm")
def overshoot(run: Analysis) -> float | None:
    """How far the centre of mass, averaged over 6 s, went to the other side of the guide than that
    of its start.
    """
    if run.free is None or not np.isfinite(run.free.smooth_offset()).any():
        return None
    first = run.free.offset[0]
    return float(max(0.0, np.nanmax(-np.sign(first) * run.free.smooth_offset())))


@further("within_100mm_s", "within 0.1 m after", "s")
def within_100mm(run: Analysis) -> float | None:
    """Time from which on the centre of mass, averaged over 6 s, stays within 0.1 m of the guide."""
    return near_after(NEAR, run)


@further("within_50mm_s", "within 0.05 m after", "s")
def within_50mm(run: Analysis) -> float | None:
    """Time from which on the centre of mass, averaged over 6 s, stays within 0.05 m of the
    guide.
    """
    return near_after(NARROW, run)


@further("position_error_rms_m", "own place, error rms", "mm")
def position_error(run: Analysis) -> float | None:
    """Error of the place of the centre of mass as the controller believes it."""
    believed = run.log.debug.get("position_m")
    if run.free is None or believed is None:
        return None
    error = believed[run.free.tick] - run.free.centre
    return rms(np.hypot(error[:, 0], error[:, 1]))


@further("position_from", "own place from")
def position_from(run: Analysis) -> str | None:
    """What tells the controller its place: `tracker` or `dead_reckoning`."""
    if "position_m" not in run.log.debug:
        return None
    chosen = run.experiment.scenario.controller
    parameters = checked_parameters(chosen.name, chosen.parameters)
    return str(getattr(parameters, "position", "tracker"))  # those without a choice take that
