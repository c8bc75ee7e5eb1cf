# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The control table against the e-manual's structure and the figures derived from it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_description.errors import BoaError
from boa_hardware.servo.registers import (
    BAUD_RATES,
    REGISTERS,
    TABLE_SIZE,
    Register,
    baud_code,
    describe_hardware_error,
    indirect_address,
    indirect_data,
    register,
)


def test_registers_do_not_overlap_and_fit_the_table() -> None:
    taken: dict[int, str] = {}
    for entry in REGISTERS.values():
        for address in range(entry.address, entry.end):
            assert address < TABLE_SIZE
            assert address not in taken, f"{entry.name} overlaps {taken.get(address)}"
            taken[address] = entry.name


def test_defaults_lie_in_their_ranges() -> None:
    for entry in REGISTERS.values():
        if entry.default is not None and entry.name != "model_information":
            low, high = entry.limits
            assert low <= entry.default <= high, entry.name


@pytest.mark.parametrize(
    ("name", "address", "size", "eeprom", "writable", "default"),
    [
        ("model_number", 0, 2, True, False, 1150),
        ("return_delay_time", 9, 1, True, True, 250),
        ("operating_mode", 11, 1, True, True, 3),
        ("current_limit", 38, 2, True, True, 1188),
        ("shutdown", 63, 1, True, True, 52),
        ("torque_enable", 64, 1, False, True, 0),
        ("hardware_error_status", 70, 1, False, False, 0),
        ("bus_watchdog", 98, 1, False, True, 0),
        ("goal_current", 102, 2, False, True, None),
        ("present_current", 126, 2, False, False, None),
        ("present_velocity", 128, 4, False, False, None),
        ("present_position", 132, 4, False, False, None),
        ("present_input_voltage", 144, 2, False, False, None),
        ("present_temperature", 146, 1, False, False, None),
    ],
)
def test_rows_of_the_emanual(
    name: str, address: int, size: int, eeprom: bool, writable: bool, default: int | None
) -> None:
    entry = register(name)
    assert (entry.address, entry.size, entry.eeprom, entry.writable, entry.default) == (
        address,
        size,
        eeprom,
        writable,
        default,
    )


@pytest.mark.parametrize(
    ("slot", "address", "data"),
    [(1, 168, 224), (28, 222, 251), (29, 578, 634), (54, 628, 659), (56, 632, 661)],
)
def test_indirect_slots_of_the_emanual(slot: int, address: int, data: int) -> None:
    assert indirect_address(slot) == address
    assert indirect_data(slot) == data
    # a slot points at its own data until it is set
    assert register(f"indirect_address_{slot}").default == data


def test_units_reproduce_the_data_sheet() -> None:
    """No-load speed, 60 rev/min, and stall current, 2.4 A, to half a count."""
    assert 60 * 2 * math.pi / 60 / register("present_velocity").to_si(1) == pytest.approx(
        262, abs=0.5
    )
    assert 2.4 / register("goal_current").to_si(1) == pytest.approx(892, abs=0.5)
    assert register("present_position").to_si(4096) == pytest.approx(2 * math.pi, rel=1e-15)
    assert register("return_delay_time").to_si(250) == pytest.approx(500e-6)
    assert register("bus_watchdog").to_si(5) == pytest.approx(0.1)
    assert register("present_input_voltage").to_si(240) == pytest.approx(24.0)


def test_logged_unsigned_words_are_negative_values() -> None:
    assert register("present_current").decode((65535).to_bytes(2, "little")) == -1
    assert register("present_velocity").decode((4294967292).to_bytes(4, "little")) == -4
    assert register("bus_watchdog").decode(b"\xff") == -1


@given(st.sampled_from(sorted(REGISTERS)), st.data())
def test_every_value_in_range_survives_the_bytes(name: str, data: st.DataObject) -> None:
    entry = register(name)
    low, high = entry.limits
    raw = data.draw(st.integers(low, high))
    assert entry.decode(entry.encode(raw)) == raw


@given(
    st.sampled_from([entry for entry in REGISTERS.values() if entry.writable]),
    st.integers(1, 10_000),
)
def test_values_outside_the_range_are_refused(entry: Register, beyond: int) -> None:
    low, high = entry.limits
    for raw in (low - beyond, high + beyond):
        with pytest.raises(BoaError, match=f"{entry.name}.*{raw}"):
            entry.encode(raw)


def test_wrong_names_and_rates_name_the_right_ones() -> None:
    with pytest.raises(BoaError, match="goal_current"):
        register("goal_curent")
    with pytest.raises(BoaError, match="3000000"):
        baud_code(3_500_000)
    assert [baud_code(rate) for rate in BAUD_RATES.values()] == list(BAUD_RATES)


def test_hardware_errors_in_words() -> None:
    assert describe_hardware_error(0) == "none"
    assert describe_hardware_error(0x24) == "overheating, overload"
    assert "0x40" in describe_hardware_error(0x41)
