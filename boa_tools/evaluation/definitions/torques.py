# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint torques, joint forces and energy."""

import numpy as np

from boa_control.plant import force_sizes
from boa_description.arrays import Array
from boa_description.scene import GRAVITY
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions.travel import progress
from boa_tools.evaluation.metric import further, metric, peak, rms
from boa_tools.runs.runlog import held_force, torque_lost

# share of the torque limit from which a joint counts as saturated (controllers keep 2 % back)
SATURATED = 0.975


def applied(run: Analysis) -> Array:
    """Torques that passed the gate, after the start-up, shape (T', n_joints), N m."""
    return run.log.applied[run.window]


def joint_forces(run: Analysis) -> Array:
    """Joint forces as the controller had them, after the start-up, shape (T', n_joints, 3), N."""
    return held_force(run.log)[run.window]


def work(run: Analysis) -> Array:
    """Work of every joint from tick to tick, shape (T - 1, n_joints), J."""
    return run.log.applied[:-1] * np.diff(run.log.joint_angles(), axis=0)


def delivered(run: Analysis) -> Array | None:
    """Torques that the gearboxes passed on, after the start-up, shape (T', n_joints), N m."""
    return None if run.log.truth is None else run.log.truth.delivered[run.window]


def lost(run: Analysis) -> Array | None:
    """Torques asked for and not passed on, after the start-up, shape (T', n_joints), N m."""
    return None if run.log.truth is None else torque_lost(run.log)[run.window]


@metric("torque_rms_nm", "torque, rms", "N m")
def torque_rms(run: Analysis) -> float | None:
    r"""Joint torques that passed the gate, over all joints.

    Rms of $\tau$ over all joints.
    """
    return rms(applied(run))


@metric("torque_peak_nm", "torque, largest", "N m")
def torque_peak(run: Analysis) -> float | None:
    r"""The largest torque of any joint.

    Largest $\lvert\tau\rvert$ of any joint.
    """
    return peak(applied(run))


@metric("joint_force_peak_n", "joint force, largest", "N")
def joint_force_peak(run: Analysis) -> float | None:
    """Largest component at any force sensor; a K3D40 carries 50 N.

    Largest single component at any force sensor, as the controller had it: the range of a K3D40
    holds for each component.
    """
    return peak(joint_forces(run))


@metric("saturated_fraction", "saturated", "%")
def saturated(run: Analysis) -> float | None:
    r"""Share of joint samples at the torque limit or reduced by the gate.

    Share of joint samples with $\lvert\tau\rvert$ at 97.5 % of the torque limit or more, or reduced
    by the gate.
    """
    torque, limit = applied(run), run.experiment.robot.limits.torque
    reduced = np.abs(torque) < np.abs(run.log.commanded[run.window]) - 1e-9
    cut = (np.abs(torque) >= SATURATED * limit) | reduced
    return float(cut.mean()) if cut.size else None


@metric("energy_j", "energy", "J")
def energy(run: Analysis) -> float | None:
    r"""Mechanical work that the joints put in; the work they receive is lost.

    $\sum_k \sum_i \max(\tau_{i,k}\,(\varphi_{i,k+1}-\varphi_{i,k}),\, 0)$, whole run: mechanical
    work put in by the joints; servos cannot store the work they receive.
    """
    return float(np.nansum(np.maximum(work(run), 0.0))) if run.log.ticks > 1 else None


@metric("cost_of_transport", "cost of transport")
def cost_of_transport(run: Analysis) -> float | None:
    r"""Energy per weight and distance.

    `energy_j` / ($m\,g\,$`path_progress_m`); `null` where the robot has not come forward.
    """
    travelled, spent = progress(run), energy(run)
    if travelled is None or spent is None or travelled <= 0:
        return None
    return float(spent / (run.experiment.robot.mass * GRAVITY * travelled))


@further("net_work_j", "net work", "J")
def net_work(run: Analysis) -> float | None:
    """Work of the joints, the work they receive subtracted.

    The sum of `energy_j` without the maximum.
    """
    return float(np.nansum(work(run))) if run.log.ticks > 1 else None


@further("delivered_rms_nm", "torque passed on, rms", "N m")
def delivered_rms(run: Analysis) -> float | None:
    """Torques that reached the links behind the gearboxes, over all joints.

    Rms over all joints of the torque that reached the links: the motor's less the friction of its
    gearbox and what accelerates its rotor. In simulation only, as the next four.
    """
    return rms(delivered(run))


@further("delivered_peak_nm", "torque passed on, largest", "N m")
def delivered_peak(run: Analysis) -> float | None:
    """The largest torque that reached the links at any joint."""
    return peak(delivered(run))


@further("torque_lost_rms_nm", "torque lost, rms", "N m")
def torque_lost_rms(run: Analysis) -> float | None:
    r"""Torques asked for and not passed on by the gearboxes, over all joints.

    Rms of $\tau$ minus the torque that reached the links under it, one tick later. Of a calibrated
    gearbox it has either sign: a joint that is driven back passes on more than its motor's current
    counts for.
    """
    return rms(lost(run))


@further("torque_lost_peak_nm", "torque lost, largest", "N m")
def torque_lost_peak(run: Analysis) -> float | None:
    """The largest torque that was asked for and not passed on, or passed on unasked."""
    return peak(lost(run))


@further("energy_delivered_j", "energy passed on", "J")
def work_delivered(run: Analysis) -> float | None:
    """Mechanical work that reached the links behind the gearboxes.

    As `energy_j`, of the torque that reached the links.
    """
    if run.log.truth is None or run.log.ticks < 2:
        return None
    passed = run.log.truth.delivered[1:] * np.diff(run.log.joint_angles(), axis=0)
    return float(np.maximum(passed, 0.0).sum())


@further("joint_force_norm_peak_n", "joint force vector, largest", "N")
def joint_force_norm_peak(run: Analysis) -> float | None:
    """Largest magnitude of the force vector at any joint."""
    return peak(force_sizes(joint_forces(run)))


@further("joint_speed_peak_rps", "joint speed, largest", "rad/s")
def joint_speed_peak(run: Analysis) -> float | None:
    """The largest speed of any joint."""
    return peak(run.log.joint_speeds()[run.window])
