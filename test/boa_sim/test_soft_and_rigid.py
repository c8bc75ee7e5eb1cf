# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Soft and rigid contact of one robot in one gait: how far it comes, where its energy goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import mujoco
import numpy as np
import pytest
from scipy.special import j0

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import PlantSettings
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_description.scene import ContactModel
from boa_sim.engines.moreau import gauss_seidel
from boa_sim.engines.moreau import spatial as rigid
from boa_sim.engines.moreau.blocks import Blocks
from boa_sim.engines.moreau.gauss_seidel import solve
from boa_sim.engines.spatial_pose import BASE
from boa_sim.factory import plant_from_experiment
from boa_sim.world import Physics
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions.space import centre
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment

RATE = 250.0  # Hz, of control
SECONDS = 4.0  # two periods of the gait after its start-up
HARD = ContactModel(solref=(0.002, 1.0), solimp=(0.99, 0.999, 0.001), friction=0.5)


def travelled(engine: str, step: float, contact: ContactModel) -> dict[str, float]:
    scenario = load_scenario("cobra_vertical")
    experiment = prepare(
        scenario.model_copy(
            update={
                "duration": SECONDS,
                "plant": PlantSettings(engine=engine, physics_step=step, control_rate=RATE),
                "scene": scenario.scene.model_copy(update={"contact": contact}),
            }
        )
    )
    extra: dict[str, float] = metrics(Analysis(run_experiment(experiment).log, experiment))["extra"]
    return extra


def test_rigid_contact_and_hard_springs_come_equally_far() -> None:
    """Two integrators and two models of contact: within 1 % at 1 ms, and within 2 % at 2 ms, where
    Moreau's scheme of order one is further from its limit. MuJoCo's contacts have a time constant
    of 2 ms.
    """
    hard = travelled("mujoco", 0.0005, HARD)["distance_m"]
    for step, off in ((0.001, 0.01), (0.002, 0.02)):
        rigid_way = travelled("moreau", step, ContactModel(friction=0.5))["distance_m"]
        assert rigid_way == pytest.approx(hard, rel=off)


class Step(NamedTuple):
    """One step on rigid contact: J, v, v~ without contact and v+, p, their laws, the torque of the
    joints, the error of the laws in m/s, and the deepest overlap in m.
    """

    rows: Array
    before: Array
    free: Array
    after: Array
    impulse: Array
    laws: Blocks
    torque: Array
    residual: float
    overlap: float


class Way(NamedTuple):
    """The steps, the energy at the start and at the end, J, and viscous friction, N m s."""

    steps: list[Step]
    start: float
    end: float
    damping: Array
    period: float


def energy(world: rigid.SpatialMoreauWorld) -> float:
    mujoco.mj_makeM(world.model, world.data)
    mujoco.mj_energyPos(world.model, world.data)
    mujoco.mj_energyVel(world.model, world.data)
    return float(world.data.energy.sum())


@pytest.fixture(scope="module")
def way() -> Iterator[Way]:
    """A second and a half of cobra_vertical_moreau, step by step."""
    steps: list[Step] = []
    experiment = prepare(load_scenario("cobra_vertical_moreau"))
    plant, controller = plant_from_experiment(experiment), build_controller(experiment)
    world = plant.world
    assert isinstance(world, rigid.SpatialMoreauWorld)

    def watched(inertia, free, rows, laws, start, *, convex=False):
        result = solve(inertia, free, rows, laws, start, convex=convex)
        before, overlap = world.data.qvel.copy(), -world._touching.gap.min(initial=0.0)
        steps.append(
            Step(
                rows,
                before,
                free,
                result.velocity,
                result.impulse,
                laws,
                plant._torque.copy(),
                result.residual,
                overlap,
            )
        )
        return result

    plant.arm()
    start = energy(world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gauss_seidel, "solve", watched)
        for _ in range(750):
            plant.write(np.clip(controller.step(plant.read()).torque, -10.0, 10.0))
    yield Way(steps, start, energy(world), world.model.dof_damping.copy(), world.step)


