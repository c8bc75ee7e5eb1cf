# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a chain feels that moves along its path, with friction in joints, at the posts and on the
floor.

Second implementation: forces of the posts and torques that carry the motion are solved for here,
with the floor of the simulation and contact rows from geometry, and joint forces are the balance of
all links beyond each joint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from scipy.optimize import linprog

from boa_control.controllers.hoal.law.friction_compensation import FrictionCompensation
from boa_control.controllers.hoal.law.transmission import PassedOnTorques
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.estimation.link_forces import measured_loads
from boa_control.estimation.progress import Progress
from boa_control.estimation.sideways_balance import measured_forces
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.reference import ReferenceTable
from boa_control.optimisation import contact_qp as qp
from boa_control.optimisation.compiled_solver import CompiledSolver
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.floor import ground_force
from boa_description.scene import GroundFriction
from test.boa_control.conftest import gap_rows, sliding_rows
from test.boa_control.controllers.hoal.ticks import tick

Array = np.ndarray

EXPERIMENT = prepare(load_scenario("boa_circle"))
BOA, PATH = EXPERIMENT.robot, EXPERIMENT.path
assert PATH is not None
CHAIN = PlanarChain(BOA)
TABLE = ReferenceTable(PATH.curve, BOA.links, BOA.link.pitch)
SCHEDULE = ContactSchedule(PATH, TABLE, BOA.link.radius, ramp=0.03)

SPEED = 0.2  # m/s, so that inertia counts
POST_FRICTION = 0.1
FLOORS = [
    GroundFriction(model="coulomb", mu=0.05),
    GroundFriction(model="anisotropic", mu=0.03, mu_normal=0.08),
    GroundFriction(model="viscous", viscous=3.0),
]


@dataclass(frozen=True)
class Loads:
    """On the way at one place.

    Attributes:
        state, contacts: there.
        contact_force: normal forces, shape (nc,), N.
        bias: generalised forces of inertia less the floor's, shape (n + 2,).
        torque: that joints pass on, and what turns the rotors, shape (n - 1,), N m.
        joint_force: of link i + 1 on link i in the world, shape (n - 1, 2), N.
        acceleration: of the link centres in link frames, shape (n, 2), m/s2.
    """

    state: PathState
    contacts: ContactSet
    contact_force: Array
    bias: Array
    torque: Array
    joint_force: Array
    acceleration: Array

    def frame(self, stamp_ns: int, effort: Array, imu: bool) -> SensorFrame:
        theta = np.cumsum(self.state.q[2:])[1:]  # of the links that carry the sensors
        x, y = self.joint_force.T
        sensed = np.stack(
            [x * np.cos(theta) + y * np.sin(theta), y * np.cos(theta) - x * np.sin(theta)], axis=1
        )
        still = np.zeros(BOA.links)
        return SensorFrame(
            stamp_ns=stamp_ns,
            position=self.state.q[3:].copy(),
            velocity=SPEED * self.state.dq[3:],
            effort=effort,
            joint_force=ForceSample(stamp_ns, np.column_stack([sensed, np.zeros(BOA.joints)])),
            imu=ImuSample.planar(stamp_ns, still, still, self.acceleration) if imu else None,
            temperature=np.full(BOA.joints, 25.0),
            joint_age=np.zeros(BOA.joints),
        )


def loads(model: PathModel, s: float, floor: GroundFriction, post_friction: float) -> Loads:
    """With the least contact forces from 8 N on that carry the motion."""
    state = model.at(s)
    contacts = SCHEDULE.at(state)
    q, qd, qdd = state.q, SPEED * state.dq, SPEED**2 * state.ddq
    posture = CHAIN.posture(q)
    mass = np.full(BOA.links, BOA.link.mass)
    drag = ground_force(floor, mass, CHAIN.centre_velocities(posture, qd), posture.theta)
    gap = gap_rows(CHAIN, posture, contacts.link, contacts.offset, contacts.side)
    push = gap - post_friction * sliding_rows(CHAIN, posture, contacts.link, contacts.side)
    bias = (
        CHAIN.mass_matrix(posture) @ qdd
        + CHAIN.bias(posture, qd)
        - CHAIN.centre_forces(posture, drag)
    )
    found = linprog(
        np.ones(contacts.link.size), A_eq=push[:, :3].T, b_eq=bias[:3], bounds=(8.0, None)
    )
    assert found.status == 0, found.message
    force = found.x
    theta = posture.theta[contacts.link]
    along = np.stack([np.cos(theta), np.sin(theta)], 1)
    left = np.stack([-np.sin(theta), np.cos(theta)], 1)
    outer = drag.copy()
    np.add.at(
        outer,
        contacts.link,
        force[:, None] * (-contacts.side[:, None] * left - post_friction * along),
    )
    step = 1e-3  # s
    before, now, after = (middles(q + t * qd + 0.5 * t**2 * qdd) for t in (-step, 0.0, step))
    world = (before - 2 * now + after) / step**2
    needed = mass[:, None] * world - outer  # of the neighbours on each link
    np.testing.assert_allclose(needed.sum(axis=0), 0.0, atol=0.02)
    u, n = np.stack([posture.cos, posture.sin], 1), np.stack([-posture.sin, posture.cos], 1)
    return Loads(
        state,
        contacts,
        force,
        bias,
        bias[3:] - push[:, 3:].T @ force,
        np.cumsum(needed, axis=0)[:-1],
        np.stack([np.sum(world * u, axis=1), np.sum(world * n, axis=1)], axis=1),
    )


