# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The seam for the physics engine: two engines that know nothing of each other move alike, and a
scenario chooses between them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boa_control.experiments.scenario import PlantSettings
from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle
from boa_sim.engines import engine_named
from boa_sim.plant import SimulatedPlant
from boa_sim.world import Physics

CHAIN = f"{Path(__file__).parents[1] / 'engines' / 'planar_chain.py'}:ChainWorld"
READINGS = (
    "joint_position",
    "joint_velocity",
    "joint_force",
    "heading",
    "orientation",
    "angular_velocity",
    "acceleration",
)


@pytest.mark.parametrize("name", ["boa3", "boa13"])
def test_two_engines_agree_on_a_free_chain(name: str) -> None:
    """All that a plant reads of a world, on the way and with bends of a radian; what is left is
    MuJoCo's first-order step, which halves with the step.
    """
    robot = load_robot(name)

    def differences(step: float) -> dict[str, float]:
        ours, other = (
            engine_named(engine)(robot, physics=Physics(step=step)) for engine in (CHAIN, "mujoco")
        )
        start = np.array([0.3, -0.2, 0.7]), 0.3 * np.sin(np.arange(robot.joints))
        for world in (ours, other):
            world.place(*start)
        for k in range(round(0.2 / step)):
            torque = 0.3 * np.cos(10.0 * k * step + np.arange(robot.joints))
            for world in (ours, other):
                world.advance(torque)
        for world in (ours, other):
            world.refresh()
        assert ours.finite and np.abs(ours.joint_position - start[1]).max() > 0.02, "it moves"
        return {
            reading: float(
                np.abs(getattr(ours, reading) - getattr(other, reading)).max()
                / max(np.abs(getattr(other, reading)).max(), 1e-9)
            )
            for reading in READINGS
        }

    coarse, fine = differences(1e-3), differences(2.5e-4)
    for reading in READINGS:
        assert fine[reading] < 0.005, reading
        assert fine[reading] < 0.5 * coarse[reading] + 1e-9, reading


def test_truth_is_that_of_the_world() -> None:
    robot = load_robot("boa3")
    world = engine_named(CHAIN)(robot)
    world.place(np.array([1.0, 2.0, 7.0]), np.zeros(2))
    truth = world.truth(5)
    assert truth.stamp_ns == 5 and truth.contacts == ()
    assert truth.base.tolist() == [1.0, 2.0, 7.0], "the heading counts turns"
    assert truth.position.tolist() == [1.0, 2.0, robot.link.radius]


def test_an_engine_refuses_what_it_cannot_simulate() -> None:
    with pytest.raises(BoaError, match=r"planar chain has no scene\.obstacles; use mujoco"):
        SimulatedPlant(
            load_robot("boa3"),
            obstacles=(Circle(x=9.0, y=9.0, radius=0.1),),
            settings=PlantSettings(engine=CHAIN),
        )


def test_an_unknown_engine_is_one_clear_error() -> None:
    with pytest.raises(BoaError, match=r"engine.*'mujoko'.*did you mean 'mujoco'"):
        SimulatedPlant(load_robot("boa3"), settings=PlantSettings(engine="mujoko"))


@pytest.mark.parametrize("gearbox", ["g20", {"backlash": 0.004}])
def test_an_engine_without_gearboxes_refuses_them(gearbox: object) -> None:
    settings = PlantSettings.model_validate({"engine": CHAIN, "effects": {"gearbox": gearbox}})
    with pytest.raises(BoaError, match=r"effects\.gearbox.*no friction that grows.*use mujoco"):
        robot = load_robot("boa3", override={"actuator": {"coulomb": 0.0}})
        SimulatedPlant(robot, settings=settings)


def spoilt(folder: Path, old: str, new: str) -> PlantSettings:
    """Settings with the planar chain, one piece of which is another."""
    text = Path(CHAIN.rpartition(":")[0]).read_text("utf-8")
    assert text.count(old) == 1
    (folder / "chain.py").write_text(text.replace(old, new), encoding="utf-8")
    return PlantSettings(engine=f"{folder / 'chain.py'}:ChainWorld")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("physics: Physics", "*, physics: Physics", "cannot be made: TypeError"),
        ("self._chain = ", "self._chain = 1 / 0 * ", "made: ZeroDivisionError.* in chain.py, line"),
        (
            "self.step = physics.step",
            "self.step = 0.5",
            r"its step is 0\.5 s; .*0\.001 s, is wanted",
        ),
        ("self._q[3:].copy()", "self._q[4:]", r"joint_position has the shape \(1,\); \(2,\) is"),
        ("return spin", "return spin[0]", r"angular_velocity has the shape \(3,\); \(3, 3\)"),
    ],
)
def test_what_is_no_engine_is_refused(old: str, new: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(BoaError, match=f"engine .*chain.py:ChainWorld.*{told}"):
        SimulatedPlant(load_robot("boa3"), settings=spoilt(tmp_path, old, new))


def test_an_engine_that_raises_ends_the_run_and_not_the_program(tmp_path: Path) -> None:
    """Its record is kept, as that of every plant that fails."""
    heavy = "self._q = q + h * qd"
    settings = spoilt(tmp_path, heavy, f"(0,)[int(torque[0])]; {heavy}")
    plant = SimulatedPlant(load_robot("boa3"), settings=settings)
    plant.arm()
    plant.write(np.array([0.5, 0.5]))
    assert plant.armed
    with pytest.raises(PlantError, match=r"chain.py:ChainWorld: .* in chain.py, line \d+; correct"):
        plant.write(np.array([1.5, 0.5]))
    assert not plant.armed
