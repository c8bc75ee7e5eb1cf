# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a run ended, in words."""

from collections.abc import Mapping
from typing import Any

from boa_control.safety.ended import Ended, Reason

LOST = 0.01  # share of the time; contacts lost for longer are worth a word


def verdict(values: Mapping[str, Any], reason: Reason | None = None) -> str:
    """Whether a run was completed, and what went wrong all the same; `values` as from
    `boa_tools.evaluation.metric_table`, `reason` of its end where that is known.
    """
    wrong, timed = "; ".join(troubles(values)), reason is Reason.DURATION
    if values["completed"]:
        done = "ran its time" if timed else "completed"
        return f"{done}, but {wrong}" if wrong else done
    how = "ended by its time" if timed else "not completed"
    return f"{how}: {wrong}" if wrong else how


def troubles(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Everything that "completed" does not say: a run of a given duration is completed also where
    the robot has lost its path.
    """
    extra = values["extra"]
    left, lost = extra["left_path_after_m"], extra["contact_lost_fraction"]
    wrong = []
    if left is not None:
        wrong.append(f"left the path after {left:.2f} m")
    if values.get("torque_peak_nm") == 0:
        return (*wrong, "no torque was given (was the robot armed?)")
    if lost is not None and lost > LOST:
        wrong.append(f"contacts lost {100 * lost:.0f} % of the time")
    elif lost is None and values["contacts_mean"] == 0 and values["path_progress_m"] is not None:
        wrong.append("no post was touched")  # a controller that holds no contact has none to lose
    return tuple(wrong)


def outcome(values: Mapping[str, Any]) -> str:
    """How a member of a set ended: stopped by a fault, left the path, completed, or ended by its
    time; `values` with those of `Ended.record`.
    """
    left, progress = values["extra"]["left_path_after_m"], values["path_progress_m"]
    astray = "" if left is None else f"left the path after {left:.2f} m"
    end = Ended.of(values)
    fault = end.fault
    if fault is not None:
        cause, _, _remedy = str(fault).partition(";")
        return f"stopped by a fault ({cause}){_way(progress)}" + (astray and f"; {astray}")
    if astray:
        return astray
    if values["completed"]:
        return verdict(values, end.reason)
    timed = end.reason is Reason.DURATION
    return f"{'ended by its time' if timed else f'not completed: {end.reason}'}{_way(progress)}"


def _way(progress: float | None) -> str:
    return "" if progress is None else f" after {progress:.2f} m"
