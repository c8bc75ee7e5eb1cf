"""The state of a run, or of a robot, as its viewer gets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from boa_control.controller import ContactEstimate, estimate_columns
from boa_control.experiments.experiment import Experiment
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.plant import ContactTruth, truth_columns
from boa_control.safety.supervisor import Status
from boa_description.arrays import Array
from boa_tools.report.interactive.scene import map_data, robot_data, scene_data
from boa_tools.runs.tick import Tick
from boa_tools.view.snapshot import NOTHING, Snapshot


def true_rows(contacts: Sequence[ContactTruth]) -> Array:
    """True contacts as a snapshot has them."""
    given = truth_columns((contacts,))
    point, force = given.point, given.force
    columns = (given.link, given.obstacle, point[:, 0], point[:, 1], force[:, 0], force[:, 1])
    return np.array(columns, float).T


def estimate_rows(contacts: Sequence[ContactEstimate]) -> Array:
    """Estimated contacts as a snapshot has them."""
    c = estimate_columns((contacts,))
    columns = (c.link, c.obstacle, c.side, c.offset, c.force, c.force_std, c.reference)
    return np.array(columns, float).T


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


def map_content(corrected: CorrectedMap) -> dict[str, Any]:
    """What pages are told of a corrected map."""
    return {"kind": "map", **map_data(corrected)}


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
        time=(frame.stamp_ns - start_ns) * 1e-9,
        pose=np.concatenate((base if truth is None else truth.base, joints)),
        torque=tick.applied,
        joint_force=NOTHING if force is None else np.abs(force.force).max(axis=1),
        contacts=NOTHING if truth is None else true_rows(truth.contacts),
        estimates=estimate_rows(output.contacts),
        progress=debug.get("progress_m"),
        speed=debug.get("progress_rate_mps"),
        set_speed=set_speed,
        armed=status.armed,
        paused=paused,
        trouble=str(status.faults[0]) if status.faults else "",
        events=events,
        realtime=realtime,
    )
