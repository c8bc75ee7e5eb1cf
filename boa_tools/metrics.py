"""The metrics of a run, from its log and its experiment. Definitions in docs/metrics.md.

Everything that judges quality leaves out the start-up (`evaluation.settle`); distances and energies are those
of the whole run. Quantities that do not apply are None, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boa_control.experiment import Experiment
from boa_control.faults import FaultName
from boa_control.paths.reference import ReferenceTable
from boa_tools.body import chain_points
from boa_tools.closure_metrics import closure_fraction
from boa_tools.contact_metrics import (
    ContactHistory,
    chatter,
    contact_history,
    established_by_path,
    established_by_touch,
    force_errors,
    point_errors,
)
from boa_tools.path_projection import Projection, project
from boa_tools.runlog import RunLog, held_force

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Metric = float | int | bool | None

KEYS = (
    "duration_s",
    "path_progress_m",
    "laps",
    "mean_speed_mps",
    "head_path_error_rms_m",
    "head_path_error_max_m",
    "config_error_rms_rad",
    "config_error_max_rad",
    "force_reference_n",
    "force_error_rms_n",
    "force_estimate_error_rms_n",
    "contact_point_error_rms_m",
    "contacts_min",
    "contacts_mean",
    "contact_chatter_fraction",
    "form_closure_fraction",
    "torque_rms_nm",
    "torque_peak_nm",
    "joint_force_peak_n",
    "saturated_fraction",
    "energy_j",
    "cost_of_transport",
    "real_time_factor",
    "control_step_us_p50",
    "control_step_us_p99",
    "gate_trips",
    "completed",
)

SATURATED = 0.975  # share of the torque limit from which a joint counts as saturated (controllers keep 2 % back)
GRAVITY = 9.81  # m/s2, for the cost of transport


@dataclass(frozen=True, slots=True)
class PathMotion:
    """How the robot went along its path, from ground truth.

    Attributes:
        middle, head, tail: projections of the middle joint, the front end of the head link and the tail end.
        last_joint: projection of the last joint (between the head link and the one behind it).
    """

    middle: Projection
    head: Projection
    last_joint: Projection
    tail: Projection


def path_motion(log: RunLog, experiment: Experiment) -> PathMotion | None:
    """Project the robot on its path; None without a path, a known start or ground truth."""
    path, start = experiment.path, experiment.start_progress
    if path is None or start is None or log.truth is None or not log.ticks:
        return None
    robot = experiment.robot
    points = chain_points(robot.link.pitch, log.truth.base, log.truth.joint_position)
    middle = robot.links // 2
    pitch = robot.link.pitch

    def along(point: int) -> Projection:
        return project(path.curve, points[:, point], start + (point - middle) * pitch)

    return PathMotion(along(middle), along(robot.links), along(robot.links - 1), along(0))


def metrics(log: RunLog, experiment: Experiment) -> dict[str, Any]:
    """Return every metric by name (`KEYS`), and further ones under "extra"."""
    window = log.time >= experiment.scenario.evaluation.settle
    motion = path_motion(log, experiment)
    contacts = contact_history(log, experiment.obstacles)
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for part, further in (
        _travel(log, experiment, motion, window),
        _shape(log, experiment, motion, window),
        _forces(log, experiment, motion, contacts, window),
        _torques(log, experiment, window),
        _timing(log, window),
    ):
        values |= part
        extra |= further
    values["cost_of_transport"] = _cost_of_transport(values, experiment)
    values["gate_trips"] = len(log.trips)
    values["completed"] = _completed(log, experiment, values["path_progress_m"])
    return {key: _plain(values[key]) for key in KEYS} | {"extra": {key: _plain(extra[key]) for key in sorted(extra)}}


Part = tuple[dict[str, Any], dict[str, Any]]


def _travel(log: RunLog, experiment: Experiment, motion: PathMotion | None, window: Flags) -> Part:
    s = motion.middle.s if motion is not None else log.debug.get("progress_m")
    known = s is not None and np.isfinite(s).any()
    progress = speed = laps = None
    if s is not None and known and experiment.path is not None:
        finite = np.flatnonzero(np.isfinite(s))
        progress = float(s[finite[-1]] - s[finite[0]])
        laps = progress / experiment.path.curve.length if experiment.path.curve.closed else None
        judged = finite[window[finite]]
        if judged.size > 1:
            speed = float(s[judged[-1]] - s[judged[0]]) / float(log.time[judged[-1]] - log.time[judged[0]])
    head = motion.head.offset[window] if motion is not None else None
    last = motion.last_joint.offset[window] if motion is not None else None
    values = {
        "duration_s": log.ticks * experiment.control_period,
        "path_progress_m": progress,
        "laps": laps,
        "mean_speed_mps": speed,
        "head_path_error_rms_m": _rms(head),
        "head_path_error_max_m": _peak(head),
    }
    extra = {
        "body_lengths": None if progress is None else progress / experiment.robot.length,
        "last_joint_path_error_rms_m": _rms(last),
    }
    return values, extra


def _shape(log: RunLog, experiment: Experiment, motion: PathMotion | None, window: Flags) -> Part:
    error = None
    if motion is not None:
        error = config_error(log, experiment, motion)[window]
    return {"config_error_rms_rad": _rms(error), "config_error_max_rad": _peak(error)}, {}


def config_error(log: RunLog, experiment: Experiment, motion: PathMotion) -> Array:
    """e_phi = phi - phi_ref(s) at the true path coordinate, shape (T, n_joints), rad (thesis 6.2.3)."""
    assert experiment.path is not None  # there is no motion along a path without one
    robot = experiment.robot
    table = ReferenceTable(experiment.path.curve, robot.links, robot.link.pitch)
    error: Array = log.joint_angles() - table.shapes(motion.middle.s)
    return error


def _forces(
    log: RunLog, experiment: Experiment, motion: PathMotion | None, contacts: ContactHistory, window: Flags
) -> Part:
    evaluation, period = experiment.scenario.evaluation, experiment.control_period
    samples = held_force(log)[window]
    values: dict[str, Any] = dict.fromkeys(
        ("force_reference_n", "force_error_rms_n", "force_estimate_error_rms_n", "contact_point_error_rms_m")
    )
    values |= {"contact_chatter_fraction": None, "form_closure_fraction": None, "joint_force_peak_n": _peak(samples)}
    extra: dict[str, Any] = {"joint_force_norm_peak_n": _peak(np.linalg.norm(samples, axis=-1))}

    count = (contacts.force > 0 if contacts.force is not None else contacts.established)[window].sum(axis=1)
    values["contacts_min"] = int(count.min()) if count.size else None
    values["contacts_mean"] = float(count.mean()) if count.size else None
    extra["contacts_from"] = "truth" if contacts.force is not None else "controller"
    if contacts.force is None:
        return values, extra

    established, source = _established(log, experiment, motion, contacts)
    held = chatter(contacts.force[window], established[window], period)
    reference = contacts.reference
    if not np.isfinite(reference).any() and evaluation.force_reference is not None:
        reference = np.full(reference.shape, evaluation.force_reference)
    error, wanted = force_errors(contacts.force[window], reference[window], established[window])
    estimate_error = (contacts.estimate - contacts.force)[window][established[window]]
    values |= {
        "force_reference_n": _rms(wanted),
        "force_error_rms_n": _rms(error),
        "force_estimate_error_rms_n": _rms(estimate_error),
        "contact_point_error_rms_m": _rms(point_errors(log, experiment, window)),
        "contact_chatter_fraction": held.fraction,
        "form_closure_fraction": closure_fraction(log, experiment, contacts, window),
    }
    extra |= {
        "established_by": source,
        "contact_chatter_per_contact_s": held.rate,
        "contact_lost_fraction": held.lost,
        "contact_force_peak_n": _peak(contacts.force[window]),
        "contact_force_mean_n": _mean(contacts.force[window][contacts.force[window] > 0]),
        "force_error_relative": _ratio(values["force_error_rms_n"], values["force_reference_n"]),
        "force_estimate_bias_n": _mean(estimate_error),
    }
    return values, extra


def _established(
    log: RunLog, experiment: Experiment, motion: PathMotion | None, contacts: ContactHistory
) -> tuple[Flags, str]:
    """Which contacts count as established, and who says so."""
    assert contacts.force is not None
    if contacts.established.any():
        return contacts.established, "controller"
    if motion is not None and experiment.path is not None and (contacts.obstacle >= 0).all():
        return established_by_path(experiment.path, motion.tail.s, motion.head.s, contacts.obstacle), "path"
    return established_by_touch(contacts.force, experiment.control_period), "touch"


def _torques(log: RunLog, experiment: Experiment, window: Flags) -> Part:
    applied, limit = log.applied[window], experiment.robot.limits.torque
    reduced = np.abs(applied) < np.abs(log.commanded[window]) - 1e-9
    saturated = (np.abs(applied) >= SATURATED * limit) | reduced
    work = log.applied[:-1] * np.diff(log.joint_angles(), axis=0)
    return {
        "torque_rms_nm": _rms(applied),
        "torque_peak_nm": _peak(applied),
        "saturated_fraction": float(saturated.mean()) if saturated.size else None,
        "energy_j": float(np.nansum(np.maximum(work, 0.0))) if log.ticks > 1 else None,
    }, {
        "net_work_j": float(np.nansum(work)) if log.ticks > 1 else None,
        "joint_speed_peak_rps": _peak(log.joint_speeds()[window]),
    }


def _timing(log: RunLog, window: Flags) -> Part:
    step = log.control_step_us[window]
    step = step[np.isfinite(step)]
    wall = log.wall_s[np.isfinite(log.wall_s)]
    spent = float(wall[-1] - wall[0]) if wall.size > 1 else 0.0
    return {
        "real_time_factor": float(log.time[-1]) / spent if spent > 0 else None,
        "control_step_us_p50": float(np.percentile(step, 50)) if step.size else None,
        "control_step_us_p99": float(np.percentile(step, 99)) if step.size else None,
    }, {}


def _cost_of_transport(values: dict[str, Any], experiment: Experiment) -> float | None:
    """E / (m g d); None where the robot has not come forward."""
    progress, energy = values["path_progress_m"], values["energy_j"]
    if progress is None or energy is None or progress <= 0:
        return None
    return float(energy / (experiment.robot.mass * GRAVITY * progress))


def _completed(log: RunLog, experiment: Experiment, progress: float | None) -> bool:
    """Whether the run got as far as its scenario wants, without a fault."""
    faults = {str(name) for name in FaultName}
    if any(trip.text.split(":")[0] in faults for trip in log.trips):
        return False
    scenario = experiment.scenario
    if scenario.distance is not None:
        return progress is not None and progress >= scenario.distance * (1 - 1e-9)
    return log.ticks >= round(scenario.duration / experiment.control_period)


def _rms(values: Array | None) -> float | None:
    if values is None:
        return None
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else None


def _peak(values: Array | None) -> float | None:
    if values is None:
        return None
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max()) if finite.size else None


def _mean(values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else None


def _ratio(value: float | None, reference: float | None) -> float | None:
    return None if value is None or not reference else value / reference


def _plain(value: Any) -> Any:
    """Numbers that JSON knows; what is not finite is not known."""
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
