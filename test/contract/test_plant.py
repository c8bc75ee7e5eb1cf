# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The contract of every plant, simulated or not. Torques here go past the gate on purpose: this
tests the plant itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from boa_control.plant import Plant, PlantError, SensorFrame, Simulation, truth_of
from boa_description.arrays import Array

Drive = Callable[..., list[SensorFrame]]
FAR_FROM_ZERO = 0.02  # rad; ten times the coarsest encoder
# N m; little enough that the torque-speed line does not cut it at the speeds reached here
PUSH = 0.5
ONLY_NOISE = 0.03  # N m; some counts of the coarsest current measurement


def one_joint(plant: Plant, joint: int, torque: float) -> Array:
    torques = np.zeros(plant.robot.joints)
    torques[joint] = torque
    return torques


def wiggle(plant: Plant, size: float = 1.0) -> Callable[[float], Array]:
    """Torques that shake the whole chain, starting smoothly."""
    phase = np.arange(plant.robot.joints)
    return lambda t: size * np.sin(2 * np.pi * 2.0 * t + phase) * min(t / 0.1, 1.0)


# --- reading --------------------------------------------------------------------------------------


def test_frames_have_the_shapes_of_the_robot(plant: Plant, drive: Drive) -> None:
    joints, links = plant.robot.joints, plant.robot.links
    frame = drive(0.1)[-1]
    for value in (frame.position, frame.velocity, frame.effort, frame.temperature, frame.joint_age):
        assert value.shape == (joints,)
        assert value.dtype == np.float64
    assert frame.joint_force is not None
    assert frame.joint_force.force.shape == (joints, 3)
    assert frame.imu is not None
    assert frame.imu.yaw.shape == frame.imu.yaw_rate.shape == (links,)
    assert frame.imu.acceleration.shape == (links, 2)
    assert frame.faults == ()


def test_a_healthy_plant_measures_everything(plant: Plant, drive: Drive) -> None:
    frame = drive(0.1)[-1]
    assert frame.joint_force is not None
    assert frame.imu is not None
    for value in (
        frame.position,
        frame.velocity,
        frame.effort,
        frame.joint_force.force[:, :2],
        frame.imu.yaw_rate,
    ):
        assert np.isfinite(value).all()
    measured = frame.temperature[np.isfinite(frame.temperature)]
    assert ((measured > 0) & (measured < 80)).all()  # missing is NaN, not 0 degC
    assert (frame.joint_age >= 0).all()


def test_stamps_increase_by_the_control_period(plant: Plant, drive: Drive, real_time: bool) -> None:
    steps = np.diff([frame.stamp_ns for frame in drive(0.3)])
    frames = drive(0.02)
    assert all(isinstance(frame.stamp_ns, int) for frame in frames)
    assert all(frame.stamp_ns > 0 for frame in frames), "0 is a stamp that nobody has set"
    if real_time:
        assert (steps > 0).all()
        assert np.median(steps) == pytest.approx(plant.control_period_ns, rel=0.1)
    else:
        assert (steps == plant.control_period_ns).all()


def test_samples_carry_their_own_stamps(plant: Plant, drive: Drive) -> None:
    frames = drive(0.3)
    for samples in ([frame.joint_force for frame in frames], [frame.imu for frame in frames]):
        stamps = [sample.stamp_ns if sample is not None else -1 for sample in samples]
        assert stamps == sorted(stamps)
        assert all(stamp <= frame.stamp_ns for stamp, frame in zip(stamps, frames, strict=True))
        assert len(set(stamps)) > 10  # new samples do arrive


def test_frames_handed_out_do_not_change_later(plant: Plant, drive: Drive) -> None:
    plant.arm()
    frame = drive(0.05, wiggle(plant))[-1]
    assert frame.imu is not None
    kept = [
        value.copy() for value in (frame.position, frame.velocity, frame.effort, frame.imu.yaw_rate)
    ]
    drive(0.1, wiggle(plant))
    for before, after in zip(
        kept, (frame.position, frame.velocity, frame.effort, frame.imu.yaw_rate), strict=True
    ):
        assert np.array_equal(before, after)


# --- time, counters, warnings ---------------------------------------------------------------------


def test_now_is_on_the_clock_of_the_stamps(plant: Plant, real_time: bool) -> None:
    zero, ages = np.zeros(plant.robot.joints), []
    for _ in range(40):
        frame = plant.read()
        ages.append(plant.now_ns() - frame.stamp_ns)
        plant.write(zero)
    assert isinstance(plant.now_ns(), int)
    if real_time:
        assert all(0 <= age < 2 * plant.control_period_ns for age in ages)
    else:
        assert ages == [0] * len(ages)


def test_now_never_runs_back(plant: Plant, drive: Drive) -> None:
    times = []
    for _ in range(20):
        times.append(plant.now_ns())
        drive(0.01)
    assert times == sorted(set(times))


