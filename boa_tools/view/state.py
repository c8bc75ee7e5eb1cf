# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The state of a run, or of a robot, as its viewer gets it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.controller import ContactEstimate, ControlOutput, estimate_columns
from boa_control.experiments.experiment import Experiment
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.plant import ContactTruth, base_of, force_components, truth_columns
from boa_control.safety.supervisor import Status
from boa_description.arrays import Array
from boa_description.chain import centre_of_mass
from boa_description.robot import Robot
from boa_tools.report.interactive.scene import map_data, robot_data, scene_data
from boa_tools.runs.loop import Tick
from boa_tools.view.snapshot import NOTHING, Snapshot
from boa_tools.view.travel import Travel


def true_rows(robot: Robot, contacts: Sequence[ContactTruth]) -> Array:
    """True contacts as a snapshot has them."""
    given = truth_columns((contacts,))
    axes = 2 if robot.planar else 3
    point, force = given.point[:, :axes], given.force[:, :axes]
    return np.column_stack((given.link, given.obstacle, point, force))


def estimate_rows(contacts: Sequence[ContactEstimate]) -> Array:
    """Estimated contacts as a snapshot has them."""
    c = estimate_columns((contacts,))
    columns = (c.link, c.obstacle, c.side, c.offset, c.force, c.force_std, c.reference)
    return np.array(columns, float).T


def scenery(experiment: Experiment, simulated: bool, source: str) -> dict[str, Any]:
    """The data that stay the same during a run.

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
    """A corrected map for the pages."""
    return {"kind": "map", **map_data(corrected)}


def believed_base(robot: Robot, base: Array, joints: Array, output: ControlOutput | None) -> Array:
    """The base of a robot whose place is not known, drawn from its start, where its controller
    believes the centre of mass; unchanged where it says nothing, and in space.
    """
    place = None if output is None else output.debug.get("position_m")
    if place is None or not robot.planar:
        return base
    moved = base.copy()
    moved[:2] += place - centre_of_mass(robot.link.pitch, base, joints)
    return moved


def snapshot_of(
    tick: Tick,
    start_ns: int,
    status: Status,
    travel: Travel,
    *,
    set_speed: float | None = None,
    paused: bool = False,
    events: Sequence[tuple[float, str]] = (),
    realtime: float | None = None,
) -> Snapshot:
    """The snapshot of a tick.

    Args:
        start_ns: stamp of the first tick.
        travel: says how far the robot has come.
    """
    frame, truth, output = tick.frame, tick.truth, tick.output
    time = (frame.stamp_ns - start_ns) * 1e-9
    if truth is None:
        joints = frame.position
        base = believed_base(travel.robot, travel.start_base, joints, output)
    else:
        base, joints = base_of(truth, travel.robot), truth.joint_position
    progress, speed = travel.update(time, base, joints, output.debug)
    force = frame.joint_force
    return Snapshot(
        time=time,
        pose=np.concatenate((base, joints)),
        torque=tick.applied,
        delivered=NOTHING if truth is None else truth.delivered,
        joint_force=NOTHING if force is None else force_components(force.force),
        contacts=NOTHING if truth is None else true_rows(travel.robot, truth.contacts),
        estimates=estimate_rows(output.contacts),
        progress=progress,
        speed=speed,
        set_speed=set_speed,
        armed=status.armed,
        paused=paused,
        trouble=str(status.faults[0]) if status.faults else "",
        events=events,
        realtime=realtime,
    )