def test_the_laws_hold_on_the_way(way: Way) -> None:
    """Overlaps, forces across gaps that are open at the end of the step, errors of the laws.
    Bounds of the facts.
    """

    def across_gaps(step: Step) -> float:
        normals = step.laws.first[:-1][step.laws.mu > 0]
        opening = (step.rows @ step.after + step.laws.shift)[normals]
        return float(np.abs(step.impulse[normals] * opening).max(initial=0.0))

    assert np.abs(way.steps[-1].after).max() > 1.0, "it moves"
    assert max(step.overlap for step in way.steps) < 1e-5  # m
    assert max(map(across_gaps, way.steps)) < 1e-6  # J
    assert 0.0 < max(step.residual for step in way.steps) < 1e-4  # m/s


def test_impulses_only_take_energy_and_all_of_it_is_accounted_for(way: Way) -> None:
    """In no step is there more kinetic energy with the impulses of contacts, stops and dry gears
    than without them, by p'(u~ + u+) / 2. And torques put in what friction, viscous gears and
    impacts take and what is stored; what a step of first order leaves over is less than 2 % of it.
    """
    work = {"torque": 0.0, "contact": 0.0, "damping": 0.0}
    for step in way.steps:
        mean = 0.5 * (step.before + step.after)
        load = step.impulse @ step.rows
        assert 0.5 * load @ (step.free + step.after) < 1e-9  # J
        work["contact"] -= float(load @ mean)
        work["torque"] += way.period * float(step.torque @ mean[BASE:])
        work["damping"] += way.period * float(mean @ (way.damping * step.after))
    stored = way.end - way.start
    over = work["torque"] - work["contact"] - work["damping"] - stored
    assert min(*work.values(), stored) > 0.5
    assert abs(over) < 0.02 * work["torque"]


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_a_dropped_robot_bounces_to_the_share_of_its_height(share: float) -> None:
    """0.5 m, flat: apexes at e^2, e^4 and e^6 of the height, the first two to 1 %, all to the
    way of the step in which it lands, h v.
    """
    world = rigid.SpatialMoreauWorld(
        load_robot("cobra12"),
        physics=Physics(contact=ContactModel(friction=0.5, restitution=share), step=0.0005),
    )
    rest = float(world.data.qpos[2])
    world.data.qpos[2] += 0.5
    world._start()
    apexes, rising, height = [], False, 0.5
    for _ in range(4000):
        before = height
        world.advance(np.zeros(11))
        height = float(world.data.qpos[2]) - rest
        if rising and height <= before:
            apexes.append(before)
        rising = height > before
    expected = 0.5 * share ** (2.0 * np.arange(1, 4))
    np.testing.assert_allclose(apexes[:2], expected[:2], rtol=0.01)
    landing = np.sqrt(2 * 9.81 * np.append(0.5, expected[:2]))  # m/s
    assert (np.abs(apexes[:3] - expected) < world.step * landing).all()


@pytest.mark.parametrize("name", ["cobra_vertical", "cobra_fast"])
def test_steady_speed_is_that_of_the_closed_form(name: str) -> None:
    """V = f L (1 - mean cos psi), with the slope of the ideal wave: joints A sin(.. - k p) give the
    slope an amplitude of A / (2 sin(p / 2)), and the mean cosine of a sinusoid is the Bessel
    function J0 of it. Two periods after the start-up; contact slips and sinks in, hence 20 %.
    """
    scenario = load_scenario(name)
    gait = scenario.controller.parameters["gait"]
    plant = scenario.plant.model_copy(update={"control_rate": RATE})
    experiment = prepare(scenario.model_copy(update={"plant": plant, "duration": 6.0}))
    analysis = Analysis(run_experiment(experiment).log, experiment)
    place, time = centre(analysis), analysis.log.time
    assert place is not None
    steady = time > 6.0 - 2.0 / gait["frequency"] - 0.01
    slope = abs(gait["amplitude"]) / (2 * np.sin(0.5 * gait["phase"]))
    robot = experiment.robot
    saved = robot.links * robot.link.pitch * (1 - j0(slope))
    speed = np.ptp(place[steady, 0]) / np.ptp(time[steady])
    assert speed == pytest.approx(gait["frequency"] * saved, rel=0.2)
