"""Where a robot went, above all without a path: targets, guides, energy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from boa_control.paths.goals import Course
from boa_description.arrays import Array
from boa_description.chain import centre_of_mass
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.free_motion import STEP, believed_misses
from boa_tools.evaluation.metric import Metric, Value, mean, peak, rms

NARROW, NEAR = 0.05, 0.1  # m beside a guide
KINK = np.radians(10.0)


def displacement(run: Analysis) -> float | None:
    """From the first place of the centre of mass to the last, m."""
    return None if run.free is None else run.free.displacement


def advance(run: Analysis) -> float | None:
    """The same in the direction of the scenario, m; also with a path."""
    log, robot = run.recorded, run.experiment.robot
    heading = run.experiment.scenario.evaluation.heading
    if heading is None or log.truth is None or not robot.planar or log.ticks < 2:
        return None
    ends = [0, -1]
    first, last = centre_of_mass(
        robot.link.pitch, log.truth.base[ends], log.truth.joint_position[ends]
    )
    return float((last - first) @ [np.cos(heading), np.sin(heading)])


def advance_speed(run: Analysis) -> float | None:
    """Advance per duration of the scenario, m/s: a robot that was stopped early stands for the
    rest of it.
    """
    moved = advance(run)
    return None if moved is None else moved / run.experiment.scenario.duration


def energy_per_metre(run: Analysis) -> float | None:
    """Sum of the magnitudes of all joint powers per advance, J/m; None where it did not go
    anywhere.
    """
    moved, spent = advance(run), power_sum(run)
    return None if moved is None or moved < STEP or spent is None else spent / moved


def travelled(run: Analysis) -> float | None:
    """Length of the way of the centre of mass, m."""
    return None if run.free is None else run.free.travelled


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
    """What tells the controller its place; None where it reports none."""
    if "position_m" not in run.log.debug:
        return None
    # controllers that report a place take the tracker unless told otherwise
    return str(run.experiment.scenario.controller.parameters.get("position", "tracker"))


def power_sum(run: Analysis) -> float | None:
    """Sum of the magnitudes of all joint powers over time, J."""
    log = run.log
    power = np.abs(log.applied[:-1] * np.diff(log.joint_angles(), axis=0))
    return float(np.nansum(power)) if power.size else None


def distance_per_energy(run: Analysis) -> float | None:
    """Displacement per sum of the magnitudes of all joint powers, m/J."""
    moved, spent = displacement(run), power_sum(run)
    return None if moved is None or not spent else moved / spent


def contact_force_sum(run: Analysis) -> float | None:
    """Mean over time of the sum of all normal forces, N."""
    contacts = run.log.true_contacts
    if run.free is None or contacts is None or not run.experiment.obstacles:
        return None
    return float(contacts.normal_force.sum()) / run.log.ticks


def standstill(run: Analysis) -> float | None:
    """Longest time without progress, s."""
    return None if run.free is None else run.free.longest_standstill()


def largest_kink(run: Analysis) -> float | None:
    """Largest kink of the way, rad."""
    return None if run.free is None else peak(run.free.kinks())


def kinks(run: Analysis) -> float | None:
    """Number of kinks above 10 deg."""
    return None if run.free is None else int((run.free.kinks() > KINK).sum())


def most_contacts(run: Analysis) -> float | None:
    """Largest number of contacts with force at one tick."""
    contacts = run.log.true_contacts
    if run.free is None or contacts is None or not run.experiment.obstacles:
        return None
    ticks = contacts.tick[contacts.normal_force > 0]
    return int(np.bincount(ticks).max()) if ticks.size else 0


def _of(
    key: str,
    label: str,
    factor: float,
    unit: str,
    meaning: str,
    compute: Callable[[Analysis], Value],
) -> Metric:
    return Metric(key, label, factor, unit, meaning, compute, further=True)


METRICS = (
    _of(
        "displacement_m",
        "displacement",
        1,
        "m",
        "From the first place of the centre of mass to the last, without a path.",
        displacement,
    ),
    _of(
        "advance_m",
        "advance",
        1,
        "m",
        "Displacement of the centre of mass in the direction `evaluation.heading` of the scenario, "
        "with or without a path.",
        advance,
    ),
    _of(
        "advance_speed_mps",
        "speed",
        1e3,
        "mm/s",
        "Advance per duration of the scenario: a robot that was stopped early stands for the rest "
        "of it.",
        advance_speed,
    ),
    _of(
        "travelled_m",
        "way of the centre",
        1,
        "m",
        "Length of the way of the centre of mass, without a path.",
        travelled,
    ),
    _of(
        "goal_progress_m",
        "progress on the guide",
        1,
        "m",
        "How far the centre of mass came along the guide.",
        goal_progress,
    ),
    _of(
        "targets_reached",
        "targets reached",
        1,
        "",
        "Number of targets to which the true centre of mass came, in order, within the tolerance "
        "of the goal.",
        targets_reached,
    ),
    _of("target_times_s", "targets at", 1, "s", "Times at which they were reached.", target_times),
    _of(
        "last_target_s",
        "last target at",
        1,
        "s",
        "Time at which the last of all targets was reached; `null` if it was not.",
        last_target,
    ),
    _of(
        "target_miss_max_m",
        "target miss, largest",
        1e3,
        "mm",
        "Largest true distance to a target when the controller took it for reached.",
        target_miss,
    ),
    _of(
        "cross_track_rms_m",
        "beside the guide, rms",
        1e3,
        "mm",
        "Distance of the centre of mass from the guide, rms.",
        cross_track_rms,
    ),
    _of(
        "cross_track_mean_m",
        "beside the guide, mean",
        1e3,
        "mm",
        "Mean distance of the centre of mass from the guide.",
        cross_track_mean,
    ),
    _of(
        "cross_track_max_m",
        "beside the guide, largest",
        1e3,
        "mm",
        "Largest distance of the centre of mass from the guide.",
        cross_track_max,
    ),
    _of(
        "cross_track_late_m",
        "beside the guide, late",
        1e3,
        "mm",
        "Mean distance from the guide in the last quarter of the run, of the centre of mass "
        "averaged over 6 s, which takes the swing of a gait out.",
        cross_track_late,
    ),
    _of(
        "overshoot_m",
        "overshoot",
        1e3,
        "mm",
        "How far the centre of mass, averaged over 6 s, went to the other side of the guide than "
        "that of its start.",
        overshoot,
    ),
    _of(
        "within_100mm_s",
        "within 0.1 m after",
        1,
        "s",
        "Time from which on the centre of mass, averaged over 6 s, stays within 0.1 m of the "
        "guide.",
        partial(near_after, NEAR),
    ),
    _of(
        "within_50mm_s",
        "within 0.05 m after",
        1,
        "s",
        "Time from which on the centre of mass, averaged over 6 s, stays within 0.05 m of the "
        "guide.",
        partial(near_after, NARROW),
    ),
    _of(
        "position_error_rms_m",
        "own place, error rms",
        1e3,
        "mm",
        "Error of the place of the centre of mass as the controller believes it.",
        position_error,
    ),
    _of(
        "position_from",
        "own place from",
        1,
        "",
        "What tells the controller its place: `tracker` or `dead_reckoning`.",
        position_from,
    ),
    _of(
        "power_sum_j",
        "sum of powers",
        1,
        "J",
        "Sum of the magnitudes of all joint powers over time.",
        power_sum,
    ),
    _of(
        "distance_per_energy_m_per_j",
        "distance per energy",
        1e3,
        "mm/J",
        "Displacement per sum of the magnitudes of all joint powers.",
        distance_per_energy,
    ),
    _of(
        "energy_per_metre_j_per_m",
        "energy per metre",
        1,
        "J/m",
        "Sum of the magnitudes of all joint powers per advance; `null` below 0.05 m.",
        energy_per_metre,
    ),
    _of(
        "contact_force_sum_n",
        "contact forces, sum",
        1,
        "N",
        "Mean over time of the sum of all true normal forces, without a path.",
        contact_force_sum,
    ),
    _of(
        "most_contacts",
        "contacts at once, most",
        1,
        "",
        "Largest number of contacts with force at one tick, without a path.",
        most_contacts,
    ),
    _of(
        "standstill_s",
        "without progress, longest",
        1,
        "s",
        "Longest time in which the centre of mass moved less than 0.05 m.",
        standstill,
    ),
    _of(
        "largest_kink_rad",
        "kink, largest",
        57.3,
        "deg",
        "Largest turn within 50 ms of the velocity of the centre of mass, where that is above "
        "0.01 m/s.",
        largest_kink,
    ),
    _of("kinks", "kinks above 10 deg", 1, "", "Number of such turns above 10 deg.", kinks),
)
