# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a run ended, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boa_control.safety.ended import Ended

LOST = 0.01  # share of the time; contacts lost for longer are worth a word


def verdict(values: Mapping[str, Any]) -> str:
    """Whether a run was completed, and what went wrong all the same; `values` as from
    `boa_tools.evaluation.metrics`.
    """
    wrong = "; ".join(troubles(values))
    if values["completed"]:
        return f"completed, but {wrong}" if wrong else "completed"
    return f"not completed: {wrong}" if wrong else "not completed"


def troubles(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Everything that "completed" does not say: a run of a given duration is completed also where
    the robot has lost its path.
    """
    extra = values["extra"]
    left, lost = extra["left_path_after_m"], extra["contact_lost_fraction"]
    wrong = []
    if left is not None:
        wrong.append(f"left the path after {left:.2f} m")
    if lost is not None and lost > LOST:
        wrong.append(f"contacts lost {100 * lost:.0f} % of the time")
    elif lost is None and values["contacts_mean"] == 0 and values["path_progress_m"] is not None:
        wrong.append("no post was touched")  # a controller that holds no contact has none to lose
    return tuple(wrong)


def outcome(values: Mapping[str, Any]) -> str:
    """How a member of a set ended: stopped by a fault, left the path, completed, or did not get
    there in time; `values` with those of `Ended.record`.
    """
    left, progress = values["extra"]["left_path_after_m"], values["path_progress_m"]
    astray = "" if left is None else f"left the path after {left:.2f} m"
    fault = Ended.of(values).fault
    if fault is not None:
        cause, _, _remedy = str(fault).partition(";")
        way = "" if progress is None else f" after {progress:.2f} m"
        return f"stopped by a fault ({cause}){way}" + (astray and f"; {astray}")
    if astray:
        return astray
    if values["completed"]:
        return verdict(values)
    return "not completed" if progress is None else f"stopped after {progress:.2f} m"
