# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint torques, joint forces and energy."""

import numpy as np

from boa_description.arrays import Array
from boa_description.scene import GRAVITY
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions.travel import progress
from boa_tools.evaluation.metric import Metric, further, peak, rms
from boa_tools.runs.runlog import held_force, torque_lost

# share of the torque limit from which a joint counts as saturated (controllers keep 2 % back)
SATURATED = 0.975


def applied(run: Analysis) -> Array:
    """Torques that passed the gate, after the start-up, shape (T', n_joints), N m."""
    return run.log.applied[run.window]


def joint_forces(run: Analysis) -> Array:
    """Joint forces as the controller had them, after the start-up, shape (T', n_joints, 3), N."""
    return held_force(run.log)[run.window]


def saturated(run: Analysis) -> float | None:
    """Share of joint samples near the torque limit or reduced by the gate."""
    torque, limit = applied(run), run.experiment.robot.limits.torque
    reduced = np.abs(torque) < np.abs(run.log.commanded[run.window]) - 1e-9
    cut = (np.abs(torque) >= SATURATED * limit) | reduced
    return float(cut.mean()) if cut.size else None


def work(run: Analysis) -> Array:
    """Work of every joint from tick to tick, shape (T - 1, n_joints), J."""
    return run.log.applied[:-1] * np.diff(run.log.joint_angles(), axis=0)


def energy(run: Analysis) -> float | None:
    """Work that the joints put in, J."""
    return float(np.nansum(np.maximum(work(run), 0.0))) if run.log.ticks > 1 else None


def net_work(run: Analysis) -> float | None:
    """Work of the joints, J."""
    return float(np.nansum(work(run))) if run.log.ticks > 1 else None


def cost_of_transport(run: Analysis) -> float | None:
    """E / (m g d); None where the robot has not come forward."""
    travelled, spent = progress(run), energy(run)
    if travelled is None or spent is None or travelled <= 0:
        return None
    return float(spent / (run.experiment.robot.mass * GRAVITY * travelled))


def delivered(run: Analysis) -> Array | None:
    """Torques that the gearboxes passed on, after the start-up, shape (T', n_joints), N m."""
    return None if run.log.truth is None else run.log.truth.delivered[run.window]


def lost(run: Analysis) -> Array | None:
    """Torques asked for and not passed on, after the start-up, shape (T', n_joints), N m."""
    return None if run.log.truth is None else torque_lost(run.log)[run.window]


def work_delivered(run: Analysis) -> float | None:
    """Work that the gearboxes passed on to the links, what they received left out, J."""
    if run.log.truth is None or run.log.ticks < 2:
        return None
    passed = run.log.truth.delivered[1:] * np.diff(run.log.joint_angles(), axis=0)
    return float(np.maximum(passed, 0.0).sum())


METRICS = (
    Metric(
        "torque_rms_nm",
        "torque, rms",
        1,
        "N m",
        "Joint torques that passed the gate, over all joints.",
        lambda run: rms(applied(run)),
        r"rms of $\tau$ over all joints",
    ),
    Metric(
        "torque_peak_nm",
        "torque, largest",
        1,
        "N m",
        "The largest torque of any joint.",
        lambda run: peak(applied(run)),
        r"largest $\lvert\tau\rvert$ of any joint",
    ),
    Metric(
        "joint_force_peak_n",
        "joint force, largest",
        1,
        "N",
        "Largest component at any force sensor; a K3D40 carries 50 N.",
        lambda run: peak(joint_forces(run)),
        "largest single component at any force sensor, as the controller had it: the range of a "
        "K3D40 holds for each component",
    ),
    Metric(
        "saturated_fraction",
        "saturated",
        100,
        "%",
        "Share of joint samples at the torque limit or reduced by the gate.",
        saturated,
        r"share of joint samples with $\lvert\tau\rvert$ at 97.5 % of the torque limit or more, or "
        "reduced by the gate",
    ),
    Metric(
        "energy_j",
        "energy",
        1,
        "J",
        "Mechanical work that the joints put in; the work they receive is lost.",
        energy,
        r"$\sum_k \sum_i \max(\tau_{i,k}\,(\varphi_{i,k+1}-\varphi_{i,k}),\, 0)$, whole run: "
        "mechanical work put in by the joints; servos cannot store the work they receive",
    ),
    Metric(
        "cost_of_transport",
        "cost of transport",
        1,
        "",
        "Energy per weight and distance.",
        cost_of_transport,
        r"`energy_j` / ($m\,g\,$`path_progress_m`); `null` where the robot has not come forward",
    ),
    further(
        "net_work_j",
        "net work",
        1,
        "J",
        "Work of the joints, the work they receive subtracted.",
        net_work,
        "the sum of `energy_j` without the maximum",
    ),
    further(
        "delivered_rms_nm",
        "torque passed on, rms",
        1,
        "N m",
        "Torques that reached the links behind the gearboxes, over all joints.",
        lambda run: rms(delivered(run)),
        "rms over all joints of the torque that reached the links: the motor's less the friction "
        "of its gearbox and what accelerates its rotor. In simulation only, as the next four",
    ),
    further(
        "delivered_peak_nm",
        "torque passed on, largest",
        1,
        "N m",
        "The largest torque that reached the links at any joint.",
        lambda run: peak(delivered(run)),
    ),
    further(
        "torque_lost_rms_nm",
        "torque lost, rms",
        1,
        "N m",
        "Torques asked for and not passed on by the gearboxes, over all joints.",
        lambda run: rms(lost(run)),
        r"rms of $\tau$ minus the torque that reached the links under it, one tick later. Of a "
        "calibrated gearbox it has either sign: a joint that is driven back passes on more than "
        "its motor's current counts for",
    ),
    further(
        "torque_lost_peak_nm",
        "torque lost, largest",
        1,
        "N m",
        "The largest torque that was asked for and not passed on, or passed on unasked.",
        lambda run: peak(lost(run)),
    ),
    further(
        "energy_delivered_j",
        "energy passed on",
        1,
        "J",
        "Mechanical work that reached the links behind the gearboxes.",
        work_delivered,
        "as `energy_j`, of the torque that reached the links",
    ),
    further(
        "joint_force_norm_peak_n",
        "joint force vector, largest",
        1,
        "N",
        "Largest magnitude of the force vector at any joint.",
        lambda run: peak(np.linalg.norm(joint_forces(run), axis=-1)),
    ),
    further(
        "joint_speed_peak_rps",
        "joint speed, largest",
        1,
        "rad/s",
        "The largest speed of any joint.",
        lambda run: peak(run.log.joint_speeds()[run.window]),
    ),
)
