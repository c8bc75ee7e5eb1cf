# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one sentence with which every run ends: whether it got there; or why not, how far, and what
to change.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any

from boa_control.event_text import text_of
from boa_control.events import Event, EventKind, SupervisionState
from boa_control.experiments.scenario import Scenario
from boa_control.safety.ended import Ended, Reason
from boa_tools.evaluation.verdict import troubles
from boa_tools.runs.runlog import RunLog

STOOD = 0.005  # m/s on average, below which more time brings a robot no further
MORE_TIME = 1.25  # times what the speed so far asks for
ROUND_TO = 5.0  # s, to which a longer duration is rounded up
# what a controller tells last before it goes no further
DECISIVE = (EventKind.JOINTS_STICK, EventKind.START_REFUSED, EventKind.NEW_PATH_REFUSED)
HALTED = (SupervisionState.STOPPED, SupervisionState.LOST)


def closing_sentence(
    values: Mapping[str, Any], ended: Ended, log: RunLog, scenario: Scenario
) -> str:
    """How the run ended, in one sentence; `values` as from `boa_tools.evaluation.metric_table`."""
    time = float(log.time[-1])
    way, goal = values["path_progress_m"], scenario.distance
    told = f"after {time:.1f} s" + ("" if way is None else f" and {way:.2f} m")
    if ended.fault is not None:
        return f"Ended {told} by a fault, {ended.fault}."
    if ended.reason.failed:
        return f"Ended {told} by a stop condition of the scenario: {ended.reason}."
    if ended.reason in (Reason.INTERRUPTED, Reason.STOPPED):
        return f"Ended {told}: {ended.reason}{_cause(log, '; before that, ')}."
    wrong = "; ".join(troubles(values))
    but = f", but {wrong}" if wrong else ""
    if values["completed"]:
        if ended.reason is Reason.DURATION:
            return (
                f"Ran its time, {told.removeprefix('after ')}{but}{_cause(log, '; ', decisive=())}."
            )
        return f"Reached its goal {told}{but}."
    if ended.reason is not Reason.DURATION:
        cause = _cause(log)
        by = "" if cause and ended.reason is Reason.REFUSED else f": {ended.reason}"  # it says so
        return f"Did not reach its goal{by} {told}{but}{cause}."
    return f"Ended by its time {told}{_missing(way, goal)}{but}{_remedy(way, goal, time, log)}."


def _missing(way: float | None, goal: float | None) -> str:
    """How far the goal was, where that is known."""
    if way is None or goal is None:
        return ", before its goal"
    left = goal - way
    return f", {1e3 * left:.0f} mm before its goal" if left < 0.1 else f", of {goal:.2f} m"


def _remedy(way: float | None, goal: float | None, time: float, log: RunLog) -> str:
    """What to change: more time for a robot that gets on; else what held it."""
    cause = _cause(log)
    if cause or way is None or goal is None:
        return cause
    if way < STOOD * time:
        return "; it stood: look at the events of the report"
    needed = MORE_TIME * time * goal / way
    return f"; set duration: {math.ceil(needed / ROUND_TO) * ROUND_TO:g}"


def _cause(log: RunLog, before: str = ": ", decisive: Collection[EventKind] = DECISIVE) -> str:
    """The last event that says why the robot goes no further, behind `before`: one of `decisive`
    kind, or a halt.
    """
    for logged in reversed(log.events):
        event = logged.event
        if event.kind in decisive or _halts(event):
            return f"{before}{text_of(event)}"
        if event.kind is EventKind.SUPERVISION:
            return ""  # it went on
    return ""


def _halts(event: Event) -> bool:
    return event.kind is EventKind.SUPERVISION and event.state in HALTED
