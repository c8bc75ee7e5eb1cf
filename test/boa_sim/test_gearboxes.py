# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gearboxes in both engines: break-away, what a moving joint passes on, energy, backlash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.experiments.scenario import Effects, GearboxEffect, PlantSettings
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.gearbox import load_gearbox
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_sim.engines import engine_named
from boa_sim.gearboxes import loaded_gears
from boa_sim.plant import SimulatedPlant
from boa_sim.world import Physics, is_replayable

WIDE = {"joint": {"lower": -3.1, "upper": 3.1}}  # no stop comes in the way
ARM = load_robot("boa13", links=2, override={"mount": "fixed", **WIDE})
CHAIN = load_robot("boa3", override=WIDE)
STALL = ARM.actuator.torque_limit
ENGINES = ("mujoco", "moreau")
GAP = 0.00436  # rad, 0.25 degrees


def make(engine: str, robot: Robot, name: str, backlash: float = 0.0, step: float = 0.001) -> Any:
    """A world with one kind of gearbox in all joints, at rest and straight."""
    gears = loaded_gears(robot, GearboxEffect(model=name), seed=0)
    return engine_named(engine)(robot, physics=Physics(gears=gears, backlash=backlash, step=step))


def direction(world: Any, torque: float, load: float, ramp: int = 150) -> float:
    """Where the arm's joint moves under a command and a load against it, brought on together within
    `ramp` steps: friction follows the load by a step.
    """
    world.place(np.zeros(3), np.zeros(1))
    for k in range(ramp + 150):
        share = min(1.0, k / ramp)
        world.push({1: np.array([0.0, 0.0, -share * load])})
        world.advance(np.full(1, share * torque))
        if abs(world.joint_velocity[0]) > 0.02:
            break
    rate = float(world.joint_velocity[0])
    return float(np.sign(rate)) if abs(rate) > 1e-3 else 0.0


