# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All metrics, by key, how the command line shows them, and what they are of a run, from its log
and its experiment. Definitions in docs/metrics.md.

Everything that judges quality leaves out the start-up (`evaluation.settle`); distances and energies
are those of the whole run. Quantities that do not apply are None, never zero.
"""

from typing import Any

import numpy as np

from boa_control.safety.ended import Reason
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions import (
    contacts,
    course,
    forces,
    free,
    goal,
    mapping,
    shape,
    space,
    torques,
    travel,
)
from boa_tools.evaluation.metric import Metric, Value, metrics_of
from boa_tools.evaluation.verdict import verdict

UNKNOWN = "–"  # shown where a metric does not apply

TOPICS = {  # as in docs/metrics.md -> its metrics
    topic.__name__.rpartition(".")[2]: metrics_of(topic)
    for topic in (travel, free, goal, shape, forces, contacts, torques, mapping, course, space)
}
ALL = tuple(metric for topic in TOPICS.values() for metric in topic)
METRICS = {metric.key: metric for metric in ALL if not metric.further}
FURTHER = {metric.key: metric for metric in ALL if metric.further}  # under "extra"

# what the command line shows after a run
SUMMARY = (
    "path_progress_m",
    "mean_speed_mps",
    "displacement_m",
    "goal_progress_m",
    "targets_reached",
    "target_times_s",
    "target_miss_max_m",
    "cross_track_rms_m",
    "position_error_rms_m",
    "position_from",
    "distance_m",
    "lateral_drift_m",
    "tilt_peak_rad",
    "floor_force_mean_n",
    "penetration_peak_m",
    "torque_demand_peak_nm",
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
    "map_error_before_m",
    "map_error_max_m",
    "control_step_us_p50",
    "real_time_factor",
    "gate_trips",
)


def description(key: str) -> Metric[Any]:
    """The metric `key`, a main or a further one."""
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


def summary(metrics: dict[str, Any], reason: Reason | None = None) -> str:
    """The main metrics as a small table; what does not apply is left out. `reason`: of the end."""
    values = {key: metrics[key] if key in METRICS else metrics["extra"].get(key) for key in SUMMARY}
    known = {
        description(key).label: shown(key, value)
        for key, value in values.items()
        if value is not None
    }
    width = max(map(len, known), default=0) + 2
    return "\n".join(
        [verdict(metrics, reason), *(f"  {label:<{width}}{text}" for label, text in known.items())]
    )


def metrics(analysis: Analysis) -> dict[str, Any]:
    """Return every metric by name (`boa_tools.evaluation.metric_table.METRICS`), and further ones
    under "extra".
    """
    values: dict[str, Any] = {key: value_of(metric, analysis) for key, metric in METRICS.items()}
    return values | {"extra": {key: value_of(FURTHER[key], analysis) for key in sorted(FURTHER)}}


def value_of(metric: Metric[Any], analysis: Analysis) -> Value:
    """A metric as JSON knows it: a number that is not finite is not known."""
    value = metric(analysis)
    return None if isinstance(value, float) and not np.isfinite(value) else value