def test_counters_are_finite_numbers_by_name(plant: Plant, drive: Drive) -> None:
    drive(0.1)
    counters = plant.counters()
    assert all(isinstance(name, str) and name for name in counters)
    assert all(np.isfinite(value) for value in counters.values())
    drive(0.1)
    assert plant.counters().keys() == counters.keys()


def test_a_healthy_plant_warns_of_nothing(plant: Plant, drive: Drive) -> None:
    drive(0.1)
    assert plant.warnings() == ()


# --- simulation or robot --------------------------------------------------------------------------


def test_only_a_simulation_tells_the_truth(plant: Plant, drive: Drive, real_time: bool) -> None:
    assert (plant.simulation is None) == real_time
    assert (truth_of(plant) is None) == real_time
    if plant.simulation is None:
        return
    plant.arm()
    frame = drive(0.1, wiggle(plant, 0.3))[-1]
    truth = plant.simulation.truth()
    assert truth.stamp_ns == frame.stamp_ns
    assert truth.joint_position == pytest.approx(frame.position, abs=FAR_FROM_ZERO / 5)


def test_a_simulation_begins_anew_disarmed(plant: Plant, drive: Drive) -> None:
    if plant.simulation is None:
        return  # a robot cannot; the test above holds it to saying so
    first = plant.read()
    plant.arm()
    drive(0.1, wiggle(plant))
    plant.simulation.reset()
    again = plant.read()
    assert not plant.armed
    assert again.stamp_ns == first.stamp_ns == plant.now_ns()
    assert np.array_equal(again.position, first.position)


# --- torque ---------------------------------------------------------------------------------------


def test_starts_disarmed(plant: Plant, drive: Drive) -> None:
    frames = drive(0.3, 2.0)
    assert frames[-1].position == pytest.approx(frames[0].position, abs=FAR_FROM_ZERO / 5)
    assert frames[-1].effort == pytest.approx(np.zeros(plant.robot.joints), abs=ONLY_NOISE)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("where", ["tail", "middle", "head"])
