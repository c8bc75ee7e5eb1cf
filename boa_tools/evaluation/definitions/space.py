# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots that leave the plane: how far they come, whether they stay upright, the floor's load."""

import numpy as np

from boa_description.arrays import Array
from boa_description.link_frames import link_centres, points_on_links
from boa_description.quaternion import rotated
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import further

UP = np.array([0.0, 0.0, 1.0])
LEFT = np.array([0.0, 1.0, 0.0])


def centre(run: Analysis) -> Array | None:
    """Centre of mass, shape (T, 3), m."""
    poses = run.frames
    if poses is None:
        return None
    return link_centres(run.experiment.robot, poses).mean(axis=1)


def start_direction(run: Analysis) -> Array:
    """Unit vector along the heading at the start, in the plane of the floor, shape (2,)."""
    truth = run.log.truth
    assert truth is not None
    return np.array([np.cos(truth.base[0, 2]), np.sin(truth.base[0, 2])])


def tilts(run: Analysis) -> Array | None:
    """Largest angle of any link's left axis against the floor, shape (T,), rad: 0 stands, pi / 2
    lies.
    """
    poses = run.frames
    if poses is None:
        return None
    rise = np.abs(rotated(poses[..., 3:], LEFT) @ UP).max(axis=1)
    return np.arcsin(np.clip(rise, 0.0, 1.0))


@further("distance_m", "distance", "m")
def distance(run: Analysis) -> float | None:
    """How far the centre of mass came along the heading at the start.

    Start-up included.
    """
    place = centre(run)
    return None if place is None else float((place[-1] - place[0])[:2] @ start_direction(run))


@further("head_distance_m", "distance of the head", "m")
def head_distance(run: Analysis) -> float | None:
    """How far the front end of the head came along the heading at the start."""
    poses = run.frames
    if poses is None:
        return None
    tip = np.array([run.experiment.robot.link.pitch, 0.0, 0.0])
    head = points_on_links(poses[:, -1], tip)
    return float((head[-1] - head[0])[:2] @ start_direction(run))


@further("lateral_drift_m", "drift to the side", "mm")
def lateral_drift(run: Analysis) -> float | None:
    """Largest way of the centre of mass across that heading."""
    place = centre(run)
    if place is None:
        return None
    along = start_direction(run)
    across = (place - place[0])[:, :2] @ np.array([-along[1], along[0]])
    return float(np.abs(across).max())


@further("tilt_peak_rad", "tilt, largest", "deg")
def tilt_peak(run: Analysis) -> float | None:
    """Largest angle of any link about its own axis against lying flat.

    Of the link's left axis against the floor.
    """
    tilt = tilts(run)
    return None if tilt is None else float(tilt.max())


@further("floor_force_mean_n", "floor force, mean", "N")
def floor_force_mean(run: Analysis) -> float | None:
    """Mean vertical force of the floor; over whole periods it is the weight."""
    floor = run.log.floor
    if floor is None or not run.window.any():
        return None
    judged = run.window[floor.tick]
    return float(floor.force[judged, 2].sum() / run.window.sum())


@further("penetration_peak_m", "depth in the floor, largest", "mm")
def penetration(run: Analysis) -> float | None:
    """Deepest point of any link below the floor, where that is flat."""
    poses = run.frames
    if poses is None or run.experiment.scenario.scene.terrain:
        return None
    robot = run.experiment.robot
    spines = np.array([robot.spine(link) for link in range(robot.links)])
    lowest = np.inf
    for x in spines.T:
        for y in {robot.link.track, -robot.link.track}:
            end = np.column_stack((x, np.full_like(x, y), np.zeros_like(x)))
            lowest = min(lowest, float(points_on_links(poses, end)[..., 2].min()))
    return max(0.0, robot.link.radius - lowest)


@further("torque_demand_peak_nm", "torque demand, largest", "N m")
def torque_demand(run: Analysis) -> float | None:
    """The largest torque that the controller asked for, before the gate."""
    if run.experiment.robot.planar:
        return None
    commanded = np.abs(run.log.commanded[run.window])
    return float(np.nanmax(commanded)) if np.isfinite(commanded).any() else None
