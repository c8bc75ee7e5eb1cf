# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How hard MuJoCo's contacts may be for a physics step, against how they behave."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Circle, ContactModel
from boa_sim.engines.mujoco import world
from boa_sim.engines.mujoco.contact_limit import largest_share, stable_step
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.world import Physics

STEP = 0.001  # s
POST = 0.05  # m, radius


def approach(robot: Robot, contact: ContactModel, kick: float) -> Array:
    """Speed of axis 6 of a straight chain that is pressed against a post beside it, 80 steps, m/s;
    after 20 the whole chain is made faster by `kick`.
    """
    post = Circle(x=6 * robot.link.pitch, y=-(POST + robot.link.radius) + 5e-5, radius=POST)
    chain = MujocoWorld(robot, [post], Physics(contact=contact, step=STEP))
    chain.push({link: np.array([0.0, -4.0, 0.0]) for link in range(robot.links)})
    speeds = []
    for step in range(80):
        if step == 20:
            chain.data.qvel[1] += kick
            mujoco.mj_step1(chain.model, chain.data)
        chain.advance(np.zeros(robot.joints))
        assert chain.data.ncon == 2  # both links
        turning = np.cumsum(chain.data.qvel[2:])[:6]
        speeds.append(chain.data.qvel[1] + robot.link.pitch * turning.sum())
    return np.array(speeds)


@pytest.mark.parametrize("impedance", [0.1, 0.2, 0.5])
@pytest.mark.parametrize(("hardness", "grows"), [(0.98, False), (1.02, True)])
def test_a_small_error_grows_from_the_limit_on(
    boa13: Robot,
    monkeypatch: pytest.MonkeyPatch,
    impedance: float,
    hardness: float,
    grows: bool,
) -> None:
    """Two runs that differ by 1 nm/s at the 20th step, compared at the 31st and the 61st."""
    soft = ContactModel(solref=(-1e4, -220.0), solimp=(impedance, impedance, 0.001))
    share = largest_share(MujocoWorld(boa13).model, boa13, soft)
    damping = hardness * (4 * impedance / share - STEP**2 * 1e4) / (2 * STEP)
    hard = ContactModel(solref=(-1e4, -damping), solimp=soft.solimp)
    assert (stable_step(hard, share) < STEP) == grows
    monkeypatch.setattr(world, "check_contacts", lambda *_: None)
    error = np.abs(approach(boa13, hard, 1e-9) - approach(boa13, hard, 0.0))
    assert (error[60] > error[30]) == grows


@pytest.mark.parametrize("solref", [(-250e3, -1100.0), (-160e3, -880.0), (-400e3, -700.0)])
def test_contacts_that_are_too_hard_for_the_step_are_refused(
    boa13: Robot, solref: tuple[float, float]
) -> None:
    """On `boa_circle` each of these ended as a gate trip after 1.2 to 2.2 s at 1 ms, and ran at
    0.5 ms.
    """
    contact, posts = ContactModel(solref=solref), (Circle(x=0.0, y=1.0, radius=POST),)
    with pytest.raises(BoaError, match=r"scene\.contact: solref .* stable below a physics step"):
        MujocoWorld(boa13, posts, Physics(contact=contact, step=STEP))
    MujocoWorld(boa13, posts, Physics(contact=contact, step=STEP / 2))
    MujocoWorld(boa13, (), Physics(contact=contact, step=STEP))  # without posts there is none


def test_both_forms_of_solref_have_the_same_limit() -> None:
    """A time constant T and damping ratio z stand for the stiffness 1 / (T z)^2 and the damping
    2 / T (MuJoCo manual), divided by the impedance as these are.
    """
    times = ContactModel(solref=(0.01, 0.5), solimp=(0.2, 0.4, 0.001))
    gains = ContactModel(solref=(-1 / 0.005**2, -200.0), solimp=(0.2, 0.4, 0.001))
    assert stable_step(times) == pytest.approx(stable_step(gains))


def test_without_spring_and_damper_any_step_is_stable() -> None:
    assert stable_step(ContactModel(solref=(0.0, 0.0))) == np.inf
