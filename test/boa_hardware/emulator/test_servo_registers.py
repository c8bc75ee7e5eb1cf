# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated servo's control table against the e-manual: access, ranges, maps, backup."""

from __future__ import annotations

import pytest

from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import ErrorCode, Instruction, Packet, Status
from boa_hardware.servo.registers import MODEL_NUMBER, REGISTERS, indirect_address
from test.boa_hardware.emulator.servo_bench import ID, Bench
from test.boa_hardware.free_joint import FreeJoint


def test_factory_state() -> None:
    bench = Bench()
    answer = bench.send(protocol.ping(ID))
    assert answer == Status(ID, 0, MODEL_NUMBER.to_bytes(2, "little") + bytes((46,)))
    for entry in REGISTERS.values():
        if entry.default is not None and entry.name != "id":
            assert bench.servo.table[entry.name] == entry.default, entry.name


def test_eeprom_is_locked_under_torque() -> None:
    bench = Bench()
    bench.current_mode()
    for name in ("id", "current_limit", "operating_mode", "return_delay_time"):
        assert bench.write(name, 1) == ErrorCode.ACCESS
    assert bench.write("torque_enable", 0) == 0
    assert bench.write("return_delay_time", 0) == 0


def test_errors_of_writes() -> None:
    bench = Bench(eeprom={"current_limit": 300})
    assert bench.write("present_position", 1) == ErrorCode.ACCESS
    assert bench.answer(protocol.write(ID, 150, b"\x00")).error == ErrorCode.ACCESS
    assert bench.answer(protocol.write(ID, 661, b"\x00\x00")).error == ErrorCode.ACCESS
    assert bench.answer(protocol.write(ID, 116, b"\x00\x00")).error == ErrorCode.DATA_LENGTH
    assert bench.write("torque_enable", 2) == ErrorCode.DATA_RANGE
    assert bench.write("operating_mode", 2) == ErrorCode.DATA_RANGE
    assert bench.write("bus_watchdog", 128) == ErrorCode.DATA_RANGE
    assert bench.write("goal_current", 301) == ErrorCode.DATA_LIMIT
    assert bench.write("goal_current", -301) == ErrorCode.DATA_LIMIT
    assert bench.write("goal_current", -300) == 0
    assert bench.answer(protocol.read(ID, 661, 2)).error == ErrorCode.ACCESS


def test_a_write_of_several_registers_is_all_or_none() -> None:
    bench = Bench(eeprom={"current_limit": 300})
    before = bench.read("goal_pwm")
    both = (10).to_bytes(2, "little") + (301).to_bytes(2, "little")
    assert bench.answer(protocol.write(ID, 100, both)).error == ErrorCode.DATA_LIMIT
    assert bench.read("goal_pwm") == before


def test_indirect_map_reads_and_writes_through() -> None:
    bench = Bench()
    for slot, address in enumerate((65, 132, 133, 134, 135), start=1):
        status = bench.send(
            protocol.write(ID, indirect_address(slot), address.to_bytes(2, "little"))
        )
        assert status is not None
        assert status.error == 0
    status = bench.send(protocol.read(ID, 224, 5))
    assert status is not None
    assert (
        int.from_bytes(status.data[1:], "little", signed=True)
        == bench.read("present_position")
        == 2048
    )
    assert bench.send(protocol.write(ID, 224, b"\x01")) == Status(ID, 0)
    assert bench.read("led") == 1
    assert bench.send(protocol.write(ID, 225, b"\x00\x00\x00\x00")) == Status(ID, ErrorCode.ACCESS)
    assert bench.send(protocol.write(ID, indirect_address(6), b"\x09\x00")) == Status(
        ID, ErrorCode.DATA_RANGE
    )


@pytest.mark.parametrize(("address", "size"), [(14, 1), (400, 1), (400, 4), (12, 4), (661, 2)])
def test_addresses_without_a_register_are_not_read(address: int, size: int) -> None:
    """E-manual, error 7: reading an address that has not been defined."""
    assert Bench().answer(protocol.read(ID, address, size)) == Status(ID, ErrorCode.ACCESS)


@pytest.mark.parametrize(("mode", "limited"), [(3, True), (4, False), (5, False)])
def test_position_mode_alone_limits_the_goal_position(mode: int, limited: bool) -> None:
    """E-manual: Goal Position ranges from Min to Max Position Limit; the limits count in position
    control mode only.
    """
    eeprom = {"operating_mode": mode, "min_position_limit": 1000, "max_position_limit": 3000}
    bench = Bench(eeprom=eeprom)
    refused = ErrorCode.DATA_LIMIT if limited else 0
    assert [bench.write("goal_position", goal) for goal in (999, 1000, 3000, 3001)] == [
        refused,
        0,
        0,
        refused,
    ]


def test_realtime_tick_counts_milliseconds_and_wraps() -> None:
    bench = Bench()
    bench.wait(1.0, step=0.01)
    assert abs(bench.read("realtime_tick") - 1000) <= 1
    bench.now = 33.0
    assert abs(bench.read("realtime_tick") - (33000 - 32768)) <= 1


# e-manual, Protocol 2.0, Control Table Backup, for ID 1; there the second has a wrong CRC, 92 F5
STORE = bytes.fromhex("FF FF FD 00 01 08 00 20 01 43 54 52 4C 16 F5")
RESTORE = bytes.fromhex("FF FF FD 00 01 08 00 20 02 43 54 52 4C 9E F5")
OK = bytes.fromhex("FF FF FD 00 01 04 00 55 00 A1 0C")


def test_control_table_backup_stores_and_restores_the_eeprom() -> None:
    servo = EmulatedServo(1, FreeJoint(), eeprom={"current_limit": 300})
    assert servo.table["backup_ready"] == 0
    assert servo.handle(STORE, 0.0) == OK
    assert servo.table["backup_ready"] == 1
    servo.write(38, (700).to_bytes(2, "little"))
    assert servo.handle(RESTORE, 0.0) == OK
    assert servo.table["current_limit"] == 300
    assert not servo.awake(0.0)  # it restarts
    assert servo.table["backup_ready"] == 1


@pytest.mark.parametrize(("startup", "gain"), [(0, 800), (2, 640)])
def test_startup_configuration_restores_what_the_backup_keeps_of_ram(
    startup: int, gain: int
) -> None:
    servo = EmulatedServo(1, FreeJoint(), eeprom={"startup_configuration": startup})
    servo.write(REGISTERS["position_p_gain"].address, (640).to_bytes(2, "little"))
    servo.write(REGISTERS["led"].address, b"\x01")
    assert servo.handle(STORE, 0.0) == OK
    servo.reboot(1.0)
    assert (servo.table["position_p_gain"], servo.table["led"]) == (gain, 0)


def test_control_table_backup_is_refused_under_torque_without_backup_and_by_old_firmware() -> None:
    bench = Bench()
    store, restore = (
        Packet(ID, Instruction.CONTROL_TABLE_BACKUP, p) for p in (b"\x01CTRL", b"\x02CTRL")
    )
    assert bench.call(restore) == Status(ID, ErrorCode.RESULT_FAIL)
    assert bench.write("torque_enable", 1) == 0
    assert bench.call(store) == Status(ID, ErrorCode.RESULT_FAIL)
    assert Bench(firmware=44).call(store) == Status(ID, ErrorCode.INSTRUCTION)
