"""What every metric is called and means, for the summary, the report and the manual."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

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
    "path_progress_m": Description("progress", 1, "m", "How far the middle joint came along the path."),
    "laps": Description("laps", 1, "", "Progress divided by the length of a closed path."),
    "mean_speed_mps": Description("mean speed", 1e3, "mm/s", "Progress per time, after the start-up."),
    "head_path_error_rms_m": Description("head error, rms", 1e3, "mm", "Distance from the head to the path."),
    "head_path_error_max_m": Description("head error, largest", 1e3, "mm", "The largest such distance."),
    "config_error_rms_rad": Description(
        "shape error, rms", DEGREE, "deg", "Joint angles against those of a robot lying exactly on the path."
    ),
    "config_error_max_rad": Description("shape error, largest", DEGREE, "deg", "The largest error of any joint."),
    "force_reference_n": Description(
        "force reference, rms", 1, "N", "Contact force that the controller aims at and that is physically possible."
    ),
    "force_error_rms_n": Description(
        "force error, rms", 1, "N", "True contact force minus reference, over established contacts."
    ),
    "force_estimate_error_rms_n": Description(
        "force estimate error, rms", 1, "N", "Estimated minus true contact force, over established contacts."
    ),
    "contact_point_error_rms_m": Description(
        "contact point error, rms", 1e3, "mm", "Distance between estimated and true contact points."
    ),
    "contacts_min": Description("fewest contacts", 1, "", "The smallest number of posts touched at one time."),
    "contacts_mean": Description("mean contacts", 1, "", "The mean number of posts touched."),
    "contact_chatter_fraction": Description(
        "chatter", 100, "%", "Share of contact time spent in losses that ended within 20 ms."
    ),
    "form_closure_fraction": Description(
        "form closure", 100, "%", "Share of time in which the contacts hold the robot as the scenario asks."
    ),
    "torque_rms_nm": Description("torque, rms", 1, "N m", "Joint torques that passed the gate, over all joints."),
    "torque_peak_nm": Description("torque, largest", 1, "N m", "The largest torque of any joint."),
    "joint_force_peak_n": Description(
        "joint force, largest", 1, "N", "Largest component at any force sensor; a K3D40 carries 50 N."
    ),
    "saturated_fraction": Description(
        "saturated", 100, "%", "Share of joint samples at the torque limit or reduced by the gate."
    ),
    "energy_j": Description("energy", 1, "J", "Mechanical work that the joints put in; what they take out is lost."),
    "cost_of_transport": Description("cost of transport", 1, "", "Energy per weight and distance."),
    "real_time_factor": Description("speed of the run", 1, "x", "Simulated time per wall-clock time."),
    "control_step_us_p50": Description("control step, median", 1, "us", "Computing time of one controller step."),
    "control_step_us_p99": Description("control step, 99 %", 1, "us", "99 of 100 steps take no longer than this."),
    "gate_trips": Description("gate trips", 1, "", "How often the torque gate stepped in."),
    "completed": Description("completed", 1, "", "The run got as far as the scenario asks, without a fault."),
}

# what the command line shows after a run
SUMMARY = (
    "path_progress_m",
    "mean_speed_mps",
    "head_path_error_rms_m",
    "config_error_rms_rad",
    "force_error_rms_n",
    "force_reference_n",
    "contacts_min",
    "contact_chatter_fraction",
    "form_closure_fraction",
    "torque_peak_nm",
    "joint_force_peak_n",
    "control_step_us_p50",
    "real_time_factor",
    "gate_trips",
)


def shown(key: str, value: Any, digits: int = 4) -> str:
    """A metric's value with its unit, for people; a dash where it does not apply."""
    description = METRICS[key]
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value * description.factor:.{digits}g} {description.unit}".rstrip()


def summary(metrics: dict[str, Any]) -> str:
    """The main metrics as a small table; what does not apply is left out."""
    lines = ["completed" if metrics["completed"] else "NOT completed"]
    lines += [f"  {METRICS[key].label:<24}{shown(key, metrics[key])}" for key in SUMMARY if metrics[key] is not None]
    return "\n".join(lines)
