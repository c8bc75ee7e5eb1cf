# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo model: what is in it, that nothing else is, and that contacts act as asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_description import frames
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.mjcf import build_spec
from boa_description.scene import Box, Circle, ContactModel, Wall


def compiled(robot: Any, *args: Any, **kwargs: Any) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = build_spec(robot, *args, **kwargs).compile()
    return model, mujoco.MjData(model)


def random_state(seed: int, data: mujoco.MjData, bend: float = 0.5, speed: float = 1.0) -> None:
    rng = np.random.default_rng(seed)
    data.qpos[:3] = rng.normal(size=3)
    data.qpos[3:] = rng.uniform(-bend, bend, data.qpos.size - 3)
    data.qvel[:] = speed * rng.normal(size=data.qvel.size)


@given(links=st.integers(2, 100))
@settings(max_examples=12)
def test_any_number_of_links_has_its_coordinates_and_motors(links: int) -> None:
    robot = load_robot("boa13", links=links)
    model, _ = compiled(robot)
    names = [model.joint(i).name for i in range(model.njnt)]
    assert names == [*frames.BASE_JOINTS, *robot.joint_names]
    assert [model.actuator(i).name for i in range(model.nu)] == [
        frames.motor(joint) for joint in robot.joint_names
    ]
    assert model.body_mass.sum() == pytest.approx(robot.mass)
    assert (model.nq, model.nv, model.na) == (links + 2, links + 2, 0)


def test_control_is_joint_torque_and_nothing_else_acts() -> None:
    """No leftover actuator: generalised actuator force equals the control at any position and
    velocity.
    """
    robot = load_robot("boa13")
    model, data = compiled(robot)
    random_state(1, data)
    torque = np.linspace(-5, 5, robot.joints)
    data.ctrl[:] = torque
    mujoco.mj_forward(model, data)
    np.testing.assert_array_equal(data.qfrc_actuator, np.concatenate([np.zeros(3), torque]))
    np.testing.assert_array_equal(data.qfrc_passive[:3], 0)
    np.testing.assert_allclose(
        data.qfrc_passive[3:], -robot.actuator.damping * data.qvel[3:], rtol=1e-12
    )


def test_motors_stop_at_stall_torque() -> None:
    robot = load_robot("boa13")
    model, data = compiled(robot)
    data.ctrl[:] = 100.0
    mujoco.mj_forward(model, data)
    np.testing.assert_array_equal(data.qfrc_actuator[3:], robot.actuator.torque_limit)


@pytest.mark.parametrize("name", ["boa3", "boa13", "boa20"])
def test_no_input_no_motion(name: str) -> None:
    model, data = compiled(load_robot(name))
    random_state(2, data, bend=1.0, speed=0.0)
    start = data.qpos.copy()
    for _ in range(500):
        mujoco.mj_step(model, data)
    np.testing.assert_array_equal(data.qvel, 0.0)
    np.testing.assert_array_equal(data.qpos, start)


def test_links_do_not_touch_each_other() -> None:
    model, data = compiled(load_robot("boa13", override={"joint": {"lower": -3.1, "upper": 3.1}}))
    data.qpos[3:] = 3.0  # rolled up, every link through every other
    mujoco.mj_forward(model, data)
    assert data.ncon == 0


def test_joint_ranges_hold() -> None:
    robot = load_robot("boa3")
    model, data = compiled(robot)
    data.ctrl[:] = 5.0
    for _ in range(4000):
        mujoco.mj_step(model, data)
    assert np.all(data.qpos[3:] < robot.joint.upper + 0.1)
    assert np.all(np.abs(data.qpos[3:] - robot.joint.upper) < 0.1)


def test_a_contact_passes_a_joint_without_a_step() -> None:
    """The distance from a post to the body is constant along a straight body, across every
    joint.
    """
    robot = load_robot("boa13")
    post = Circle(x=0.0, y=0.15, radius=0.05)
    model, data = compiled(robot, [post])
    distances = []
    for x in np.linspace(0.0, robot.links * robot.link.pitch, 400):
        data.qpos[0] = -x
        mujoco.mj_forward(model, data)
        distances.append(_gap(model, data, robot.link_names))
    np.testing.assert_allclose(distances, post.y - post.radius - robot.link.radius, atol=1e-12)


def _gap(model: mujoco.MjModel, data: mujoco.MjData, links: tuple[str, ...]) -> float:
    obstacle = model.geom(frames.obstacle_geom(0)).id
    return min(
        mujoco.mj_geomDistance(
            model, data, model.geom(frames.link_geom(link)).id, obstacle, 1.0, None
        )
        for link in links
    )


