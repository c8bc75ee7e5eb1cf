"""The torque gate: every limit swept to 1.5 times its value, armed and disarmed; invariants by
hypothesis.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_control.plant import ForceSample, PlantError, SensorFrame
from boa_control.safety.command import Command
from boa_control.safety.faults import Fault, FaultName
from boa_control.safety.gate import (
    COMMAND_FADE,
    COMMAND_LOST,
    VELOCITY_FADE,
    GateDecision,
    GateSettings,
    GateState,
    Rule,
    arm,
    disarm,
    gate,
    initial_state,
    reset_fault,
)
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_description.robot import Limits

MS = 1_000_000
NOW = 5_000 * MS
LIMITS = Limits(
    torque=7.0,
    torque_rate=500.0,
    joint_margin=0.2,
    velocity=6.0,
    joint_force_warn=45.0,
    joint_force_fault=50.0,
    temperature_warn=70.0,
    temperature_fault=75.0,
    command_age=0.05,
    sensor_age=0.03,
)
SETTINGS = GateSettings(
    LIMITS, lower=-1.5, upper=1.2, joint_names=("joint_01", "joint_02", "joint_03"), period=0.002
)
USED = GateState(
    armed=True, torque=np.ones(3), last_command_ns=7, stale=frozenset({Rule.SENSOR_AGE})
)
STEP = 500.0 * 0.002  # N m: what the rate limit allows per tick
SWEEP = [round(0.1 * k, 1) for k in range(16)]  # shares of a limit


def frame(**changes: Any) -> SensorFrame:
    base = SensorFrame(
        stamp_ns=NOW,
        position=np.zeros(3),
        velocity=np.zeros(3),
        effort=np.zeros(3),
        joint_force=ForceSample(NOW, np.zeros((3, 3))),
        imu=None,
        temperature=np.full(3, 30.0),
        joint_age=np.zeros(3),
    )
    return base._replace(**changes)


def forces(joint: int, axis: int, value: float) -> ForceSample:
    force = np.zeros((3, 3))
    force[joint, axis] = value
    return ForceSample(NOW, force)


def armed(last: float | Array = 0.0) -> GateState:
    """Armed, with the output of the tick before; set to the wish, it takes the rate limit out of
    the game.
    """
    return GateState(armed=True, torque=np.broadcast_to(np.asarray(last, float), (3,)).copy())


def ask(
    torque: float | Array, state: GateState, seen: SensorFrame | None = None, age_ms: float = 0.0
) -> tuple[GateState, GateDecision]:
    command = Command(
        np.broadcast_to(np.asarray(torque, float), (3,)).copy(), NOW - round(age_ms * MS)
    )
    return gate(state, seen or frame(), command, NOW, SETTINGS)


# --- settings -------------------------------------------------------------------------------------


def test_settings_are_those_of_the_robot_in_si_units() -> None:
    robot = load_robot("boa13", links=4)
    settings = GateSettings.of(robot, 5_000_000)
    assert settings.period == pytest.approx(0.005, rel=1e-12)
    assert settings.limits is robot.limits
    assert (settings.lower, settings.upper) == (robot.joint.lower, robot.joint.upper)
    assert settings.joint_names == robot.joint_names and settings.joints == 3
    assert GateSettings.of(robot, 5_000_000, LIMITS).limits is LIMITS


def test_the_constants_are_those_of_the_manual() -> None:
    assert (VELOCITY_FADE, COMMAND_FADE, COMMAND_LOST) == (0.2, 0.5, 10)


# --- armed or not ---------------------------------------------------------------------------------


@pytest.mark.parametrize("share", SWEEP)
def test_disarmed_gives_exactly_zero(share: float) -> None:
    for sign in (1, -1):
        state, decision = ask(sign * share * LIMITS.torque, initial_state(SETTINGS))
        assert not decision.armed
        assert decision.torque.tobytes() == np.zeros(3).tobytes()
        assert not state.armed


def test_arm_then_torque_acts_and_disarm_ends_it() -> None:
    state = arm(initial_state(SETTINGS), frame(), NOW, SETTINGS)
    state, decision = ask(0.5, state)
    assert decision.torque == pytest.approx([0.5] * 3)
    state = disarm(state)
    state, decision = ask(0.5, state)
    assert not decision.torque.any()
    assert not state.faults


def test_the_first_state_is_disarmed() -> None:
    assert initial_state(SETTINGS).armed is False


def test_disarming_forgets_torque_and_command() -> None:
    state = disarm(USED)
    assert state.armed is False and state.last_command_ns is None
    assert state.torque.tobytes() == np.zeros(3).tobytes()


def test_a_reset_forgets_which_rules_were_cutting() -> None:
    assert reset_fault(USED).stale == frozenset()


def test_arming_twice_keeps_the_torque() -> None:
    state = armed(3.0)
    assert arm(state, frame(), NOW, SETTINGS) is state


def test_rearming_starts_from_zero() -> None:
    state = arm(disarm(armed(7.0)), frame(), NOW, SETTINGS)
    _, decision = ask(7.0, state)
    assert decision.torque == pytest.approx([STEP] * 3)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (None, "no sensor frame"),
        (frame(stamp_ns=NOW - 31 * MS), "0.031 s old"),
        (frame(stamp_ns=NOW + MS), "s old"),
        (frame(position=np.array([0, np.nan, 0])), "joint_02"),
        (frame(velocity=np.array([0, 0, np.nan])), "joint_03"),
        (frame(joint_age=np.array([0.031, 0, 0])), "joint_01"),
        (frame(faults=("servo 3 (joint_03): overload",)), "overload"),
        (frame(joint_force=forces(1, 0, 50.0)), "joint_02: joint force 50.000 N, limit 50.0 N"),
        (frame(temperature=np.array([30, 75.0, 30])), "temperature 75.000 degC, limit 75.0 degC"),
    ],
)
def test_arm_is_refused_with_the_reason(seen: SensorFrame | None, reason: str) -> None:
    with pytest.raises(PlantError, match="cannot arm") as refusal:
        arm(initial_state(SETTINGS), seen, NOW, SETTINGS)
    assert reason in str(refusal.value)


@pytest.mark.parametrize("age_ms", [0, 30])
def test_arming_accepts_a_frame_up_to_its_age_limit(age_ms: int) -> None:
    assert arm(initial_state(SETTINGS), frame(stamp_ns=NOW - age_ms * MS), NOW, SETTINGS).armed


def test_a_refusal_says_how_many_faults_there_are() -> None:
    one, two = frame(faults=("a: 1",)), frame(faults=("a: 1", "b: 2"))
    for seen, text in ((one, "cannot arm, fault plant: a: 1"), (two, "a: 1 (and 1 more)")):
        with pytest.raises(PlantError) as refusal:
            arm(initial_state(SETTINGS), seen, NOW, SETTINGS)
        assert str(refusal.value).endswith(text)


# --- limits on the command ------------------------------------------------------------------------


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("sign", [1, -1])
def test_torque_limit(share: float, sign: int) -> None:
    wish = sign * share * LIMITS.torque
    _, decision = ask(wish, armed(wish))
    assert decision.torque == pytest.approx([sign * min(share, 1.0) * LIMITS.torque] * 3, abs=1e-12)
    assert decision.saturated.all() == (share > 1)
    assert (Rule.TORQUE in decision.rules) == (share > 1)


def test_beyond_the_torque_limit_only_that_rule_is_named_and_nothing_trips() -> None:
    _, decision = ask(3 * LIMITS.torque, armed(LIMITS.torque))
    assert decision.rules == (Rule.TORQUE,)
    assert decision.trips == ()


def test_a_rule_is_named_when_it_cuts_one_joint() -> None:
    _, decision = ask(1.0, armed(1.0), frame(velocity=np.array([LIMITS.velocity, 0.0, 0.0])))
    assert decision.rules == (Rule.VELOCITY,)
    assert decision.saturated.tolist() == [True, False, False]


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("sign", [1, -1])
def test_rate_limit_per_tick_and_joint(share: float, sign: int) -> None:
    last = sign * np.array([0.0, 2.0, 4.0])
    wish = last + sign * share * STEP
    _, decision = ask(wish, armed(last))
    assert decision.torque == pytest.approx(last + sign * min(share, 1.0) * STEP)
    assert (Rule.RATE in decision.rules) == (share > 1 + 1e-9)


def test_rate_limit_from_tick_to_tick() -> None:
    state = armed()
    outputs = []
    for _ in range(9):
        state, decision = ask(7.0, state)
        outputs.append(decision.torque[0])
    assert outputs == pytest.approx([1, 2, 3, 4, 5, 6, 7, 7, 7])


def test_towards_zero_is_immediate_and_the_other_sign_starts_at_zero() -> None:
    _, decision = ask(np.array([0.0, 1.0, -7.0]), armed(7.0))
    assert decision.torque == pytest.approx([0.0, 1.0, -STEP])
    assert ask(-7.0, armed(0.5))[1].torque == pytest.approx([-STEP] * 3)


# --- joint range and velocity ---------------------------------------------------------------------


@pytest.mark.parametrize("share", [*(-share for share in SWEEP[:0:-1]), *SWEEP])
def test_soft_joint_range(share: float) -> None:
    position = share * (SETTINGS.upper if share > 0 else -SETTINGS.lower)
    seen = frame(position=np.full(3, position))
    up = np.clip((SETTINGS.upper - position) / LIMITS.joint_margin, 0, 1) * LIMITS.torque
    down = np.clip((position - SETTINGS.lower) / LIMITS.joint_margin, 0, 1) * LIMITS.torque
    assert ask(7.0, armed(7.0), seen)[1].torque == pytest.approx([up] * 3)
    assert ask(-7.0, armed(-7.0), seen)[1].torque == pytest.approx([-down] * 3)


@pytest.mark.parametrize("sign", [1, -1])
def test_small_torques_obey_joint_range_and_velocity_too(sign: int) -> None:
    outside = sign * (max(SETTINGS.upper, -SETTINGS.lower) + 0.1)
    for seen in (
        frame(position=np.full(3, outside)),
        frame(velocity=np.full(3, sign * LIMITS.velocity)),
    ):
        assert not ask(sign * 0.5, armed(sign * 0.5), seen)[1].torque.any()
        back = ask(-sign * 0.5, armed(-sign * 0.5), seen)[1].torque
        assert back == pytest.approx([-sign * 0.5] * 3)


def test_joint_range_without_margin_is_a_hard_stop() -> None:
    hard = replace(SETTINGS, limits=LIMITS.model_copy(update={"joint_margin": 0.0}))
    seen = frame(position=np.array([1.19, 1.2, 1.3]))
    command = Command(np.full(3, 7.0), NOW)
    assert gate(armed(7.0), seen, command, NOW, hard)[1].torque == pytest.approx([7.0, 0.0, 0.0])
    back = Command(np.full(3, -7.0), NOW)
    assert gate(armed(-7.0), seen, back, NOW, hard)[1].torque == pytest.approx([-7.0] * 3)


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("sign", [1, -1])
def test_velocity_limit(share: float, sign: int) -> None:
    seen = frame(velocity=np.full(3, sign * share * LIMITS.velocity))
    allowed = np.clip((1 - share) / VELOCITY_FADE, 0, 1) * LIMITS.torque
    faster = ask(sign * 7.0, armed(sign * 7.0), seen)[1]
    slower = ask(-sign * 7.0, armed(-sign * 7.0), seen)[1]
    assert faster.torque == pytest.approx([sign * allowed] * 3, abs=1e-12)
    assert slower.torque == pytest.approx([-sign * 7.0] * 3)


def test_a_joint_of_unknown_position_or_velocity_coasts_alone() -> None:
    for unknown in (
        frame(position=np.array([0, np.nan, 0])),
        frame(velocity=np.array([0, np.nan, 0])),
    ):
        _, decision = ask(3.0, armed(3.0), unknown)
        assert decision.torque == pytest.approx([3.0, 0.0, 3.0])
        assert decision.armed


# --- freshness ------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", SWEEP)
def test_command_age_ramps_to_zero(share: float) -> None:
    state, decision = ask(7.0, armed(7.0), age_ms=share * LIMITS.command_age * 1e3)
    expected = np.clip((1 - share) / (1 - COMMAND_FADE), 0, 1) * LIMITS.torque
    assert decision.torque == pytest.approx([expected] * 3, abs=1e-9)
    assert decision.armed
    assert (Rule.COMMAND_AGE in decision.trips) == (share > COMMAND_FADE + 1e-9)
    assert state.armed


@pytest.mark.parametrize("share", SWEEP)
def test_disarmed_stays_zero_at_any_command_age(share: float) -> None:
    _, decision = ask(7.0, initial_state(SETTINGS), age_ms=share * LIMITS.command_age * 1e3)
    assert not decision.torque.any() and decision.trips == ()


def test_no_command_is_no_torque() -> None:
    _, decision = gate(armed(7.0), frame(), None, NOW, SETTINGS)
    assert not decision.torque.any() and not decision.saturated.any()
    assert decision.armed


def test_a_command_from_the_future_is_no_command() -> None:
    _, decision = ask(7.0, armed(7.0), age_ms=-1.0)
    assert not decision.torque.any()


@pytest.mark.parametrize("share", [*SWEEP, -0.1])
def test_sensor_age(share: float) -> None:
    old = frame(stamp_ns=NOW - round(share * LIMITS.sensor_age * 1e9))
    _, decision = ask(7.0, armed(7.0), old)
    assert decision.torque == pytest.approx([7.0 if 0 <= share <= 1 else 0.0] * 3)
    assert (Rule.SENSOR_AGE in decision.trips) == (not 0 <= share <= 1)
    assert decision.armed


@pytest.mark.parametrize("share", SWEEP)
def test_joint_age_holds_and_then_latches(share: float) -> None:
    seen = frame(joint_age=np.array([0.0, share * LIMITS.sensor_age, 0.0]))
    state, decision = ask(3.0, armed(2.5), seen)
    if share > 1:
        assert not decision.torque.any()
        assert [fault.name for fault in state.faults] == [FaultName.JOINT_STALE]
        assert state.faults[0].subject == "joint_02"
    else:
        assert decision.torque == pytest.approx([3.0, 2.5 if share > 0 else 3.0, 3.0])
        assert not state.faults


def test_a_blind_joint_may_fall_but_not_turn_round() -> None:
    seen = frame(joint_age=np.full(3, 0.002))
    _, decision = ask(np.array([1.0, 0.0, -2.0]), armed(2.0), seen)
    assert decision.torque == pytest.approx([1.0, 0.0, 0.0])


def test_a_joint_that_never_answered_is_stale() -> None:
    state, _ = ask(1.0, armed(), frame(joint_age=np.array([np.nan, 0.0, 0.0])))
    assert state.faults[0].name == FaultName.JOINT_STALE


def test_trips_are_counted_once_at_their_onset() -> None:
    state, first = ask(7.0, armed(7.0), age_ms=60)
    state, second = ask(7.0, state, age_ms=60)
    state, _ = ask(7.0, state)
    state, again = ask(7.0, state, age_ms=60)
    assert (first.trips, second.trips, again.trips) == (("command_age",), (), ("command_age",))


def test_a_controller_that_falls_silent_latches() -> None:
    state, _ = ask(1.0, armed())
    assert state.last_command_ns == NOW
    lost = round(COMMAND_LOST * LIMITS.command_age * 1e9)
    old = Command(np.ones(3), NOW)
    for later, latched in ((lost - MS, False), (lost + MS, True)):
        after, decision = gate(state, frame(stamp_ns=NOW + later), old, NOW + later, SETTINGS)
        assert not decision.torque.any()
        assert bool(after.faults) == latched
    assert after.faults[0].name == FaultName.COMMAND_LOST


def test_a_controller_that_has_not_begun_is_not_lost() -> None:
    later = NOW + 3600 * 1000 * MS
    state, decision = gate(
        armed(), frame(stamp_ns=later), Command(np.ones(3), NOW), later, SETTINGS
    )
    assert not decision.torque.any()
    assert not state.faults and state.last_command_ns is None


def test_only_fresh_commands_while_armed_are_remembered() -> None:
    limit = round(LIMITS.command_age * 1e3)
    assert ask(1.0, armed(), age_ms=limit)[0].last_command_ns == NOW - limit * MS
    assert ask(1.0, armed(), age_ms=limit + 1)[0].last_command_ns is None
    assert ask(1.0, initial_state(SETTINGS)._replace(last_command_ns=7))[0].last_command_ns is None


def test_a_controller_whose_commands_vanish_latches() -> None:
    begun = armed()._replace(last_command_ns=0)
    state, _ = gate(begun, frame(), None, NOW, SETTINGS)
    assert [fault.name for fault in state.faults] == [FaultName.COMMAND_LOST]
    assert not ask(1.0, begun)[0].faults, "a fresh command breaks the silence"


def test_two_trips_at_once_are_in_alphabetical_order() -> None:
    old = frame(stamp_ns=NOW - 31 * MS)
    assert ask(1.0, armed(1.0), old, age_ms=60)[1].trips == ("command_age", "sensor_age")


# --- measured quantities --------------------------------------------------------------------------


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("start", [armed(3.0), initial_state(SETTINGS)], ids=["armed", "disarmed"])
def test_joint_force(share: float, axis: int, sign: int, start: GateState) -> None:
    value = share * LIMITS.joint_force_fault
    state, decision = ask(3.0, start, frame(joint_force=forces(2, axis, sign * value)))
    faulty = value >= LIMITS.joint_force_fault
    assert [fault.name for fault in state.faults] == [FaultName.JOINT_FORCE] * faulty
    assert bool(decision.warnings) == (value >= LIMITS.joint_force_warn)
    assert decision.torque == pytest.approx([3.0 if start.armed and not faulty else 0.0] * 3)


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("start", [armed(3.0), initial_state(SETTINGS)], ids=["armed", "disarmed"])
def test_temperature(share: float, start: GateState) -> None:
    value = share * LIMITS.temperature_fault
    state, decision = ask(3.0, start, frame(temperature=np.array([30.0, value, 30.0])))
    faulty = value >= LIMITS.temperature_fault
    assert [(fault.name, fault.subject) for fault in state.faults] == [
        (FaultName.TEMPERATURE, "joint_02")
    ] * faulty
    assert bool(decision.warnings) == (value >= LIMITS.temperature_warn)
    assert decision.torque == pytest.approx([3.0 if start.armed and not faulty else 0.0] * 3)


def test_what_is_not_measured_is_no_fault() -> None:
    missing = ForceSample(NOW, np.full((3, 3), np.nan))
    for seen in (
        frame(joint_force=None),
        frame(joint_force=missing),
        frame(temperature=np.full(3, np.nan)),
    ):
        state, decision = ask(3.0, armed(3.0), seen)
        assert not state.faults
        assert decision.torque == pytest.approx([3.0] * 3)


def test_plant_faults_latch_once_even_when_reworded() -> None:
    state, decision = ask(
        3.0, armed(3.0), frame(faults=("servo 3 (joint_03): no reply for 3 ticks",))
    )
    assert not decision.torque.any()
    assert decision.trips == ("plant",)
    state, decision = ask(3.0, state, frame(faults=("servo 3 (joint_03): no reply for 4 ticks",)))
    assert decision.trips == ()
    assert [str(fault) for fault in state.faults] == [
        "plant: servo 3 (joint_03): no reply for 3 ticks"
    ]


def test_faults_do_not_fill_the_memory() -> None:
    state = armed()
    for number in range(100):
        state, _ = ask(0.0, state, frame(faults=(f"thing {number}: broken",)))
    assert len(state.faults) == 20
    assert state.faults[0].subject == "thing 0"


# --- wrong commands -------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2,), (4,), (0,), (3, 1), (1, 3), ()])
def test_wrong_shape_latches(shape: tuple[int, ...]) -> None:
    state, decision = gate(armed(3.0), frame(), Command(np.ones(shape), NOW), NOW, SETTINGS)
    assert decision.torque.tobytes() == np.zeros(3).tobytes()
    assert state.faults[0].name == FaultName.COMMAND_SHAPE


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("joint", [0, 1, 2])
def test_not_finite_latches(bad: float, joint: int) -> None:
    wish = np.ones(3)
    wish[joint] = bad
    state, decision = ask(wish, armed(3.0))
    assert decision.torque.tobytes() == np.zeros(3).tobytes()
    assert (state.faults[0].name, state.faults[0].subject) == (
        FaultName.COMMAND_NOT_FINITE,
        f"joint_{joint + 1:02d}",
    )


def test_reported_faults_latch() -> None:
    fault = Fault(FaultName.TWO_TORQUE_SOURCES, "command", "two publishers; stop one")
    command = Command(np.ones(3), NOW)
    state, decision = gate(armed(1.0), frame(), command, NOW, SETTINGS, (fault,))
    assert decision.torque.tobytes() == np.zeros(3).tobytes()
    assert state.faults == decision.faults == (fault,)


def test_a_latched_fault_stays_until_reset_and_reset_leaves_disarmed() -> None:
    state, _ = ask(np.nan, armed(3.0))
    for _ in range(5):
        state, decision = ask(3.0, state)
        assert not decision.torque.any()
    with pytest.raises(PlantError, match="command_not_finite"):
        arm(state, frame(), NOW, SETTINGS)
    state = reset_fault(state)
    assert not state.armed
    assert not ask(3.0, state)[1].torque.any()
    state = arm(state, frame(), NOW, SETTINGS)
    assert ask(0.5, state)[1].torque == pytest.approx([0.5] * 3)


def test_reset_disarms_even_without_a_fault() -> None:
    state = reset_fault(armed(3.0))
    assert not state.armed
    assert not ask(3.0, state)[1].torque.any()


# --- invariants -----------------------------------------------------------------------------------

anything = st.floats(allow_nan=True, allow_infinity=True)
near = st.one_of(st.floats(-10, 10), anything)
vectors = arrays(np.float64, 3, elements=near)


@st.composite
def frames(draw: st.DrawFn) -> SensorFrame:
    return frame(
        stamp_ns=NOW - draw(st.integers(-10 * MS, 60 * MS)),
        position=draw(arrays(np.float64, 3, elements=st.one_of(st.floats(-2, 2), anything))),
        velocity=draw(vectors),
        joint_force=draw(
            st.one_of(
                st.none(),
                st.builds(
                    ForceSample,
                    st.just(NOW),
                    arrays(np.float64, (3, 3), elements=st.floats(-40, 40)),
                ),
                st.builds(ForceSample, st.just(NOW), arrays(np.float64, (3, 3), elements=anything)),
            )
        ),
        temperature=draw(arrays(np.float64, 3, elements=st.one_of(st.floats(20, 74), anything))),
        joint_age=draw(
            arrays(np.float64, 3, elements=st.sampled_from([0.0, 0.0, 0.002, 0.03, 0.04, np.nan]))
        ),
        faults=draw(st.sampled_from([(), (), (), ("bus: gone",)])),
    )


commands = st.one_of(
    st.none(), st.builds(Command, vectors, st.integers(NOW - 60 * MS, NOW + 5 * MS))
)
ticks = st.lists(st.tuples(frames(), commands), min_size=1, max_size=6)


@settings(max_examples=150)
@given(
    last=arrays(np.float64, 3, elements=st.floats(-7, 7)), sequence=ticks, start_armed=st.booleans()
)
def test_the_gate_only_reduces(
    last: Array, sequence: list[tuple[SensorFrame, Command | None]], start_armed: bool
) -> None:
    state = GateState(armed=start_armed, torque=last if start_armed else np.zeros(3))
    for seen, command in sequence:
        before = None if command is None else command.torque.copy()
        after, decision = gate(state, seen, command, NOW, SETTINGS)
        out = decision.torque
        assert np.isfinite(out).all()
        assert (np.abs(out) <= LIMITS.torque).all()
        assert (np.abs(out) <= np.maximum(np.abs(state.torque), 0) + STEP + 1e-12).all()
        if command is None or before is None:
            assert not out.any()
        else:
            assert np.array_equal(command.torque, before, equal_nan=True)
            wish = np.nan_to_num(before, nan=0.0)
            assert (np.abs(out) <= np.abs(wish)).all()
            assert (out * wish >= 0).all()
            assert np.array_equal(decision.saturated, np.abs(out) < np.abs(wish)) or decision.faults
        if not state.armed or decision.faults:
            assert not out.any()
            assert not after.armed
        assert set(state.faults) <= set(after.faults)
        _, repeated = gate(state, seen, command, NOW, SETTINGS)
        assert repeated.torque.tobytes() == out.tobytes()
        assert repeated.faults == decision.faults
        state = after


@settings(max_examples=100)
@given(last=arrays(np.float64, 3, elements=st.floats(-7, 7)), seen=frames())
def test_zero_is_always_allowed(last: Array, seen: SensorFrame) -> None:
    _, decision = ask(0.0, armed(last), seen)
    assert decision.torque.tobytes() == np.zeros(3).tobytes()
    assert not decision.saturated.any()


@settings(max_examples=300)
@given(
    last=arrays(np.float64, 3, elements=st.floats(-7, 7)),
    command=commands,
    seen=frames(),
    start_armed=st.booleans(),
)
def test_the_way_out_for_calm_ticks_changes_nothing(
    last: Array, command: Command | None, seen: SensorFrame, start_armed: bool
) -> None:
    """Without it every cap is worked out: decision and state are the same, bit for bit."""
    state = GateState(armed=start_armed, torque=last)
    with pytest.MonkeyPatch.context() as patch:
        short = gate(state, seen, command, NOW, SETTINGS)
        patch.setattr("boa_control.safety.gate._nothing_near", lambda *_: False)
        patch.setattr("boa_control.safety.faults._unremarkable", lambda *_: False)
        full = gate(state, seen, command, NOW, SETTINGS)
    for one, other in zip(short, full, strict=True):
        for name in one.__slots__:
            ours, theirs = getattr(one, name), getattr(other, name)
            if isinstance(ours, np.ndarray):
                assert ours.tobytes() == theirs.tobytes(), name
            else:
                assert ours == theirs, name


def test_calm_ticks_take_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The property above would say nothing if it were never taken."""
    monkeypatch.delattr("boa_control.safety.gate._caps")
    assert ask(0.5, armed())[1].torque == pytest.approx([0.5] * 3)
    with pytest.raises(NameError):
        ask(0.5, armed(), frame(velocity=np.full(3, LIMITS.velocity)))
