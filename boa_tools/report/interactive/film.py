# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run as a film: poses, contacts, joint loads, charts and events in one JSON text."""

import json
from typing import Any

import numpy as np

from boa_control.plant import FLOOR, force_components
from boa_description.arrays import Array, Flags, Integers
from boa_description.link_frames import start_pose
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.floor_load import floor_load
from boa_tools.evaluation.legs import way
from boa_tools.report.calm_events import calmed
from boa_tools.report.forces import contact_name
from boa_tools.report.interactive.chart import panel_data
from boa_tools.report.interactive.packed import exact, quantised, whole
from boa_tools.report.interactive.panels import contact_forces, run_panels
from boa_tools.report.interactive.scene import (
    PATH_SPACING,
    map_data,
    robot_data,
    round_posts,
    scene_data,
)
from boa_tools.report.style import bin_times, binned, end_time
from boa_tools.runs.runlog import FloorForces, held_force

FRAME_RATE = 50.0  # of the film, 1/s, where that gives no more than
MOST_FRAMES = 4500
EVENTS = 2000  # that the film lists
MAPS = 200  # corrected maps that the page keeps


def film_ticks(time: Array) -> Integers:
    """Ticks of the frames of a film: evenly spaced in time, the first and the last tick among
    them.
    """
    if not time.size:
        return np.zeros(0, dtype=np.int64)
    span = float(time[-1] - time[0])
    count = int(np.clip(span * FRAME_RATE + 1, 2, MOST_FRAMES))
    instants = np.linspace(time[0], time[-1], count)
    return np.unique(np.clip(np.searchsorted(time, instants), 0, time.size - 1))


def film(analysis: Analysis) -> str:
    """The film as JSON, safe inside of a script element of a page."""
    return json.dumps(film_data(analysis), separators=(",", ":")).replace("<", "\\u003c")


def film_data(analysis: Analysis) -> dict[str, Any]:
    """The film as what JSON can hold; arrays are packed."""
    log, experiment = analysis.log, analysis.experiment
    ticks, start = film_ticks(log.time), log.stamp_ns[:1]
    events = sorted(
        [(event.stamp_ns, event.brief, False) for event in calmed(log.events)]
        + [(trip.stamp_ns, trip.brief, True) for trip in log.trips]
    )
    return {
        "name": experiment.scenario.name,
        "robot": robot_data(experiment.robot),
        "scene": _scene(analysis),
        "true": log.truth is not None,
        "settle": experiment.scenario.evaluation.settle,
        "end": end_time(log.time) if log.ticks > 1 else 0.0,
        "time": exact(log.time[ticks]),
        "pose": exact(poses(analysis)[ticks]),
        "torque": quantised(log.applied[ticks]),
        "jointForce": quantised(force_components(held_force(log)[ticks])),
        "contacts": _contacts(analysis, ticks),
        "estimates": _estimates(analysis, ticks),
        "panels": [panel_data(panel, log.time) for panel in run_panels(analysis)],
        "raster": _raster(analysis),
        "maps": _maps(analysis),
        "events": [
            [round(float((stamp - start[0]) * 1e-9), 4), text, trip]
            for stamp, text, trip in events[:EVENTS]
        ],
    }


def _scene(analysis: Analysis) -> dict[str, Any]:
    """The scene, with all paths of the run."""
    scene = scene_data(analysis.experiment)
    if analysis.legs:
        scene["path"] = exact(way(analysis.legs, PATH_SPACING))
    return scene


def poses(analysis: Analysis) -> Array:
    """Base as of `link_frames` and joint angles of every tick, (T, 3 + n_joints), in space (T, 7 +
    n_joints); on a robot its start with the measured heading and angles.
    """
    log, experiment = analysis.log, analysis.experiment
    if log.truth is not None:
        base = log.truth.base if log.truth.pose is None else log.truth.pose
        return np.column_stack((base, log.truth.joint_position))
    base = np.tile(start_pose(experiment.robot, experiment.start_base), (log.ticks, 1))
    return np.column_stack((base, log.position))


def _rows(tick: Integers, ticks: Integers) -> tuple[Integers, Integers]:
    """Rows of a table at the given ticks, and where each tick's begin among them (ticks + 1,)."""
    first, last = np.searchsorted(tick, ticks), np.searchsorted(tick, ticks + 1)
    starts = np.concatenate(([0], np.cumsum(last - first)))
    rows = np.concatenate(
        [np.arange(a, b) for a, b in zip(first, last, strict=True)] or [np.zeros(0, np.int64)]
    )
    return rows.astype(np.int64), starts.astype(np.int64)


