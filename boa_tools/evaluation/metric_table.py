"""What every metric is called and means, for the summary, the report and the manual."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from boa_tools.evaluation.verdict import verdict

DEGREE = 180 / math.pi
UNKNOWN = "–"  # shown where a metric does not apply


@dataclass(frozen=True, slots=True)
class Description:
    """How a metric is shown.

    Attributes:
        label: short name.
        factor, unit: shown value = factor * metric, in this unit.
        meaning: one plain sentence.
    """

    label: str
    factor: float
    unit: str
    meaning: str


METRICS: dict[str, Description] = {
    "duration_s": Description("duration", 1, "s", "Simulated or real time of the run."),
    "path_progress_m": Description(
        "progress", 1, "m", "How far the middle joint came along the path."
    ),
    "laps": Description("laps", 1, "", "Progress divided by the length of a closed path."),
    "mean_speed_mps": Description(
        "mean speed", 1e3, "mm/s", "Progress per time, after the start-up."
    ),
    "head_path_error_rms_m": Description(
        "head error, rms", 1e3, "mm", "Distance from the head to the path."
    ),
    "head_path_error_max_m": Description(
        "head error, largest", 1e3, "mm", "The largest such distance."
    ),
    "config_error_rms_rad": Description(
        "shape error, rms",
        DEGREE,
        "deg",
        "Joint angles against those of a robot lying exactly on the path.",
    ),
    "config_error_max_rad": Description(
        "shape error, largest", DEGREE, "deg", "The largest error of any joint."
    ),
    "force_reference_n": Description(
        "force reference, rms",
        1,
        "N",
        "Contact force that the controller aims at and that is physically possible.",
    ),
    "force_error_rms_n": Description(
        "force error, rms", 1, "N", "True contact force minus reference, over established contacts."
    ),
    "force_estimate_error_rms_n": Description(
        "force estimate error, rms",
        1,
        "N",
        "Estimated minus true contact force, over established contacts.",
    ),
    "contact_point_error_rms_m": Description(
        "contact point error, rms", 1e3, "mm", "Distance between estimated and true contact points."
    ),
    "contacts_min": Description(
        "fewest contacts", 1, "", "The smallest number of posts touched at one time."
    ),
    "contacts_mean": Description("mean contacts", 1, "", "The mean number of posts touched."),
    "contact_chatter_fraction": Description(
        "chatter", 100, "%", "Share of contact time spent in losses that ended within 20 ms."
    ),
    "form_closure_fraction": Description(
        "form closure",
        100,
        "%",
        "Share of time in which the contacts hold the robot as the scenario asks.",
    ),
    "torque_rms_nm": Description(
        "torque, rms", 1, "N m", "Joint torques that passed the gate, over all joints."
    ),
    "torque_peak_nm": Description("torque, largest", 1, "N m", "The largest torque of any joint."),
    "joint_force_peak_n": Description(
        "joint force, largest",
        1,
        "N",
        "Largest component at any force sensor; a K3D40 carries 50 N.",
    ),
    "saturated_fraction": Description(
        "saturated", 100, "%", "Share of joint samples at the torque limit or reduced by the gate."
    ),
    "energy_j": Description(
        "energy", 1, "J", "Mechanical work that the joints put in; what they take out is lost."
    ),
    "cost_of_transport": Description("cost of transport", 1, "", "Energy per weight and distance."),
    "real_time_factor": Description(
        "speed of the run", 1, "x", "Simulated time per wall-clock time."
    ),
    "control_step_us_p50": Description(
        "control step, median", 1, "us", "Computing time of one controller step."
    ),
    "control_step_us_p99": Description(
        "control step, 99 %", 1, "us", "99 of 100 steps take no longer than this."
    ),
    "gate_trips": Description("gate trips", 1, "", "How often the torque gate stepped in."),
    "completed": Description(
        "completed", 1, "", "The run got as far as the scenario asks, without a fault."
    ),
}

# the further ones, under "extra"
FURTHER: dict[str, Description] = {
    "body_lengths": Description(
        "progress in body lengths", 1, "", "Progress divided by the length of the robot."
    ),
    "left_path_after_m": Description(
        "left its path after",
        1,
        "m",
        "Progress when the head was first more than 0.1 m from the path.",
    ),
    "last_joint_path_error_rms_m": Description(
        "last joint error, rms",
        1e3,
        "mm",
        "Distance from the joint behind the head link to the path.",
    ),
    "force_error_relative": Description(
        "force error, relative", 100, "%", "Force error divided by the reference."
    ),
    "force_estimate_bias_n": Description(
        "force estimate bias", 1, "N", "Mean of estimated minus true contact force."
    ),
    "contact_force_mean_n": Description(
        "contact force, mean", 1, "N", "Mean of the contact forces."
    ),
    "contact_force_peak_n": Description(
        "contact force, largest", 1, "N", "The largest force of any contact."
    ),
    "contact_lost_fraction": Description(
        "lost contact time",
        100,
        "%",
        "Share of time in which a contact that should be held had no force.",
    ),
    "contact_chatter_per_contact_s": Description(
        "chatter events", 1, "1/s", "Losses that ended within 20 ms, per second of contact."
    ),
    "contacts_from": Description(
        "contacts from", 1, "", "Who tells what was touched: the truth or the controller."
    ),
    "established_by": Description(
        "established by", 1, "", "Who tells which contacts should be held."
    ),
    "joint_force_norm_peak_n": Description(
        "joint force vector, largest", 1, "N", "Largest magnitude of the force vector at any joint."
    ),
    "joint_speed_peak_rps": Description(
        "joint speed, largest", 1, "rad/s", "The largest speed of any joint."
    ),
    "net_work_j": Description(
        "net work", 1, "J", "Work of the joints, what they take out subtracted."
    ),
    "unanswered_fraction": Description(
        "unanswered", 100, "%", "Share of control ticks whose command is not known."
    ),
}

# what the command line shows after a run
SUMMARY = (
    "path_progress_m",
    "mean_speed_mps",
    "head_path_error_rms_m",
    "config_error_rms_rad",
    "force_reference_n",
    "force_error_rms_n",
    "force_error_relative",
    "contact_force_peak_n",
    "contacts_min",
    "contact_lost_fraction",
    "contact_chatter_fraction",
    "form_closure_fraction",
    "torque_peak_nm",
    "joint_force_peak_n",
    "control_step_us_p50",
    "real_time_factor",
    "gate_trips",
)


def description(key: str) -> Description:
    """How the metric `key`, a main or a further one, is shown."""
    return METRICS[key] if key in METRICS else FURTHER[key]


def shown(key: str, value: Any, digits: int = 4) -> str:
    """A metric's value with its unit, for people; a dash where it does not apply."""
    how = description(key)
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return f"{_plain(value * how.factor, digits)} {how.unit}".rstrip()


def _plain(value: float, digits: int) -> str:
    """`value` with so many significant digits; large ones whole instead of with an exponent."""
    return f"{value:.0f}" if 10**digits <= abs(value) < 1e9 else f"{value:.{digits}g}"


def summary(metrics: dict[str, Any]) -> str:
    """The main metrics as a small table; what does not apply is left out."""
    values = {key: metrics[key] if key in METRICS else metrics["extra"].get(key) for key in SUMMARY}
    lines = [verdict(metrics)]
    lines += [
        f"  {description(key).label:<24}{shown(key, value)}"
        for key, value in values.items()
        if value is not None
    ]
    return "\n".join(lines)
