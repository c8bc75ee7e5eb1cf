"""What a live page shows of one instant, and of the run as a whole, as plain JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boa_control.controller import ContactEstimate
from boa_control.experiments.experiment import Experiment
from boa_control.plant import ContactTruth
from boa_control.safety.supervisor import Status
from boa_description.arrays import Array
from boa_tools.report.interactive.scene import robot_data, scene_data
from boa_tools.runs.tick import Tick

Numbers = list[float | None]
ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One instant of a run.

    Attributes:
        time: s since the first tick.
        pose: x, y, heading of link 1 and the joint angles, m and rad.
        torque: applied, N m. joint_force: largest component at each joint, N.
        contacts: true ones: link, obstacle, x, y of the point (m), x, y of the force (N).
        estimates: link, obstacle, side, offset (m), force, standard deviation, reference (N).
        progress: m. speed: m/s. set_speed: m/s, None where it cannot be set.
        armed, paused: state. trouble: the latched fault, or empty.
        events: (time, text) since the last snapshot.
        realtime: simulated time per wall-clock time.
    """

    time: float
    pose: Numbers
    torque: Numbers
    joint_force: Numbers
    contacts: list[Numbers] = field(default_factory=list)
    estimates: list[Numbers] = field(default_factory=list)
    progress: float | None = None
    speed: float | None = None
    set_speed: float | None = None
    armed: bool = False
    paused: bool = False
    trouble: str = ""
    events: list[tuple[float, str]] = field(default_factory=list)
    realtime: float | None = None

    def text(self) -> str:
        """As JSON."""
        content = {name: getattr(self, name) for name in self.__slots__}
        return ENCODER.encode({"kind": "snapshot", **content})


def numbers(values: Array | Sequence[float], digits: int = 5) -> Numbers:
    """Rounded numbers; None for what is not finite, which JSON does not know."""
    return _known(np.round(np.asarray(values, float), digits).tolist())


def _known(row: list[float]) -> Numbers:
    return [v if math.isfinite(v) else None for v in row]


def number(value: Any, digits: int = 5) -> float | None:
    """One rounded number; None where there is none."""
    known = value is not None and math.isfinite(value)
    return round(float(value), digits) if known else None


def true_rows(contacts: Sequence[ContactTruth]) -> list[Numbers]:
    """True contacts as a snapshot has them."""
    return rows([(c.link, c.obstacle, *c.point[:2], *c.force[:2]) for c in contacts])


def estimate_rows(contacts: Sequence[ContactEstimate]) -> list[Numbers]:
    """Estimated contacts as a snapshot has them; a post that is not known is -1."""
    return rows(
        [
            (
                c.link,
                -1 if c.obstacle is None else c.obstacle,
                c.side,
                c.offset,
                c.force,
                c.force_std,
                c.reference,
            )
            for c in contacts
        ]
    )


def rows(table: Sequence[Sequence[float]]) -> list[Numbers]:
    """Rounded rows; None for what is not finite."""
    if not table:
        return []
    return [_known(row) for row in np.round(np.array(table, float), 4).tolist()]


def scenery(experiment: Experiment, simulated: bool, source: str) -> dict[str, Any]:
    """What stays the same during a run.

    Args:
        simulated: whether there is time to be paused, and a truth.
        source: where the run comes from, for the title.
    """
    return {
        "kind": "scenery",
        "name": experiment.scenario.name,
        "summary": experiment.scenario.summary,
        "source": source,
        "duration": experiment.scenario.duration,
        "simulated": simulated,
        "robot": robot_data(experiment.robot),
        "scene": scene_data(experiment),
    }


def snapshot_of(
    tick: Tick,
    start_ns: int,
    status: Status,
    base: Array,
    *,
    set_speed: float | None = None,
    paused: bool = False,
    events: Sequence[tuple[float, str]] = (),
    realtime: float | None = None,
) -> Snapshot:
    """The snapshot of a tick.

    Args:
        start_ns: stamp of the first tick.
        base: pose of link 1 where the truth is not known, (3,), m and rad.
    """
    frame, truth, output = tick.frame, tick.truth, tick.output
    joints = frame.position if truth is None else truth.joint_position
    debug: Mapping[str, Any] = output.debug
    force = frame.joint_force
    return Snapshot(
        time=round((frame.stamp_ns - start_ns) * 1e-9, 4),
        pose=numbers([*(base if truth is None else truth.base), *joints]),
        torque=numbers(tick.applied, 3),
        joint_force=[] if force is None else numbers(abs(force.force).max(axis=1), 2),
        contacts=true_rows(() if truth is None else truth.contacts),
        estimates=estimate_rows(output.contacts),
        progress=number(debug.get("progress_m")),
        speed=number(debug.get("progress_rate_mps")),
        set_speed=number(set_speed),
        armed=status.armed,
        paused=paused,
        trouble=str(status.faults[0]) if status.faults else "",
        events=list(events),
        realtime=number(realtime, 2),
    )