@pytest.mark.parametrize("name", ["g10", "g20", "g40"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_joint_breaks_away_where_the_law_says(engine: str, name: str) -> None:
    """Just below and just above both torques between which a joint stands still. By bisection both
    engines are within 2e-4.
    """
    error = 1e-3
    world, friction = make(engine, ARM, name), load_gearbox(name).friction
    factor = friction.calibration(STALL)
    for motor in (1.0, 3.0, 6.0):
        drives, back = float(friction.driving(motor)), float(friction.driven_back(motor))
        moves = [
            direction(world, motor / factor, share * load)
            for load in (drives, back)
            for share in (1 - error, 1 + error)
        ]
        assert moves == [1.0, 0.0, 0.0, -1.0]


@pytest.mark.parametrize("name", ["g40", "mx64_m5"])
@pytest.mark.parametrize("engine", ENGINES)
def test_at_stall_comes_out_what_the_data_sheet_says(engine: str, name: str) -> None:
    """The joint moves against a load just below the stall torque, and not against one just above:
    0.2 % for MuJoCo's impedance.
    """
    world = make(engine, ARM, name)
    assert direction(world, STALL, 0.998 * STALL, ramp=1000) == 1.0
    assert direction(world, STALL, 1.002 * STALL, ramp=1000) == 0.0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("backlash", [0.0, GAP])
def test_a_moving_joint_passes_on_what_the_law_says(engine: str, backlash: float) -> None:
    """At steady rates, held by a load that balances what is passed on; viscous friction is not
    the gearbox's.
    """
    friction, damping = load_gearbox("g20").friction, ARM.actuator.damping
    world = make(engine, ARM, "g20", backlash)
    for rate, motor in ((0.1, 2.0), (0.5, 4.0), (3.0, 3.0), (-0.1, 2.0), (-0.5, 4.0), (-3.0, 1.0)):
        net = motor - damping * rate  # viscous friction acts before the others
        passed = friction.driving if rate > 0 else friction.driven_back
        at = friction.at(rate)
        sign = 1.0 if rate > 0 else -1.0
        # L (1 + sign le) = t (1 - sign lm) - sign b - d w
        expected = motor * (1 - sign * at.motor) - sign * at.base - damping * rate
        expected /= 1 + sign * at.load
        assert expected == pytest.approx(float(passed(net, rate)), abs=0.1)
        world.place(np.zeros(3), np.full(1, -sign * 1.5))
        world.data.qvel[:] = rate
        for _ in range(200):
            # a stiff brake keeps the rate
            world.push(
                {1: np.array([0.0, 0.0, -expected - 20.0 * (world.joint_velocity[0] - rate)])}
            )
            world.advance(np.full(1, motor / friction.calibration(STALL)))
        world.refresh()
        here = friction.at(float(world.joint_velocity[0]))
        assert world.joint_velocity[0] == pytest.approx(rate, abs=0.02)
        passed_on = motor * (1 - sign * here.motor) - sign * here.base
        passed_on = (passed_on - damping * float(world.joint_velocity[0])) / (1 + sign * here.load)
        assert world.delivered == pytest.approx([passed_on], rel=2e-3)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("backlash", [0.0, GAP])
def test_dry_friction_brakes_until_a_joint_turns_round(engine: str, backlash: float) -> None:
    """A turning arm is braked by T: its rate is v - (T + c) t / I until it stands and then
    -(T - c) t / I. The engines are within 0.02 rad/s; a friction that MuJoCo brings on within 20 ms
    pushes the arm on at the end of its braking, and it is 0.22 rad/s behind.
    """
    still = load_robot("boa13", links=2, override={"mount": "fixed", "actuator": {"damping": 0.0}})
    world = engine_named(engine)(still, physics=Physics(coulomb=0.5, backlash=backlash))
    link = still.link
    inertia = link.yaw_inertia + link.mass * (link.pitch / 2) ** 2 + still.actuator.armature
    world.place(np.zeros(3), np.zeros(1))
    world.data.qvel[:] = 1.0
    stands = 1.0 * inertia / (1.0 + 0.5)
    for _ in range(40):
        world.advance(np.full(1, -1.0))
    expected = -(1.0 - 0.5) * (0.04 - stands) / inertia
    assert world.joint_velocity[0] == pytest.approx(expected, abs=0.03)


def kinetic(world: Any) -> float:
    inertia = np.zeros((world.model.nv, world.model.nv))
    mujoco.mj_fullM(world.model, world.data, inertia)
    return float(0.5 * world.data.qvel @ inertia @ world.data.qvel)


def thrown(engine: str, name: str, backlash: float, seed: int) -> tuple[Any, np.random.Generator]:
    """A chain in motion, its motors with their joints."""
    random = np.random.default_rng(seed)
    world = make(engine, CHAIN, name, backlash)
    world.place(np.zeros(3), random.uniform(-0.5, 0.5, 2))
    world.data.qvel[:5] = random.uniform(-1, 1, 5)
    world.data.qvel[5:] = world.data.qvel[3:5] if backlash else ()
    return world, random


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(ENGINES),
    st.sampled_from(("g10", "g20", "g40")),
    st.sampled_from((0.0, GAP)),
    st.integers(0, 2**32),
)
def test_no_gearbox_creates_energy(engine: str, name: str, backlash: float, seed: int) -> None:
    """From the start to any instant: the rise of the kinetic energy is at most the work of the
    motors. The integrators' own error, that of a chain without gearboxes, is 5.4e-4 of the energy
    at this step and 1.4e-4 at a quarter of it.
    """
    world, random = thrown(engine, name, backlash, seed)
    factor = load_gearbox(name).friction.calibration(CHAIN.actuator.torque_limit)
    start, work, torque = kinetic(world), 0.0, np.zeros(2)
    for k in range(300):
        if k % 50 == 0:
            torque = random.uniform(-4, 4, 2) * random.integers(0, 2)
        before = world.motor_rate
        world.advance(torque)
        work += float(factor * torque @ (before + world.motor_rate)) / 2 * world.step
        assert kinetic(world) <= start + work + 1e-3 * max(start, 1.0)


@pytest.mark.parametrize(("engine", "most_given"), [("mujoco", 1e-5), ("moreau", 1e-11)])
@pytest.mark.parametrize("backlash", [0.0, GAP])
def test_friction_of_gearboxes_only_takes(engine: str, most_given: float, backlash: float) -> None:
    """Friction of every joint and step from the balance of its motor (what is passed on beside
    what the motor gives and what its rotor and viscous friction take) times the rate at the end of
    the step, J.
    """
    world, random = thrown(engine, "g40", backlash, 3)
    factor = load_gearbox("g40").friction.calibration(CHAIN.actuator.torque_limit)
    servo, taken, most = CHAIN.actuator, 0.0, 0.0
    for k in range(300):
        if k % 50 == 0:
            torque = random.uniform(-4, 4, 2)
        before = world.motor_rate
        world.advance(torque)
        rate = world.motor_rate
        passed = world._gears._passed if engine == "mujoco" else world.delivered
        friction = passed - factor * torque + servo.damping * rate
        friction += servo.armature * (rate - before) / world.step
        work = friction * rate * world.step
        taken, most = taken - float(work.sum()), max(most, float(work.max()))
    assert taken > 0.5 and most < most_given


@pytest.mark.parametrize("engine", ENGINES)
def test_a_motor_crosses_the_gap_as_a_free_rotor(engine: str) -> None:
    """From one flank to the other while the link stands, as I w' = t - b - d w has it: without a
    load friction is b alone. On the way nothing is passed on.
    """
    step, motor = 0.0001, 0.5
    world, friction = make(engine, ARM, "g10", GAP, step), load_gearbox("g10").friction
    command = np.full(1, motor / friction.calibration(STALL))

    def ahead() -> float:
        return float(world.data.qpos[-1] - world.data.qpos[0])

    for _ in range(3000):
        world.push({1: np.array([0.0, 0.0, 0.45])})  # it stands still
        world.advance(-command)
    rest = ahead()
    assert rest == pytest.approx(-GAP / 2, abs=2e-4)
    world.push({1: np.zeros(3)})
    at_flank = joint = world.joint_position[0]
    steps, passed = 0, []
    while ahead() < GAP / 2 - 1e-6:
        world.advance(command)
        world.refresh()
        passed.append(float(world.delivered[0]))
        steps += 1
    servo, duration = ARM.actuator, steps * step
    decay = servo.armature / servo.damping  # s
    way = (motor - 0.1) / servo.damping * (duration + decay * np.expm1(-duration / decay))
    assert way == pytest.approx(GAP / 2 - rest, rel=0.03)
    assert np.abs(passed[len(passed) // 4 : -2]).max() < 1e-6
    assert abs(world.joint_position[0] - at_flank) < 1e-4 and joint == at_flank


def test_a_gap_that_closes_moves_as_none() -> None:
    """Rigid flanks: the difference shrinks with the gap."""
    differences = []
    for backlash in (1e-3, 1e-4, 1e-5):
        worlds = [make("moreau", CHAIN, "g20", gap) for gap in (0.0, backlash)]
        for world in worlds:
            world.place(np.zeros(3), np.array([0.3, -0.2]))
            for k in range(200):
                world.advance(2.0 * np.array([np.sin(0.02 * k), np.cos(0.02 * k)]))
        differences.append(np.abs(worlds[0].joint_position - worlds[1].joint_position).max())
    assert differences[1] < 0.5 * differences[0] and differences[2] < 1e-4


@pytest.mark.parametrize(("name", "torque", "load"), [("g20", 4.0, 3.8), ("g40", 4.0, 3.8)])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_joint_that_runs_away_does_so_as_with_a_twentieth_of_the_step(
    engine: str, name: str, torque: float, load: float
) -> None:
    """Through the Stribeck zone, where an error grows: friction that acts a step late makes 5 and
    14 % here.
    """

    def rate(step: float) -> float:
        world = make(engine, ARM, name, step=step)
        world.push({1: np.array([0.0, 0.0, -load])})
        for _ in range(round(0.15 / step)):
            world.advance(np.full(1, torque))
        return float(world.joint_velocity[0])

    assert rate(1e-3) == pytest.approx(rate(5e-5), rel=0.0095)


@pytest.mark.parametrize("backlash", [0.0, GAP])
def test_both_engines_agree_on_gearboxes(backlash: float) -> None:
    worlds = [make(engine, CHAIN, "g20", backlash, step=0.0005) for engine in ENGINES]
    for k in range(600):
        torque = 3.0 * np.array([np.sin(0.01 * k), np.cos(0.008 * k)])
        for world in worlds:
            world.advance(torque)
    for world in worlds:
        world.refresh()
    soft, rigid = worlds
    assert np.abs(soft.joint_position).max() > 0.05, "it moves"
    bound = 0.02 if backlash == 0 else 0.1
    assert soft.joint_position == pytest.approx(rigid.joint_position, rel=bound, abs=GAP * bound)
    assert soft.delivered == pytest.approx(rigid.delivered, rel=bound, abs=0.05)


def test_spread_is_drawn_from_the_seed_and_keeps_its_bounds() -> None:
    boa = load_robot("boa13")
    effect = GearboxEffect(model="g20", spread=0.3, calibration_spread=0.1)
    first, again, other = (loaded_gears(boa, effect, seed) for seed in (1, 1, 2))
    plain = loaded_gears(boa, GearboxEffect(model="g20"), 1)
    assert first and again and other and plain
    assert np.array_equal(first.calibration, again.calibration)
    assert np.array_equal(first.friction.motor, again.friction.motor)
    assert not np.array_equal(first.friction.motor, other.friction.motor)
    losses: Array = np.asarray(first.friction.motor) / np.asarray(plain.friction.motor)
    factors = first.calibration / plain.calibration
    assert 0.2 < np.ptp(losses) <= 0.6 and np.abs(losses - 1).max() <= 0.3
    assert 0.05 < np.ptp(factors) <= 0.2 and np.abs(factors - 1).max() <= 0.1


@pytest.mark.parametrize(
    ("given_effects", "model"),
    [
        ({}, "none"),
        ({"fidelity": "datasheet"}, None),
        ({"gearbox": True}, None),
        ({"fidelity": "datasheet", "gearbox": False}, "none"),
        ({"fidelity": "datasheet", "gearbox": "g10"}, "g10"),
        ({"gearbox": {"model": "g20", "spread": 0.3}}, "g20"),
    ],
)
def test_effects_choose_the_gearbox(given_effects: dict[str, Any], model: str | None) -> None:
    effects = Effects.model_validate(given_effects)
    assert effects.gears.model == model
    again = Effects.model_validate(effects.model_dump(mode="json", exclude_unset=True))
    assert again == effects


def test_the_robot_s_own_gearbox_comes_with_its_backlash() -> None:
    robot = load_robot(
        "boa3", override={"actuator": {"gearbox": {"model": "g10", "backlash": 0.01}}}
    )
    for choice, coordinates in (({}, 7), ({"model": "g20"}, 5), ({"backlash": 0.0}, 5)):
        effects = Effects(gearbox=GearboxEffect.model_validate(choice))
        plant = SimulatedPlant(robot, settings=PlantSettings(effects=effects))
        assert plant.world.model.nv == coordinates
        assert plant.truth().joint_position.shape == (2,)


@pytest.mark.parametrize("engine", ENGINES)
def test_effort_is_the_command_and_delivered_what_is_left(engine: str) -> None:
    """Two opposite motors bend a chain; the tick's frame has what was asked for, its truth what
    reached the links.
    """
    effects = Effects(gearbox=GearboxEffect(model="g20", backlash=0.002))
    plant = SimulatedPlant(CHAIN, settings=PlantSettings(engine=engine, effects=effects))
    plant.arm()
    for _ in range(20):
        plant.write(np.array([2.0, -1.0]))
    assert plant.read().effort == pytest.approx([2.0, -1.0])
    delivered = plant.truth().delivered
    assert 0.0 < delivered[0] < 2.0 and -1.0 < delivered[1] < 0.0


def test_identified_gearboxes_are_those_of_each_joint(tmp_path: Path) -> None:
    file = tmp_path / "identified.yaml"
    file.write_text(
        "name: i\nsummary: i\nmotor: {value: 0.2, unit: 1, source: x}\n"
        "losses: {value: [0.5, 1.5], unit: 1, source: x}\n"
        "calibration: {value: [1.2, 1.4], unit: 1, source: x}\n",
        "utf-8",
    )
    gears = loaded_gears(CHAIN, GearboxEffect(model=str(file)), 0)
    assert gears is not None
    assert gears.friction.motor == pytest.approx([0.1, 0.3])
    assert gears.calibration == pytest.approx([1.2, 1.4])


@pytest.mark.parametrize("gap", [0.0, GAP])
def test_a_chain_that_is_launched_goes_on_as_it_was_put_in_motion(gap: float) -> None:
    """Free in the plane: its momentum stays, and with backlash its motors turn along."""
    world = engine_named("mujoco")(CHAIN, physics=Physics(backlash=gap))
    world.place(np.array([0.1, 0.2, 0.3]), np.array([0.2, -0.1]))
    assert is_replayable(world)
    world.launch(np.array([0.3, -0.1, 0.0]), np.array([0.5, -0.4]), np.array([1.0, -1.0]))
    assert world.joint_velocity == pytest.approx([0.5, -0.4])
    assert world.motor_rate == pytest.approx([0.5, -0.4])
    before = world.truth(0).base
    for _ in range(10):
        world.advance(np.zeros(2))
    moved = world.truth(0).base - before
    assert moved[:2] == pytest.approx([0.003, -0.001], abs=4e-4)


def test_a_spread_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    for model in ("none", "coulomb"):
        with pytest.raises(BoaError, match=r"spread is of gearboxes.*set model: g20"):
            loaded_gears(ARM, GearboxEffect(model=model, spread=0.1), 0)
    stiff = tmp_path / "stiff.yaml"
    stiff.write_text("name: stiff\nsummary: s\nload: {value: 0.8, unit: 1, source: x}\n", "utf-8")
    with pytest.raises(BoaError, match=r"spread 0.5: a joint of model .* would lose 1.* lock"):
        loaded_gears(load_robot("boa13"), GearboxEffect(model=str(stiff), spread=0.5), 0)


def held(armature: float, step: float) -> Any:
    """The arm at its stop, pushed by its motor's stall torque across a gap."""
    robot = load_robot("boa13", links=2, override={"mount": "fixed", **WIDE})
    actuator = robot.actuator.model_copy(update={"armature": armature})
    robot = robot.model_copy(update={"actuator": actuator})
    world = engine_named("mujoco")(robot, physics=Physics(backlash=GAP, step=step))
    world.place(np.zeros(3), np.full(1, 3.1))
    for _ in range(round(1.0 / step)):
        world.advance(np.full(1, STALL))
    return world


@pytest.mark.parametrize(("armature", "step"), [(0.01, 0.001), (0.001, 0.002), (0.01, 0.004)])
def test_a_flank_yields_little_at_stall(armature: float, step: float) -> None:
    """By less than 0.01 rad, as the formula says that refuses others."""
    joint, motor = held(armature, step).data.qpos
    assert 0 < motor - joint - GAP / 2 < 0.01


@pytest.mark.parametrize(("armature", "step"), [(0.0, 0.001), (1e-4, 0.001), (0.01, 0.01)])
def test_flanks_that_would_yield_much_are_refused(armature: float, step: float) -> None:
    """They did: by 187, 0.052 and 0.022 rad; the first passed on 4 % of the torque."""
    with pytest.raises(BoaError, match=r"backlash: on springs.* a flank yields by .* moreau"):
        held(armature, step)
