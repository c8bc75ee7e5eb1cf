# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The charts of a run: the numbers of the static plots, whole and contact by contact."""

import numpy as np

from boa_description.arrays import Array
from boa_description.scene import GRAVITY
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions.space import centre, start_direction, tilts
from boa_tools.report.forces import DESIRED_FORCE, contact_name, series_colours
from boa_tools.report.interactive.chart import Line, Panel
from boa_tools.report.joints import SHOWN, shape_reference
from boa_tools.report.plot import mean_of_known, root_mean_square
from boa_tools.report.style import REFERENCE, SECOND, TRUE
from boa_tools.report.travel import speed
from boa_tools.runs.runlog import held_force, torque_lost

PALE = "#8fa8bd"
LEAST_ANGLE = 2.0  # deg, of an axis of joint angles


def run_panels(analysis: Analysis) -> list[Panel]:
    """All charts that this run has numbers for, in the order of the report."""
    return [
        *_forces(analysis),
        *_errors(analysis),
        *_progress(analysis),
        *_space(analysis),
        *_torques(analysis),
        *_joints(analysis),
    ]


def contact_forces(analysis: Analysis) -> Array:
    """Contact forces to show, (T, K), N, NaN where there is no contact: true ones where known,
    else the estimated ones.
    """
    contacts = analysis.contacts
    if contacts.force is not None:
        return np.where(contacts.force > 0, contacts.force, np.nan)
    return np.where(contacts.established, contacts.estimate, np.nan)


def _band(label: str, values: Array) -> list[Line]:
    """The range over all columns."""
    return [
        Line(f"{label}, largest", np.fmax.reduce(values, axis=1), PALE, 0.8, band=True),
        Line("smallest", np.fmin.reduce(values, axis=1), PALE, 0.8),
    ]


def _forces(analysis: Analysis) -> list[Panel]:
    force, time = contact_forces(analysis), analysis.log.time
    used = np.flatnonzero(np.isfinite(force).any(axis=0))
    if not used.size:
        return []
    established = analysis.established[0]
    held = np.where(established, force, np.nan)
    reference = np.where(established, analysis.reference, np.nan)
    whole = [
        *_band("all contacts", held),
        Line("mean", mean_of_known(held), TRUE),
        Line("mean reference", mean_of_known(reference), REFERENCE, dashed=True),
    ]
    desired = analysis.log.debug.get(DESIRED_FORCE)
    if desired is not None and desired.shape == time.shape:
        whole.append(Line("desired of each", desired, SECOND, 1.0, dashed=True))
    colours = series_colours(np.isfinite(force[:, used]))
    each = [
        Line(contact_name(analysis, int(column)), force[:, column], colour)
        for column, colour in zip(used, colours, strict=True)
    ]
    return [
        Panel("forces", "force (N)", whole, from_zero=True),
        Panel("forces", "force of each contact (N)", each, from_zero=True),
    ]


def _errors(analysis: Analysis) -> list[Panel]:
    motion, error = analysis.motion, analysis.config_error
    if motion is None or error is None:
        return []
    degrees = np.degrees(error)
    rms = root_mean_square(degrees)
    head = [Line("head, left of the path positive", 1e3 * motion.head.offset, TRUE)]
    return [
        Panel("errors", "head error (mm)", head, [(0.0, "")]),
        Panel(
            "errors",
            "shape error (deg)",
            [*_band("all joints", degrees), Line("rms over the joints", rms, SECOND)],
        ),
    ]


def _progress(analysis: Analysis) -> list[Panel]:
    s, log = analysis.progress, analysis.log
    if s is None or log.ticks < 3:
        return []
    true = analysis.motion is not None
    above = [Line("true" if true else "as estimated", s - s[0], TRUE)]
    believed = log.debug.get("progress_m")
    if true and believed is not None:
        above.append(Line("as the controller believes", believed - s[0], SECOND, dashed=True))
    below = [Line("speed", 1e3 * speed(log.time, s), TRUE)]
    reference = log.debug.get("speed_reference_mps")
    if reference is not None:
        below.append(Line("reference", 1e3 * reference, REFERENCE, dashed=True))
    return [Panel("progress", "progress (m)", above), Panel("progress", "speed (mm/s)", below)]


def _space(analysis: Analysis) -> list[Panel]:
    """Of a robot that leaves the plane: its way, its tilt, the load of the floor."""
    place, tilt = centre(analysis), tilts(analysis)
    if place is None or tilt is None:
        return []
    log, floor = analysis.log, analysis.log.floor
    way = (place - place[0])[:, :2] @ start_direction(analysis)
    panels = [
        Panel("side_view", "distance (m)", [Line("centre of mass", way, TRUE)]),
        Panel(
            "side_view",
            "tilt (deg)",
            [Line("largest of any link", np.degrees(tilt), TRUE)],
            from_zero=True,
        ),
    ]
    if floor is not None:
        load = np.zeros(log.ticks)
        np.add.at(load, floor.tick, floor.force[:, 2])
        weight = GRAVITY * analysis.experiment.robot.mass
        panels.append(
            Panel(
                "side_view",
                "force of the floor (N)",
                [Line("vertical, all links", load, TRUE)],
                [(weight, "weight")],
                from_zero=True,
            )
        )
    return panels


def _torques(analysis: Analysis) -> list[Panel]:
    log, limits = analysis.log, analysis.experiment.robot.limits
    if not log.ticks or not np.isfinite(log.applied).any():
        return []
    rms = root_mean_square(log.applied)
    torque = [*_band("all joints", log.applied), Line("rms over the joints", rms, SECOND)]
    largest = np.fmax.reduce(np.abs(held_force(log)).reshape(log.ticks, -1), axis=1)
    panels = [Panel("torques", "torque (N m)", torque)]
    lost = torque_lost(log)
    if np.isfinite(lost).any():
        mean = Line("rms over the joints", root_mean_square(lost), SECOND)
        panels.append(
            Panel("torques", "lost in gearboxes (N m)", [*_band("all joints", lost), mean])
        )
    if analysis.experiment.robot.planar and np.isfinite(largest).any():
        force = [Line("largest component of any joint", largest, TRUE)]
        limit = [(limits.joint_force_fault, "limit of the gate")]
        panels.append(Panel("torques", "joint force (N)", force, limit, from_zero=True))
    return panels


def _joints(analysis: Analysis) -> list[Panel]:
    log, reference = analysis.log, shape_reference(analysis)
    if log.ticks < 2:
        return []
    panels = []
    for joint in np.unique(np.linspace(0, log.joints - 1, min(SHOWN, log.joints)).round()):
        j = int(joint)
        lines = [Line("measured", np.degrees(log.position[:, j]), TRUE)]
        if reference is not None:
            pale = Line("reference", np.degrees(reference[:, j]), PALE, 4.0)
            lines.insert(0, pale)
        panels.append(Panel("joints", f"joint {j + 1} (deg)", lines, least=LEAST_ANGLE))
    return panels