def test_positive_torque_turns_its_joint_counter_clockwise(
    plant: Plant, drive: Drive, sign: int, where: str
) -> None:
    joint = {"tail": 0, "middle": plant.robot.joints // 2, "head": plant.robot.joints - 1}[where]
    plant.arm()
    frames = drive(0.15, one_joint(plant, joint, sign * PUSH))
    moved = frames[-1].position - frames[0].position
    assert sign * moved[joint] > FAR_FROM_ZERO
    assert np.abs(moved).argmax() == joint
    assert sign * frames[-1].velocity[joint] > 0
    assert sign * frames[-1].effort[joint] == pytest.approx(PUSH, abs=0.1 * PUSH)


def test_disarm_ends_the_torque(plant: Plant, drive: Drive) -> None:
    plant.arm()
    assert np.abs(drive(0.05, wiggle(plant))[-1].effort).max() > 5 * ONLY_NOISE
    plant.disarm()
    assert drive(0.05, 1.0)[-1].effort == pytest.approx(
        np.zeros(plant.robot.joints), abs=ONLY_NOISE
    )


def test_arm_again_after_disarm(plant: Plant, drive: Drive) -> None:
    for _ in range(2):
        plant.arm()
        plant.arm()
        assert drive(0.1, one_joint(plant, 0, PUSH))[-1].effort[0] == pytest.approx(
            PUSH, abs=0.1 * PUSH
        )
        plant.disarm()
        drive(0.05)


def test_reset_fault_ends_disarmed(plant: Plant, drive: Drive) -> None:
    plant.arm()
    drive(0.05)
    plant.reset_fault()
    assert drive(0.1, 1.0)[-1].effort == pytest.approx(np.zeros(plant.robot.joints), abs=ONLY_NOISE)


@pytest.mark.parametrize("bad", ["short", "long", "nan", "inf"])
def test_wrong_torques_are_refused(plant: Plant, drive: Drive, bad: str) -> None:
    joints = plant.robot.joints
    torque = {
        "short": np.ones(joints - 1),
        "long": np.ones(joints + 1),
        "nan": np.full(joints, np.nan),
    }.get(bad, np.full(joints, np.inf))
    plant.arm()
    drive(0.02)
    with pytest.raises(PlantError, match="torque"):
        plant.write(torque)
    assert np.isfinite(drive(0.05)[-1].position).all()


def test_armed_is_what_the_verbs_made_it(plant: Plant, drive: Drive) -> None:
    assert not plant.armed
    drive(0.02)
    for leave in (plant.disarm, plant.reset_fault, plant.close):
        plant.arm()
        assert plant.armed
        leave()
        assert not plant.armed


def test_a_latched_fault_of_the_gate_is_told_at_any_time(plant: Plant, drive: Drive) -> None:
    drive(0.02)
    plant.fault_latched("test: told while open")
    assert not plant.armed
    drive(0.02, 1.0)
    plant.close()
    plant.fault_latched("test: told after the end")


# --- physics: signs, units and frames of every sensor ---------------------------------------------


def test_imu_and_encoders_agree(plant: Plant, drive: Drive) -> None:
    """phi_i = theta_{i+1} - theta_i, for yaw against position and for yaw rate against velocity."""
    plant.arm()
    frames = drive(0.7, wiggle(plant))
    samples = {frame.imu.stamp_ns: frame.imu for frame in frames if frame.imu is not None}
    stamps = [stamp for stamp in samples if stamp >= frames[0].stamp_ns]
    turned = np.diff([samples[stamp].yaw for stamp in stamps], axis=1)
    turning = np.diff([samples[stamp].yaw_rate for stamp in stamps], axis=1)
    position, velocity = (_at(stamps, frames, name) for name in ("position", "velocity"))
    assert len(stamps) > 50
    assert slope(position - position[0], turned - turned[0]) == pytest.approx(1.0, abs=0.1)
    assert slope(velocity, turning) == pytest.approx(1.0, abs=0.1)


def _at(stamps: list[int], frames: list[SensorFrame], name: str) -> Array:
    """A joint signal at the stamps of other samples, shape (n_stamps, n_joints)."""
    times = [frame.stamp_ns for frame in frames]
    signal = np.array([getattr(frame, name) for frame in frames])
    return np.column_stack([np.interp(stamps, times, column) for column in signal.T])


def test_joint_force_moves_the_end_links_as_newton_says(plant: Plant, drive: Drive) -> None:
    """A free chain: joint 1 carries m a of the tail link, the last joint minus m a of the head
    link.
    """
    plant.arm()
    frames = drive(1.0, wiggle(plant, 0.6))
    mass = plant.robot.link.mass
    pulls, tail, pushes, head = [], [], [], []
    for frame in frames:
        force, imu = frame.joint_force, frame.imu
        if force is None or imu is None or force.stamp_ns != imu.stamp_ns:
            continue
        phi = imu.yaw[1] - imu.yaw[0]  # joint 1's sensor is fixed to link 2
        turn = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
        pulls.append(turn @ force.force[0, :2])
        tail.append(mass * imu.acceleration[0])
        pushes.append(-force.force[-1, :2])
        head.append(mass * imu.acceleration[-1])
    assert len(pulls) > 30
    assert slope(np.array(tail), np.array(pulls)) == pytest.approx(1.0, abs=0.15)
    assert slope(np.array(head), np.array(pushes)) == pytest.approx(1.0, abs=0.15)


def slope(x: Array, y: Array) -> float:
    """Least squares slope of y over x; x must vary enough to mean something."""
    assert np.std(x) > 0.01
    return float(np.sum(x * y) / np.sum(x * x))


# --- tare -----------------------------------------------------------------------------------------


def test_tare_at_rest_makes_forces_zero(plant: Plant, drive: Drive) -> None:
    drive(1.3)
    plant.tare()
    samples = {
        f.joint_force.stamp_ns: f.joint_force.force
        for f in drive(0.6)[20:]
        if f.joint_force is not None
    }
    mean = np.mean(list(samples.values()), axis=0)[:, :2]
    assert np.abs(mean).max() < 0.3


def test_tare_is_refused_while_armed(plant: Plant, drive: Drive) -> None:
    drive(1.3)
    plant.arm()
    with pytest.raises(PlantError, match=r"armed.*disarm"):
        plant.tare()


def test_tare_is_refused_while_moving(plant: Plant, drive: Drive) -> None:
    plant.arm()
    drive(0.3, one_joint(plant, 0, 1.0))
    plant.disarm()
    drive(0.05)
    with pytest.raises(PlantError, match="tare"):
        plant.tare()


# --- the documentation ----------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", [Plant, Simulation])
def test_the_documentation_lists_the_whole_contract(protocol: type) -> None:
    page = (Path(__file__).parents[2] / "docs" / "plants.md").read_text(encoding="utf-8")
    members = {name for name in vars(protocol) if not name.startswith("_")}
    assert members == {name for name in members if f"| `{name}" in page}


# --- the end --------------------------------------------------------------------------------------


def test_disarm_never_raises(plant: Plant, drive: Drive) -> None:
    plant.disarm()
    plant.disarm()
    plant.arm()
    plant.disarm()
    drive(0.02)
    plant.close()
    plant.disarm()


def test_close_twice_and_nothing_works_afterwards(plant: Plant, drive: Drive) -> None:
    plant.arm()
    drive(0.02, wiggle(plant))
    plant.close()
    plant.close()
    for refused in (
        plant.read,
        plant.arm,
        plant.tare,
        plant.reset_fault,
        lambda: plant.write(np.zeros(plant.robot.joints)),
    ):
        with pytest.raises(PlantError):
            refused()
