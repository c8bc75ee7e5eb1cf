# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed form of the robot in a duct against MuJoCo, conservation laws and the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from boa_description.arrays import Array
from boa_sim.duct import kernel
from boa_sim.duct.model import NARROW, PRINTED, RESOLVED, WIDE, DuctGait, DuctModel
from boa_sim.duct.run import constants, contact_points, drive


def mujoco_chain(model: DuctModel, step: float = 0.001) -> mujoco.MjModel:
    """The rods in MuJoCo, in the plane, with neither floor nor walls."""
    pitch, half = 2 * model.half_length, model.half_length
    inertia = f"{model.inertia} {model.inertia} {model.inertia}"
    slides = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
    chain = ""
    for i in reversed(range(model.links)):
        chain = (
            f'<body name="rod{i}" pos="{pitch if i else 0} 0 0">{"" if i else slides}'
            f'<joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{half} 0 0" mass="{model.link_mass}" diaginertia="{inertia}"/>'
            f"{chain}</body>"
        )
    option = f'<option timestep="{step}" gravity="0 0 0"/>'
    return mujoco.MjModel.from_xml_string(
        f"<mujoco>{option}<worldbody>{chain}</worldbody></mujoco>"
    )


def place(
    model: DuctModel, chain: mujoco.MjModel, theta: Array, rate: Array, velocity: Array
) -> mujoco.MjData:
    """The chain with these headings and rates and this velocity of the centre of mass."""
    data = mujoco.MjData(chain)
    n = theta.size
    data.qpos[2:] = np.diff(theta, prepend=0.0)
    data.qvel[2:] = np.diff(rate, prepend=0.0)
    lever = model.half_length * (2 * np.arange(n, 0, -1) - 1) / n  # of the mean centre
    normal = np.stack((-np.sin(theta), np.cos(theta)))
    data.qvel[:2] = velocity - normal @ (lever * rate)
    mujoco.mj_forward(chain, data)
    return data


