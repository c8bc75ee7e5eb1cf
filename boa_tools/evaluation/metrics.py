"""The metrics of a run, from its log and its experiment. Definitions in docs/metrics.md.

Everything that judges quality leaves out the start-up (`evaluation.settle`); distances and energies
are those of the whole run. Quantities that do not apply are None, never zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_description.arrays import Array
from boa_description.scene import GRAVITY
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.contact_metrics import Chatter, chatter, force_errors, point_errors
from boa_tools.evaluation.metric_table import METRICS
from boa_tools.runs.runlog import RunLog, held_force

# share of the torque limit from which a joint counts as saturated (controllers keep 2 % back)
SATURATED = 0.975
LEFT_PATH = 0.1  # m, half a link; a head further away has left its path


Part = tuple[dict[str, Any], dict[str, Any]]
"""Metrics of DESIGN section 6, and further ones."""


def metrics(analysis: Analysis) -> dict[str, Any]:
    """Return every metric by name (`boa_tools.evaluation.metric_table.METRICS`), and further ones
    under "extra".
    """
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for part in (_travel, _shape, _contacts, _forces, _torques, _timing):
        found, further = part(analysis)
        values |= found
        extra |= further
    values["cost_of_transport"] = _cost_of_transport(values, analysis.experiment)
    values["gate_trips"] = len(analysis.log.trips)
    values["completed"] = _completed(analysis.log, analysis.experiment, values["path_progress_m"])
    return {key: _plain(values[key]) for key in METRICS} | {
        "extra": {key: _plain(extra[key]) for key in sorted(extra)}
    }


def _travel(analysis: Analysis) -> Part:
    log, experiment, s = analysis.log, analysis.experiment, analysis.progress
    progress = speed = laps = None
    if s is not None and experiment.path is not None:
        finite = np.flatnonzero(np.isfinite(s))
        progress = float(s[finite[-1]] - s[finite[0]])
        laps = progress / experiment.path.curve.length if experiment.path.curve.closed else None
        judged = finite[analysis.window[finite]]
        if judged.size > 1:
            speed = float(s[judged[-1]] - s[judged[0]]) / float(
                log.time[judged[-1]] - log.time[judged[0]]
            )
    values = {
        "duration_s": log.ticks * experiment.control_period,
        "path_progress_m": progress,
        "laps": laps,
        "mean_speed_mps": speed,
    }
    return values, {
        "body_lengths": None if progress is None else progress / experiment.robot.length,
        "left_path_after_m": left_path_after(analysis),
    }


def left_path_after(analysis: Analysis) -> float | None:
    """Progress when the head was first further from the path than `LEFT_PATH`, m; None if it never
    was.
    """
    motion = analysis.motion
    if motion is None:
        return None
    beyond = np.flatnonzero(np.abs(motion.head.offset) > LEFT_PATH)
    return float(motion.middle.s[beyond[0]] - motion.middle.s[0]) if beyond.size else None


def _shape(analysis: Analysis) -> Part:
    motion, window = analysis.motion, analysis.window
    error = None if analysis.config_error is None else analysis.config_error[window]
    head = None if motion is None else motion.head.offset[window]
    return {
        "head_path_error_rms_m": _rms(head),
        "head_path_error_max_m": _peak(head),
        "config_error_rms_rad": _rms(error),
        "config_error_max_rad": _peak(error),
    }, {
        "last_joint_path_error_rms_m": None
        if motion is None
        else _rms(motion.last_joint.offset[window])
    }


def _contacts(analysis: Analysis) -> Part:
    """How many contacts, how well they were held, and whether they closed the body."""
    contacts, window = analysis.contacts, analysis.window
    touching = contacts.force > 0 if contacts.force is not None else contacts.established
    count = touching[window].sum(axis=1)
    if contacts.force is None:  # a tick without an answer tells nothing
        count = count[analysis.log.answered[window]]
    established, source = analysis.established
    held = Chatter(None, None, None)
    if contacts.force is not None:
        held = chatter(
            contacts.force[window], established[window], analysis.experiment.control_period
        )
    values = {
        "contacts_min": int(count.min()) if count.size else None,
        "contacts_mean": float(count.mean()) if count.size else None,
        "contact_chatter_fraction": held.fraction,
        "form_closure_fraction": None
        if analysis.closed is None
        else _mean(analysis.closed[window].astype(float)),
    }
    return values, {
        "contacts_from": "truth" if contacts.force is not None else "controller",
        "established_by": source,
        "contact_chatter_per_contact_s": held.rate,
        "contact_lost_fraction": held.lost,
    }


def _forces(analysis: Analysis) -> Part:
    """Contact forces against reference and estimate, contact points, joint forces."""
    contacts, window = analysis.contacts, analysis.window
    samples = held_force(analysis.log)[window]
    error = wanted = estimate_error = pressing = np.zeros(0)
    if contacts.force is not None:
        force, established = contacts.force[window], analysis.established[0][window]
        error, wanted = force_errors(force, analysis.reference[window], established)
        estimate_error = (contacts.estimate[window] - force)[established]
        pressing = force[force > 0]
    rms, reference = _rms(error), _rms(wanted)
    values = {
        "force_reference_n": reference,
        "force_error_rms_n": rms,
        "force_estimate_error_rms_n": _rms(estimate_error),
        "contact_point_error_rms_m": _rms(point_errors(analysis.log, analysis.experiment, window)),
        "joint_force_peak_n": _peak(samples),
    }
    return values, {
        "contact_force_peak_n": _peak(pressing),
        "contact_force_mean_n": _mean(pressing),
        "force_error_relative": None if rms is None or not reference else rms / reference,
        "force_estimate_bias_n": _mean(estimate_error),
        "joint_force_norm_peak_n": _peak(np.linalg.norm(samples, axis=-1)),
    }


def _torques(analysis: Analysis) -> Part:
    log, window = analysis.log, analysis.window
    applied, limit = log.applied[window], analysis.experiment.robot.limits.torque
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


def _timing(analysis: Analysis) -> Part:
    log = analysis.log
    step = log.control_step_us[analysis.window]
    step = step[np.isfinite(step)]
    wall = log.wall_s[np.isfinite(log.wall_s)]
    spent = float(wall[-1] - wall[0]) if wall.size > 1 else 0.0
    return {
        "real_time_factor": float(log.time[-1]) / spent if spent > 0 else None,
        "control_step_us_p50": float(np.percentile(step, 50)) if step.size else None,
        "control_step_us_p99": float(np.percentile(step, 99)) if step.size else None,
    }, {
        "unanswered_fraction": float(1 - log.answered[analysis.window].mean())
        if analysis.window.any()
        else None
    }


def _cost_of_transport(values: dict[str, Any], experiment: Experiment) -> float | None:
    """E / (m g d); None where the robot has not come forward."""
    progress, energy = values["path_progress_m"], values["energy_j"]
    if progress is None or energy is None or progress <= 0:
        return None
    return float(energy / (experiment.robot.mass * GRAVITY * progress))


def _completed(log: RunLog, experiment: Experiment, progress: float | None) -> bool:
    """Whether the run got as far as its scenario wants, without a fault."""
    if any(event.trip.fault is not None for event in log.trips):
        return False
    scenario = experiment.scenario
    if scenario.distance is not None:
        return progress is not None and progress >= scenario.distance * (1 - 1e-9)
    return log.ticks >= round(scenario.duration / experiment.control_period)


def _rms(values: Array | None) -> float | None:
    """Root mean square of the known values."""
    if values is None:
        return None
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else None


def _peak(values: Array | None) -> float | None:
    """Largest magnitude of the known values."""
    if values is None:
        return None
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max()) if finite.size else None


def _mean(values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else None


def _plain(value: Any) -> Any:
    """Numbers that JSON knows; what is not finite is not known."""
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
