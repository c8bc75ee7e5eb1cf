# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.faults import cycle_faults, gap_texts, supply_texts
from boa_hardware.servo.obedience import Disobedience, Reason
from boa_hardware.servo.quality import Gap
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint

SETTINGS = ServoBusSettings(joints=tuple(ServoJoint(id=number) for number in (11, 12, 13)))
NAMES = ("joint_01", "joint_02", "joint_03")
ZERO = np.zeros(3)
GOOD = ServoCycle(
    stamp_ns=0,
    position=ZERO,
    velocity=ZERO,
    current=ZERO,
    voltage=ZERO + 24,
    temperature=ZERO + 30,
    error=np.zeros(3, np.uint8),
    hardware_error=np.zeros(3, np.uint8),
    age=ZERO,
    valid=np.ones(3, bool),
    misses=np.zeros(3, np.int64),
    lost_setup=np.zeros(3, bool),
)


def test_a_good_sample_has_no_faults() -> None:
    assert cycle_faults(GOOD, SETTINGS, NAMES) == ()


@pytest.mark.parametrize(("misses", "faults"), [(1, 0), (5, 0), (6, 1), (100, 1)])
def test_lost_packets_are_normal_and_silence_is_not(misses: int, faults: int) -> None:
    cycle = replace(GOOD, misses=np.array([0, misses, 0]))
    found = cycle_faults(cycle, SETTINGS, NAMES)
    assert len(found) == faults
    if found:
        assert (
            found[0]
            == f"servo 12 (joint_02): no reply for {misses} ticks; check its cable and power"
        )


def test_all_silent_is_one_fault() -> None:
    cycle = replace(GOOD, misses=np.array([6, 7, 8]))
    assert cycle_faults(cycle, SETTINGS, NAMES) == (
        "no servo has answered for 6 ticks; check 24 V supply, adapter and cable",
    )


def test_answers_that_only_come_late_do_not_blame_the_supply() -> None:
    cycle = replace(GOOD, misses=np.array([6, 6, 6]), late=True)
    (fault,) = cycle_faults(cycle, SETTINGS, NAMES)
    assert "answers come after the deadline" in fault and "latency timer" in fault
    assert "24 V" not in fault
    one = replace(GOOD, misses=np.array([0, 6, 0]), late=True)
    (fault,) = cycle_faults(one, SETTINGS, NAMES)
    assert fault.startswith("servo 12 (joint_02): no reply for 6 ticks in time: answers come after")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("hardware_error", 0x20, "hardware error: overload"),
        ("error", 0x80, "reports a hardware error"),
        ("error", 0x04, "data range"),
        ("lost_setup", True, "restarted"),
    ],
)
def test_every_kind_names_servo_joint_and_remedy(field: str, value: int, words: str) -> None:
    values = getattr(GOOD, field).copy()
    values[2] = value
    (fault,) = cycle_faults(replace(GOOD, **{field: values}), SETTINGS, NAMES)
    assert fault.startswith("servo 13 (joint_03): ")
    assert words in fault
    assert "reset the fault" in fault


def test_an_expired_watchdog_is_a_fault_of_the_bus() -> None:
    (fault,) = cycle_faults(replace(GOOD, watchdog_expired=True), SETTINGS, NAMES)
    assert "watchdog of 0.1 s" in fault


def test_a_servo_that_does_not_obey_is_named_with_what_its_register_says() -> None:
    cycle = replace(GOOD, disobedient=(Disobedience(1, Reason.PWM_LOWERED, 0),))
    (fault,) = cycle_faults(cycle, SETTINGS, NAMES)
    assert fault.startswith("servo 12 (joint_02): Goal PWM is 0 of 885, so torque is missing")


def test_every_way_not_to_obey_has_words_of_its_own() -> None:
    texts = {
        cycle_faults(replace(GOOD, disobedient=(Disobedience(0, reason, 7),)), SETTINGS, NAMES)
        for reason in Reason
    }
    assert len(texts) == len(Reason)
    assert all("; " in text for (text,) in texts), "each with its remedy"


def test_servos_that_all_fail_alike_are_one_fault() -> None:
    """Also where their answers count as missing: old ones do."""
    found = tuple(Disobedience(joint, Reason.OLD_ANSWERS, 40) for joint in range(3))
    cycle = replace(GOOD, disobedient=found, misses=np.full(3, SETTINGS.miss_limit))
    (fault,) = cycle_faults(cycle, SETTINGS, NAMES)
    assert fault.startswith("all servos: answers are old ones")


def test_its_own_error_comes_first() -> None:
    """A shutdown clears Torque Enable; the reason is the shutdown."""
    cycle = replace(
        GOOD,
        hardware_error=np.array([0x20, 0, 0], np.uint8),
        disobedient=(Disobedience(0, Reason.TORQUE_OFF, 0),),
    )
    (fault,) = cycle_faults(cycle, SETTINGS, NAMES)
    assert "hardware error: overload" in fault


@pytest.mark.parametrize(("age", "faults"), [(0.05, 0), (0.051, 1)])
def test_a_silence_is_as_long_as_the_torque_gate_bears_whatever_the_ticks_last(
    age: float, faults: int
) -> None:
    cycle = replace(GOOD, misses=np.array([0, 3, 0]), age=np.array([0.0, age, 0.0]))
    assert len(cycle_faults(cycle, SETTINGS, NAMES)) == faults


def test_before_its_first_answer_a_servo_has_some_ticks() -> None:
    cycle = replace(GOOD, misses=np.array([0, 5, 0]), age=np.array([0.0, np.inf, 0.0]))
    assert cycle_faults(cycle, SETTINGS, NAMES) == ()


def test_a_low_supply_is_told_before_servos_shut_down() -> None:
    assert supply_texts(GOOD, SETTINGS, NAMES) == ()
    low = replace(GOOD, voltage=np.array([24.0, 11.5, np.nan]))
    (text,) = supply_texts(low, SETTINGS, NAMES)
    assert text.startswith("servo 12 (joint_02): supply 11.5 V, warning below 20 V, off below 11 V")
    (text,) = supply_texts(replace(GOOD, voltage=ZERO + 19.9), SETTINGS, NAMES)
    assert text.startswith("all servos: supply 19.9 V")


def test_gaps_are_told_with_share_window_and_the_longest() -> None:
    gap = Gap(1, 0.126, 1.0, 0.0151)
    assert gap_texts((gap,), SETTINGS, NAMES) == (
        "servo 12 (joint_02): no fresh answer for 13% of the last 1 s (longest 15 ms); check its "
        "cable",
    )
    alike = tuple(Gap(joint, 0.1 * (1 + joint), 1.0, 0.02) for joint in range(3))
    (text,) = gap_texts(alike, SETTINGS, NAMES)
    assert text.startswith("all servos: no fresh answer for 30% of")


def test_a_program_that_stood_still_does_not_blame_a_servo_for_one_lost_packet() -> None:
    cycle = replace(GOOD, misses=np.array([1, 1, 1]), age=np.full(3, 0.08))
    assert cycle_faults(cycle, SETTINGS, NAMES) == ()