@pytest.mark.parametrize("seed", range(4))
def test_free_accelerations_equal_mujocos(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = replace(RESOLVED, inertia=rng.uniform(1, 4) * 1e-4)
    n = model.links
    theta, rate = rng.normal(0, 1, n), rng.normal(0, 2, n)
    velocity, torque = rng.normal(0, 1, 2), rng.normal(0, 0.3, n - 1)
    chain = mujoco_chain(model)
    data = place(model, chain, theta, rate, velocity)
    data.qfrc_applied[3:] = torque
    mujoco.mj_forward(chain, data)

    v = np.concatenate((rate, velocity))
    M, N = kernel.chain(constants(model), np.cos(theta), np.sin(theta), v)
    force = -N
    force[: n - 1] -= torque
    force[1:n] += torque
    expected = np.cumsum(data.qacc[2:])
    np.testing.assert_allclose(np.linalg.solve(M, force)[:n], expected, rtol=1e-9, atol=1e-8)


def test_linearisation_makes_the_joints_accelerate_as_demanded() -> None:
    rng = np.random.default_rng(7)
    model, gait = constants(PRINTED), kernel.Drive(0.9, 0.8, 1.3, 100.0, 25.0)
    n = PRINTED.links
    q, v = rng.normal(0, 0.5, n + 2), rng.normal(0, 0.5, n + 2)
    M, N = kernel.chain(model, np.cos(q[:n]), np.sin(q[:n]), v)
    _, floor = kernel.floor_friction(model, np.cos(q[:n]), np.sin(q[:n]), v)
    torque = kernel.joint_torques(gait, 0.3, q, v, M, N - floor)
    force = floor - N
    force[: n - 1] -= torque
    force[1:n] += torque
    joint = np.diff(np.linalg.solve(M, force)[:n])
    phase = 1.3 * 0.3 - 0.8 * np.arange(n - 1)
    demand = (
        -(1.3**2) * 0.9 * np.sin(phase)
        + 25.0 * (1.3 * 0.9 * np.cos(phase) - np.diff(v[:n]))
        + 100.0 * (0.9 * np.sin(phase) - np.diff(q[:n]))
    )
    np.testing.assert_allclose(joint, demand, rtol=1e-9, atol=1e-9)


def test_solve_equals_lapack() -> None:
    rng = np.random.default_rng(3)
    root = rng.normal(size=(12, 12))
    A, b = root @ root.T + np.eye(12), rng.normal(size=12)
    np.testing.assert_allclose(kernel.solve(np.tril(A), b), np.linalg.solve(A, b), rtol=1e-9)


@pytest.mark.parametrize(
    ("depth", "rate", "force"), [(0.01, 0.0, 5.0), (0.01, 0.1, 2.5), (-0.01, 0, 0)]
)
def test_a_wall_is_a_spring_with_a_damper(depth: float, rate: float, force: float) -> None:
    """10 mm at 500 N/m, and never a pull: eq. 20, `rate` away from the wall."""
    model = constants(replace(RESOLVED, wall_coulomb=0.0, wall_viscous=0.0))
    n = RESOLVED.links
    q, v = np.zeros(n + 2), np.zeros(n + 2)
    q[n + 1], v[n + 1] = WIDE + depth, -rate
    pressed, drag = np.zeros(n + 2), np.zeros((n + 2, n + 2))
    largest = kernel.walls(model, WIDE, np.ones(n), np.zeros(n), q, v, pressed, drag)
    assert largest == pytest.approx(force)
    assert pressed[n + 1] == pytest.approx(-(n + 1) * force)  # all contact points


def test_without_walls_it_stays_where_it_is() -> None:
    """A viscous floor that is alike in all directions propels no gait."""
    run = drive(RESOLVED, math.inf, DuctGait())
    assert run.end == "ran"
    assert abs(run.distance) < 1e-12
    assert run.force_peak == 0.0


def test_forces_and_headings_end_a_run() -> None:
    """Section 6.2: a high kd ends in a stop, by the force or the heading."""
    hard = drive(RESOLVED, WIDE, DuctGait(damping=1000.0))
    turned = drive(RESOLVED, WIDE, DuctGait(damping=500.0))
    assert (hard.end, turned.end) == ("force", "heading")
    assert hard.far == hard.thrifty == 0.0
    assert hard.force_peak > RESOLVED.force_limit
    assert np.abs(turned.headings).max() <= RESOLVED.heading_limit


def test_a_run_without_numbers_is_no_result() -> None:
    lost = drive(RESOLVED, WIDE, DuctGait(amplitude=3.0, damping=1e308))
    assert lost.end != "ran" and lost.far == 0.0
    assert np.isfinite(lost.headings).all() and np.isfinite(lost.centre).all()


def test_slow_gaits_are_thriftier() -> None:
    """Section 6.3: thrift wants a low frequency; a = 1, delta = 1.2."""
    gait = DuctGait(delay=1.2)
    thrift = [drive(RESOLVED, WIDE, replace(gait, frequency=w)).thrifty for w in (0.6, 1.26, 5.0)]
    assert thrift == sorted(thrift, reverse=True)
    assert thrift[0] > 3 * thrift[2]


def test_low_gains_are_thriftier() -> None:
    """Section 6.2, distance per energy with a = delta = 1."""
    low = drive(RESOLVED, WIDE, DuctGait(stiffness=10.0, damping=10.0))
    assert low.thrifty > 2 * drive(RESOLVED, WIDE, DuctGait()).thrifty


@pytest.mark.parametrize(
    ("half_width", "gait"),
    [(WIDE, DuctGait(amplitude=0.6, delay=0.9)), (NARROW, DuctGait(amplitude=1.2, delay=1.2))],
    ids=["wide", "narrow"],
)
def test_a_smaller_step_changes_little(half_width: float, gait: DuctGait) -> None:
    rough = drive(RESOLVED, half_width, gait)
    fine = drive(RESOLVED, half_width, gait, step=0.0002)
    assert rough.force_peak > 1.0
    assert fine.energy == pytest.approx(rough.energy, rel=0.01)
    assert fine.distance == pytest.approx(rough.distance, rel=0.03)


def test_the_body_stays_in_the_duct_and_in_one_piece() -> None:
    run = drive(RESOLVED, NARROW, DuctGait(amplitude=1.2, delay=1.2))
    points = contact_points(RESOLVED, run)
    assert np.abs(points[..., 1]).max() < NARROW + RESOLVED.force_limit / RESOLVED.wall_stiffness
    lengths = np.linalg.norm(np.diff(points, axis=1), axis=-1)
    np.testing.assert_allclose(lengths, 2 * RESOLVED.half_length)
    assert run.centre[-1, 0] == run.distance > 0.2


def test_the_narrow_duct_is_faster() -> None:
    """Section 6.1: a gait of the narrow duct, a longitudinal wave, goes further than the best that
    31 x 31 gaits of the wide one reach (docs/duct.md).
    """
    run = drive(RESOLVED, NARROW, DuctGait(amplitude=2.7922, delay=3.00159))
    assert run.far > 1.8


def press_walls(
    model: DuctModel,
    half_width: float,
    chain: mujoco.MjModel,
    data: mujoco.MjData,
    rods: Sequence[int],
) -> None:
    """Add the forces of the walls on tail, joints and head, eqs. 20 to 22, to qfrc_applied.

    Args:
        rods: the bodies, from tail to head.
    """
    mujoco.mj_kinematics(chain, data)
    mujoco.mj_comPos(chain, data)
    jacobian = np.zeros((3, chain.nv))
    for k in range(model.links + 1):
        body = rods[min(k, model.links - 1)]
        point = data.xpos[body].copy()
        if k == model.links:
            point += 2 * model.half_length * data.xmat[body].reshape(3, 3)[:, 0]
        depth = abs(point[1]) - half_width
        if depth <= 0:
            continue
        mujoco.mj_jac(chain, data, jacobian, None, point, body)
        along, across, _ = jacobian @ data.qvel
        off = -np.sign(point[1])
        normal = max(model.wall_stiffness * depth - model.wall_damping * off * across, 0.0)
        rubbing = model.wall_coulomb * normal / max(abs(along), model.slip_speed)
        force = np.array([-(rubbing + model.wall_viscous) * along, off * normal, 0.0])
        data.qfrc_applied += jacobian.T @ force


def mujoco_drive(
    model: DuctModel, half_width: float, gait: kernel.Drive, duration: float, step: float
) -> tuple[float, mujoco.MjData]:
    """The gait from rest in MuJoCo, under the law of the closed form: energy, J, and the end."""
    chain = mujoco_chain(model, step)
    n, names = model.links, constants(model)
    data = place(model, chain, np.zeros(n), np.zeros(n), np.zeros(2))
    lever = model.half_length * (2 * np.arange(n, 0, -1) - 1) / n
    data.qpos[0] = -lever.sum()  # centre of mass at the origin
    mujoco.mj_forward(chain, data)
    rods = [chain.body(f"rod{i}").id for i in range(n)]
    energy, velocity = 0.0, np.zeros(6)
    for k in range(round(duration / step)):
        theta = np.cumsum(data.qpos[2:])
        cos, sin = np.cos(theta), np.sin(theta)
        rate = np.cumsum(data.qvel[2:])
        centre = data.qvel[:2] + np.stack((-sin, cos)) @ (lever * rate)
        v = np.concatenate((rate, centre))
        M, N = kernel.chain(names, cos, sin, v)
        _, floor = kernel.floor_friction(names, cos, sin, v)
        torque = kernel.joint_torques(
            gait, k * step, np.concatenate((theta, [0, 0])), v, M, N - floor
        )
        energy += step * kernel.power(names, torque, v)
        data.qfrc_applied[:] = 0.0
        data.qfrc_applied[3:] = torque
        if math.isfinite(half_width):
            press_walls(model, half_width, chain, data, rods)
        for body in rods:
            mujoco.mj_objectVelocity(chain, data, mujoco.mjtObj.mjOBJ_BODY, body, velocity, 0)
            data.xfrc_applied[body, :3] = -model.floor_viscous * velocity[3:]
        mujoco.mj_step(chain, data)
    mujoco.mj_kinematics(chain, data)
    return energy, data


def centre_of_rods(data: mujoco.MjData) -> Array:
    """Centre of mass, shape (2,), m."""
    centre: Array = data.xipos[1:, :2].mean(axis=0)
    return centre


@pytest.mark.closed_loop
def test_mujoco_moves_alike_without_walls() -> None:
    """One second of the gait on the floor, the same law in both: energy within 0.2 %."""
    model, duration, step = replace(RESOLVED, heading_limit=math.inf), 1.0, 0.0002
    gait = kernel.Drive(1.0, 1.0, 0.4 * math.pi, 100.0, 25.0)
    energy, data = mujoco_drive(model, math.inf, gait, duration, step)
    run = drive(model, math.inf, DuctGait(), duration, step)
    assert energy == pytest.approx(run.energy, rel=0.002)
    np.testing.assert_allclose(np.cumsum(data.qpos[2:]), run.headings[-1], atol=2e-3)


@pytest.mark.closed_loop
def test_mujoco_moves_alike_between_walls() -> None:
    """A period of a gait of the narrow duct with slight contact (2 N), the walls written apart:
    energy within 0.2 %, distance within 1 %. Friction that is explicit in MuJoCo needs a slip speed
    of 0.05 m/s in both.
    """
    model, duration, step = replace(RESOLVED, slip_speed=0.05), 5.0, 0.0004
    gait = DuctGait(amplitude=1.9, delay=2.72)
    frequency = 0.4 * math.pi
    energy, data = mujoco_drive(
        model, NARROW, kernel.Drive(1.9, 2.72, frequency, 100.0, 25.0), duration, step
    )
    run = drive(model, NARROW, gait, duration, step)
    assert run.end == "ran" and run.force_peak > 0.5 and run.distance > 0.1
    assert energy == pytest.approx(run.energy, rel=0.002)
    assert centre_of_rods(data)[0] == pytest.approx(run.distance, rel=0.01)
