# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why a run ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from boa_control.events import Event, EventKind
from boa_control.safety.faults import Fault, fault_of, with_fault


class Reason(StrEnum):
    """Ends of a run. The names are stable: run.json and bags have them."""

    DURATION = "duration"
    DISTANCE = "distance"
    GOAL = "goal"
    STALLED = "stalled"
    REFUSED = "start refused"
    CONTACT_FORCE = "contact force"
    HEADING = "heading"
    FAULT = "fault"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"

    @property
    def failed(self) -> bool:
        """Whether the run went wrong: by a fault, or by a stop condition of its scenario."""
        return self in (Reason.FAULT, Reason.CONTACT_FORCE, Reason.HEADING)


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a run ended; with the fault where that was the reason.

    Raises:
        ValueError: a fault without that reason, or the reason without a fault.
    """

    reason: Reason
    fault: Fault | None = None

    def __post_init__(self) -> None:
        if (self.reason is Reason.FAULT) != (self.fault is not None):
            raise ValueError(f"reason {self.reason} and fault {self.fault} do not go together")

    @classmethod
    def by(cls, fault: Fault) -> Ended:
        """The end by a fault."""
        return cls(Reason.FAULT, fault)

    def __str__(self) -> str:
        return self.reason if self.fault is None else f"{self.reason}: {self.fault}"

    def record(self) -> dict[str, Any]:
        """The keys `ended` and `fault` of run.json."""
        fault = None if self.fault is None else self.fault.record()
        return {"ended": str(self.reason), "fault": fault}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Ended:
        """Read `record` back; also as versions before 0.2 wrote it, "fault: story" under `ended`.

        Raises:
            KeyError, ValueError: it is neither.
        """
        fault = record.get("fault")
        if fault is not None:
            return cls.by(Fault.of(fault))
        return _of_old_text(record["ended"])

    def event(self) -> Event:
        """It as the last event of a run."""
        return with_fault(Event(kind=EventKind.RUN_ENDED, state=str(self.reason)), self.fault)

    @classmethod
    def of_event(cls, event: Event) -> Ended:
        """Read `event` back. Raises ValueError."""
        return cls(Reason(event.state or ""), fault_of(event))


def _of_old_text(text: str) -> Ended:
    reason, colon, story = text.partition(": ")
    if reason == Reason.FAULT and colon:
        return Ended.by(Fault.of_story(story))
    return Ended(Reason(text))