def _contacts(analysis: Analysis, ticks: Integers) -> dict[str, Any] | None:
    """True contacts: link, obstacle, point, force, and the true centre of a round post."""
    table = analysis.log.true_contacts
    if analysis.log.floor is not None and ticks.size:
        return _floor_contacts(analysis, analysis.log.floor, ticks)
    if table is None:
        return None
    rows, starts = _rows(table.tick, ticks)
    normal, strength = table.normal[rows], table.normal_force[rows]
    across = np.column_stack((normal[:, 1], -normal[:, 0]))
    force = strength[:, None] * normal + table.tangential_force[rows, None] * across
    radius = _radius(analysis, table.obstacle[rows])
    centre = table.point[rows] - radius[:, None] * normal
    return {
        "start": exact(starts.astype(float)),
        "link": whole(table.link[rows]),
        "obstacle": whole(table.obstacle[rows]),
        "point": quantised(table.point[rows]),
        "force": quantised(force),
        "centre": quantised(centre),
    }


def _floor_contacts(analysis: Analysis, floor: FloorForces, ticks: Integers) -> dict[str, Any]:
    """The floor under each link, as contacts without a post."""
    load = floor_load(floor, ticks, analysis.experiment.robot.links)
    return {
        "start": exact(np.searchsorted(load.frame, np.arange(ticks.size + 1)).astype(float)),
        "link": whole(load.link),
        "obstacle": whole(np.full(load.link.shape, FLOOR)),
        "point": quantised(load.point),
        "force": quantised(load.force),
        "centre": quantised(np.full(load.point.shape, np.nan)),
    }


def _radius(analysis: Analysis, obstacle: Integers) -> Array:
    """Radius of the posts, m; NaN for what is no post of the map."""
    posts = round_posts(analysis.experiment.obstacles)
    known: Flags = (obstacle >= 0) & (obstacle < len(posts))
    radius = np.full(obstacle.shape, np.nan)
    radius[known] = posts[obstacle[known], 2]
    return radius


def _estimates(analysis: Analysis, ticks: Integers) -> dict[str, Any] | None:
    """Contacts as the controller believes them: where on the robot, force with its standard
    deviation, reference.
    """
    table = analysis.log.contacts
    if not table.tick.size:
        return None
    rows, starts = _rows(table.tick, ticks)
    return {
        "start": exact(starts.astype(float)),
        "link": whole(table.link[rows]),
        "obstacle": whole(table.obstacle[rows]),
        "side": whole(table.side[rows]),
        "offset": quantised(table.offset[rows]),
        "force": quantised(table.force[rows]),
        "std": quantised(table.force_std[rows]),
        "reference": quantised(table.reference[rows]),
    }


def _maps(analysis: Analysis) -> list[dict[str, Any]]:
    """The map as the robot has corrected it, and when, s."""
    log = analysis.log
    if not log.maps:
        return []
    stride = -(-len(log.maps) // MAPS)
    return [
        {
            "time": round((news.stamp_ns - int(log.stamp_ns[0])) * 1e-9, 4),
            **map_data(news.corrected),
        }
        for news in log.maps[::-1][::stride][::-1]  # the last one always
    ]


def _raster(analysis: Analysis) -> dict[str, Any] | None:
    """Force per post and time bin, with the time in which a contact was lost."""
    log, contacts = analysis.log, analysis.contacts
    force = contact_forces(analysis)
    used = np.flatnonzero(np.isfinite(force).any(axis=0))
    if not used.size or log.ticks < 2:
        return None
    lost = np.zeros((log.ticks, used.size))
    if contacts.force is not None:
        lost = (analysis.established[0][:, used] & ~(contacts.force[:, used] > 0)).astype(float)
    first = np.isfinite(force[:, used]).argmax(axis=0)
    order = np.argsort(first, kind="stable")
    mean = binned(force[:, used][:, order])
    return {
        "names": [contact_name(analysis, int(used[k])) for k in order],
        "time": exact(bin_times(log.time)),
        "force": quantised(mean),
        "lost": quantised(np.nan_to_num(binned(lost[:, order]))),
        "top": float(np.nanpercentile(mean, 99.5)),
    }
