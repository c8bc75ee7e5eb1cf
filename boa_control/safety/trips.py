"""Protective events of the torque gate: new faults, and commands or sensor data too old."""

from __future__ import annotations

import json
from dataclasses import dataclass

from boa_control.safety.faults import Fault, FaultName
from boa_control.safety.gate import GateDecision

FAULT = "fault"  # first word of a fault in an event


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

    def text(self) -> str:
        """For an event of a bag: the rule, or the fault as JSON."""
        return self.name if self.fault is None else f"{FAULT} {json.dumps(self.fault.record())}"

    @classmethod
    def of_text(cls, text: str) -> Trip:
        """Read `text` back; also "joint_force: story", as versions before 0.2 wrote faults.

        Raises:
            ValueError: a fault that is not one.
        """
        word, _, rest = text.partition(" ")
        if word == FAULT:
            return cls.by(Fault.of(json.loads(rest)))
        if word.rstrip(":") in set(FaultName):
            return cls.by(Fault.of_story(text))
        return cls(text)


def trips_of(decision: GateDecision) -> tuple[Trip, ...]:
    """The protective events that began at the tick of a decision, faults first."""
    if not decision.trips:
        return ()
    names = {fault.name for fault in decision.faults}
    others = tuple(Trip(str(name)) for name in decision.trips if name not in names)
    begun = len(decision.trips) - len(others)
    new = decision.faults[len(decision.faults) - begun :]  # the gate appends them
    return (*map(Trip.by, new), *others)
