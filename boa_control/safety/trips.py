# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Protective events of the torque gate: new faults, and commands or sensor data too old."""

from __future__ import annotations

from dataclasses import dataclass

from boa_control.events import Event, EventKind
from boa_control.safety.faults import Fault, fault_of, with_fault
from boa_control.safety.gate import GateDecision


@dataclass(frozen=True, slots=True)
class Trip:
    """One protective event.

    Attributes:
        name: a `FaultName`, or the `Rule` that began to act.
        fault: the latched fault; None where the torque only fades while something is too old.
    """

    name: str
    fault: Fault | None = None

    @classmethod
    def by(cls, fault: Fault) -> Trip:
        """The event of a fault."""
        return cls(fault.name, fault)

    def __str__(self) -> str:
        return self.name if self.fault is None else str(self.fault)

    def event(self) -> Event:
        """It as the event of a tick."""
        return with_fault(Event(kind=EventKind.GATE_TRIP, reason=self.name), self.fault)

    @classmethod
    def of_event(cls, event: Event) -> Trip:
        """Read `event` back. Raises ValueError for a fault that is not one."""
        return cls(event.reason or "", fault_of(event))


def trips_of(decision: GateDecision) -> tuple[Trip, ...]:
    """The protective events that began at the tick of a decision, faults first."""
    if not decision.trips:
        return ()
    names = {fault.name for fault in decision.faults}
    others = tuple(Trip(str(name)) for name in decision.trips if name not in names)
    begun = len(decision.trips) - len(others)
    new = decision.faults[len(decision.faults) - begun :]  # the gate appends them
    return (*map(Trip.by, new), *others)