@given(
    x=st.floats(-0.1, 0.3),
    y=st.floats(0.05, 0.12),
    heading=st.floats(-3.1, 3.1),
    radius=st.floats(0.02, 0.2),
)
@settings(max_examples=60)
def test_a_post_is_a_circle_in_the_plane(x: float, y: float, heading: float, radius: float) -> None:
    """Contact depth and normal are those of a disc against a stadium, for a post anywhere beside
    link 1.
    """
    robot = load_robot("boa3")
    along = np.array([np.cos(heading), np.sin(heading)])
    left = np.array([-along[1], along[0]])
    centre = x * along + y * left
    model, data = compiled(robot, [Circle(x=centre[0], y=centre[1], radius=radius)])
    data.qpos[2] = heading
    mujoco.mj_forward(model, data)
    nearest = np.clip(x, 0.0, robot.link.pitch) * along
    separation = nearest - centre
    depth = np.hypot(*separation) - radius - robot.link.radius
    contacts = [
        c for c in data.contact if model.geom(frames.link_geom("link_01")).id in (c.geom1, c.geom2)
    ]
    if depth > 0:
        assert not contacts
        return
    assert len(contacts) == 1
    assert contacts[0].dist == pytest.approx(depth, abs=1e-9)
    sign = 1.0 if model.geom(frames.obstacle_geom(0)).id == contacts[0].geom1 else -1.0
    np.testing.assert_allclose(
        sign * contacts[0].frame[:2], separation / np.hypot(*separation), atol=1e-7
    )
    assert contacts[0].frame[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", ["box", "wall"])
@pytest.mark.parametrize("heading", [0.0, 0.4, -2.0])
def test_flat_obstacles_stand_where_they_are_said_to(kind: str, heading: float) -> None:
    """A straight robot laid 2 mm into the long side of a box or wall touches it with that depth."""
    robot = load_robot("boa3")
    along = np.array([np.cos(heading), np.sin(heading)])
    left = np.array([-np.sin(heading), np.cos(heading)])
    centre, length, width = np.array([0.3, -0.2]), 2.0, 0.1
    ends = centre - length / 2 * along, centre + length / 2 * along
    obstacle = (
        Box(x=centre[0], y=centre[1], length=length, width=width, heading=heading)
        if kind == "box"
        else Wall(x1=ends[0][0], y1=ends[0][1], x2=ends[1][0], y2=ends[1][1], thickness=width)
    )
    model, data = compiled(robot, [obstacle])
    data.qpos[:2] = centre + (width / 2 + robot.link.radius - 0.002) * left
    data.qpos[2] = heading
    mujoco.mj_forward(model, data)
    assert {model.geom(c.geom2).name for c in data.contact} | {
        model.geom(c.geom1).name for c in data.contact
    } == {
        frames.obstacle_geom(0),
        *(frames.link_geom(link) for link in robot.link_names),
    }
    for contact in data.contact:
        assert contact.dist == pytest.approx(-0.002, abs=1e-9)
        assert abs(contact.frame[:2] @ left) == pytest.approx(1.0, abs=1e-9)


@given(
    stiffness=st.floats(1e3, 1e5),
    damping=st.floats(10.0, 500.0),
    impedance=st.floats(0.1, 0.95),
    depth=st.floats(1e-6, 1e-3),
    seed=st.integers(0, 100),
)
@settings(max_examples=40)
def test_the_given_contact_settings_act(
    stiffness: float, damping: float, impedance: float, depth: float, seed: int
) -> None:
    """MuJoCo's contact law a1 + R f >= a_ref, equal where f > 0, holds with the stiffness K,
    damping B and impedance d asked for: a_ref = -(B v + K r) / d and R = w (1 - d) / d, with w the
    inverse weight of the link (MuJoCo manual, Computation, Constraint model; direct solref).
    """
    contact = ContactModel(solref=(-stiffness, -damping), solimp=(impedance, impedance, 0.001))
    robot = load_robot("boa3")
    model, data = compiled(robot, [Circle(x=0.1, y=-0.1 + depth, radius=0.05)], contact)
    rng = np.random.default_rng(seed)
    data.qvel[:] = 0.05 * rng.normal(size=data.qvel.size)
    data.qfrc_applied[:] = rng.normal(size=data.qvel.size) - [0, 200, 0, 0, 0]  # pressed on
    mujoco.mj_forward(model, data)
    assert data.ncon == 1
    np.testing.assert_array_equal(data.contact[0].solref, [-stiffness, -damping])
    np.testing.assert_array_equal(data.contact[0].solimp, [impedance, impedance, 0.001, 0.5, 2.0])
    normal_row = np.zeros(model.nv)
    # upward motion of the link at the contact, 0.1 m from its tail end
    normal_row[1] = 1.0
    normal_row[2] = 0.1
    a1, v = normal_row @ data.qacc, normal_row @ data.qvel
    weight = model.body_invweight0[model.body("link_01").id, 0]
    force = data.efc_force[0]
    reference = -(damping * v - stiffness * depth) / impedance
    surplus = a1 + weight * (1 - impedance) / impedance * force - reference
    assert surplus == pytest.approx(0.0, abs=1e-6 * abs(reference)) if force > 0 else surplus >= 0


def test_contacts_too_stiff_for_the_step_are_refused() -> None:
    soft = ContactModel(solref=(0.01, 1.0), solimp=(0.2, 0.8, 0.001))
    build_spec(load_robot("boa3"), contact=soft, physics_step=0.005)
    with pytest.raises(BoaError, match=r"time constant 0.01 s .* two physics steps, 0.012 s"):
        build_spec(load_robot("boa3"), contact=soft, physics_step=0.006)


def test_joint_force_sensors_read_what_the_tail_side_link_exerts(
    planar_chain: Callable[..., Any],
) -> None:
    """Newton's law for everything on the head side of a joint: F = sum of m a - external forces, in
    its frame.
    """
    robot = load_robot("boa13")
    model, data = compiled(robot)
    random_state(3, data, speed=0.7)
    data.ctrl[:] = np.random.default_rng(4).normal(size=robot.joints)
    push = np.random.default_rng(5).normal(size=(robot.links, 2))
    data.xfrc_applied[1:, :2] = push
    mujoco.mj_forward(model, data)
    chain = planar_chain(robot)
    acceleration = chain.centre_accelerations(data.qpos, data.qvel, data.qacc)
    headings = chain.headings(data.qpos)
    for joint, name in enumerate(robot.joint_names):
        force = np.sum(robot.link.mass * acceleration[joint + 1 :] - push[joint + 1 :], axis=0)
        c, s = np.cos(headings[joint + 1]), np.sin(headings[joint + 1])
        reading = data.sensor(frames.force_frame(name)).data
        np.testing.assert_allclose(
            reading, [c * force[0] + s * force[1], c * force[1] - s * force[0], 0], atol=1e-9
        )


def test_imus_read_rate_and_acceleration_of_the_link_centre(
    planar_chain: Callable[..., Any],
) -> None:
    robot = load_robot("boa13")
    model, data = compiled(robot)
    random_state(6, data)
    data.ctrl[:] = np.random.default_rng(7).normal(size=robot.joints)
    mujoco.mj_forward(model, data)
    chain = planar_chain(robot)
    headings = chain.headings(data.qpos)
    rates = np.cumsum(data.qvel[2:])
    accelerations = chain.centre_accelerations(data.qpos, data.qvel, data.qacc)
    for index, link in enumerate(robot.link_names):
        c, s = np.cos(headings[index]), np.sin(headings[index])
        x, y = accelerations[index]
        np.testing.assert_allclose(
            data.sensor(frames.gyro(link)).data, [0, 0, rates[index]], atol=1e-12
        )
        reading = data.sensor(frames.accelerometer(link)).data
        np.testing.assert_allclose(reading, [c * x + s * y, c * y - s * x, 0], atol=1e-10)


def test_a_free_base_rests_on_the_floor_with_its_weight() -> None:
    robot = load_robot("boa3")
    model, data = compiled(robot, base="free")
    for _ in range(2000):
        mujoco.mj_step(model, data)
    force = np.zeros(6)
    total = 0.0
    for index in range(data.ncon):
        mujoco.mj_contactForce(model, data, index, force)
        total += force[0]
    assert total == pytest.approx(robot.mass * 9.81, rel=1e-3)
    assert data.qpos[2] == pytest.approx(robot.link.radius, abs=2e-3)
    assert np.abs(data.qvel).max() < 1e-3


def test_a_model_with_backlash_can_be_saved_and_loaded() -> None:
    """Its rotors have no shape, and without a place MuJoCo forgets an inertia."""
    spec = build_spec(load_robot("boa13"), backlash=0.004)
    built, loaded = spec.compile(), mujoco.MjModel.from_xml_string(spec.to_xml())
    for name in ("body_mass", "body_inertia", "dof_armature", "tendon_range", "tendon_solref_lim"):
        np.testing.assert_allclose(getattr(loaded, name), getattr(built, name), rtol=1e-5)