def middles(q: Array) -> Array:
    axes = CHAIN.joint_axes(q, CHAIN.posture(q))
    return 0.5 * (axes[1:] + axes[:-1])


def coefficient(floor: GroundFriction) -> float:
    """What multiplies the pattern of the floor in the path model at SPEED."""
    return floor.viscous * SPEED if floor.model == "viscous" else floor.mu


@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: str(floor.model))
def test_forces_on_the_way_are_those_of_the_simulated_floor(floor: GroundFriction) -> None:
    model = PathModel(CHAIN, TABLE, floor)
    for s in (0.11, 0.437, 1.23):
        truth = loads(model, s, floor, POST_FRICTION)
        state, contacts, ground = truth.state, truth.contacts, coefficient(floor)
        np.testing.assert_allclose(state.bias(SPEED, ground), truth.bias, atol=2e-3)
        gap, push = contacts.rows(CHAIN, state, POST_FRICTION)
        bias = state.joint_force_bias(SPEED, ground)
        nothing = np.zeros(BOA.joints)
        problem = qp.Problem(
            mass=state.mass,
            bias=state.bias(SPEED, ground),
            gap=gap,
            push=push,
            slip=None,
            redundant=None,
            target=nothing,
            along=state.dq[3:],
            desired=truth.contact_force,
            floor=truth.contact_force,
            torque_bounds=np.stack([nothing - 100.0, nothing + 100.0]),
            joint_forces=qp.JointForces(contacts.link, state.momentum, bias, 1e6),
        )
        solved = CompiledSolver(qp.Weights()).solve(problem)
        assert solved.joint_force is not None
        np.testing.assert_allclose(solved.joint_force, truth.joint_force, atol=0.02)
        np.testing.assert_allclose(solved.lam, truth.contact_force, atol=1e-3)
        np.testing.assert_allclose(solved.torque, truth.torque, atol=2e-3)


@pytest.mark.parametrize("imu", [True, False])
@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: str(floor.model))
def test_contacts_are_felt_through_inertia_and_floor(floor: GroundFriction, imu: bool) -> None:
    """At a joint the neighbour is detected too, which lies in a bend and has both, unlike the link
    at a post.
    """
    model = PathModel(CHAIN, TABLE, floor)
    for s in np.linspace(0.1, 0.8, 10):
        truth = loads(model, float(s), floor, POST_FRICTION)
        frame = truth.frame(0, np.zeros(BOA.joints), imu)
        sideways = truth.state.sideways(SPEED, coefficient(floor))
        found = measured_forces(frame, truth.contacts, CHAIN, sideways)
        assert found is not None
        np.testing.assert_allclose(found, truth.contact_force, atol=1e-3)


@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: str(floor.model))
def test_torques_of_joints_and_friction_of_the_floor_are_told_from_that_of_the_posts(
    floor: GroundFriction,
) -> None:
    """Exact sensors, posts that rub, gearboxes that take what they like: what the joints pass on is
    what there is, and so is the floor.
    """
    told = replace(
        briefing(EXPERIMENT), ground=doubled(floor), contact_friction=POST_FRICTION, period=0.04
    )
    model, passed_on = PathModel(CHAIN, TABLE, floor), PassedOnTorques(BOA, POST_FRICTION)
    friction = FrictionCompensation(told, Parameters())
    effort = np.random.default_rng(0).uniform(-5.0, 5.0, BOA.joints)
    for number in range(100):
        truth = loads(model, 0.5 + 0.0171 * number, floor, POST_FRICTION)
        frame = truth.frame(number, effort, imu=False)
        on_way = Progress(truth.state.s, SPEED, 0.0, np.zeros(BOA.joints))
        friction.observe(tick(truth.state, frame, progress=on_way), 1)
        sideways = truth.state.sideways(SPEED, coefficient(floor))
        outside, moment = measured_loads(frame, CHAIN, sideways)
        found = passed_on(outside.across, moment, truth.contacts, SPEED)
        # `spin` is linear: of accelerations it is the rate that it has of velocities
        turning = SPEED**2 * np.cumsum(truth.state.ddq[2:])
        imu = cast(ImuSample, SimpleNamespace(yaw_rate=turning))
        turned = passed_on.spin(SPEED**2 * truth.state.ddq[3:], imu)
        np.testing.assert_allclose(found + turned, truth.torque, atol=0.015)
    assert friction.ground == pytest.approx(
        floor.viscous if floor.model == "viscous" else floor.mu, rel=0.02
    )


def doubled(floor: GroundFriction) -> GroundFriction:
    return floor.model_copy(
        update={name: 2 * getattr(floor, name) for name in ("mu", "mu_normal", "viscous")}
    )
