"""The emulated servo against the e-manual's statements, trap by trap."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from boa_hardware.emulator.servo import BOOT_TIME, OVERLOAD_TIME, EmulatedServo
from boa_hardware.emulator.servo_physics import FreeJoint
from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import (
    ALERT,
    BROADCAST,
    ErrorCode,
    Instruction,
    Packet,
    Status,
    StreamParser,
)
from boa_hardware.servo.registers import (
    CURRENT,
    MODEL_NUMBER,
    POSITION,
    REGISTERS,
    HardwareError,
    indirect_address,
)

ID = 5


class Bench:
    """A servo with a clock that stands still until it is moved."""

    def __init__(self, eeprom: Mapping[str, int] | None = None, firmware: int = 46) -> None:
        self.joint = FreeJoint()
        self.servo = EmulatedServo(ID, self.joint, eeprom=eeprom, firmware=firmware)
        self.now = 0.0

    def call(self, packet: Packet) -> Status | None:
        """Send one instruction as bytes; the status that comes back as bytes."""
        answer = self.servo.handle(protocol.encode(packet), self.now)
        found = [protocol.as_status(p) for p in StreamParser().feed(answer)]
        assert len(found) <= 1
        return found[0] if found else None

    def send(self, data: bytes) -> Status | None:
        return self.call(StreamParser().feed(data)[0])

    def answer(self, data: bytes) -> Status:
        """The answer, where one must come."""
        status = self.send(data)
        assert status is not None
        return status

    def write(self, name: str, raw: int, servo: int = ID) -> int:
        """Write a register; the error byte of the answer."""
        entry = REGISTERS[name]
        data = raw.to_bytes(entry.size, "little", signed=raw < 0)
        return self.answer(protocol.write(servo, entry.address, data)).error

    def read(self, name: str) -> int:
        entry = REGISTERS[name]
        status = self.answer(protocol.read(ID, entry.address, entry.size))
        assert status.error & ~ALERT == 0
        return entry.decode(status.data)

    def wait(self, seconds: float, step: float = 0.002) -> None:
        """Let time pass without traffic."""
        for _ in range(round(seconds / step)):
            self.now += step
            self.servo.advance(self.now)

    def current_mode(self, watchdog: int = 0) -> None:
        assert self.write("operating_mode", 0) == 0
        assert self.write("goal_current", 0) == 0
        assert self.write("bus_watchdog", watchdog) == 0
        assert self.write("torque_enable", 1) == 0


def test_factory_state() -> None:
    bench = Bench()
    answer = bench.send(protocol.ping(ID))
    assert answer == Status(ID, 0, MODEL_NUMBER.to_bytes(2, "little") + bytes((46,)))
    for entry in REGISTERS.values():
        if entry.default is not None and entry.name != "id":
            assert bench.servo.table[entry.name] == entry.default, entry.name


def test_only_the_own_id_answers() -> None:
    bench = Bench()
    assert bench.send(protocol.ping(ID + 1)) is None
    assert bench.send(protocol.ping(BROADCAST)) is not None
    assert bench.send(protocol.read(BROADCAST, 132, 4)) is None
    assert bench.send(protocol.write(BROADCAST, 65, b"\x01")) is None
    assert bench.read("led") == 1


def test_start_and_change_of_mode_set_goal_current_to_the_limit() -> None:
    bench = Bench(eeprom={"current_limit": 300})
    assert bench.read("goal_current") == 300  # as after power-up
    assert bench.write("goal_current", 0) == 0
    assert bench.write("operating_mode", 0) == 0
    assert bench.read("goal_current") == 300  # the trap: torque on now would be full current
    assert bench.write("goal_current", 0) == 0
    assert bench.write("operating_mode", 0) == 0  # no change, no reset
    assert bench.read("goal_current") == 0


def test_forgetting_the_trap_drives_at_full_current() -> None:
    bench = Bench(eeprom={"operating_mode": 0})
    assert bench.write("torque_enable", 1) == 0
    bench.wait(0.01)
    assert bench.joint.current > 1.0


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


def test_unknown_instructions_and_action_without_reg_write() -> None:
    bench = Bench()
    for packet in (
        Packet(ID, 0x77),
        Packet(ID, Instruction.ACTION),
        Packet(ID, Instruction.READ, b"\x00"),
    ):
        assert bench.call(packet) == Status(ID, ErrorCode.INSTRUCTION)


def test_reg_write_waits_for_action() -> None:
    bench = Bench()
    assert bench.call(Packet(ID, Instruction.REG_WRITE, b"\x41\x00\x01")) == Status(ID, 0)
    assert (bench.read("led"), bench.read("registered_instruction")) == (0, 1)
    assert bench.call(Packet(ID, Instruction.ACTION)) == Status(ID, 0)
    assert (bench.read("led"), bench.read("registered_instruction")) == (1, 0)


@pytest.mark.parametrize(
    ("level", "read_answers", "write_answers"),
    [(0, False, False), (1, True, False), (2, True, True)],
)
def test_status_return_level(level: int, read_answers: bool, write_answers: bool) -> None:
    bench = Bench()
    bench.servo.table["status_return_level"] = level
    assert bench.send(protocol.ping(ID)) is not None
    assert (bench.send(protocol.read(ID, 132, 4)) is not None) == read_answers
    assert (bench.send(protocol.write(ID, 65, b"\x01")) is not None) == write_answers
    assert bench.servo.table["led"] == 1


def test_secondary_id_obeys_but_keeps_still_and_cannot_write_eeprom() -> None:
    bench = Bench(eeprom={"secondary_id": 100})
    assert bench.send(protocol.write(100, 65, b"\x01")) is None
    assert bench.read("led") == 1
    assert bench.send(protocol.write(100, 9, b"\x00")) is None
    assert bench.read("return_delay_time") == 250


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


def test_bus_watchdog_trips_and_must_be_cleared() -> None:
    """e-manual, Bus Watchdog(98), example steps 1 to 8, in current mode."""
    bench = Bench()
    bench.current_mode(watchdog=5)
    assert bench.write("goal_current", 100) == 0
    bench.wait(0.098)
    assert bench.servo.table["bus_watchdog"] == 5
    assert bench.joint.current == pytest.approx(100 * CURRENT)
    bench.wait(0.006)
    assert bench.joint.current == 0.0
    assert bench.read("bus_watchdog") == -1
    assert bench.write("goal_current", 50) == ErrorCode.DATA_RANGE
    assert bench.write("led", 1) == 0
    assert bench.write("bus_watchdog", 0) == 0
    bench.wait(0.05)
    assert bench.joint.current == 0.0  # stays still until there is a new goal
    assert bench.write("goal_current", 50) == 0
    bench.wait(0.05)
    assert bench.joint.current == pytest.approx(50 * CURRENT)


def test_any_instruction_to_anyone_feeds_the_watchdog() -> None:
    bench = Bench()
    bench.current_mode(watchdog=1)
    for _ in range(20):
        bench.wait(0.018)
        assert bench.send(protocol.read(ID + 1, 132, 4)) is None
    assert bench.servo.table["bus_watchdog"] == 1


def test_the_watchdog_sleeps_without_torque() -> None:
    bench = Bench()
    bench.current_mode(watchdog=1)
    assert bench.write("torque_enable", 0) == 0
    bench.wait(1.0, step=0.01)
    assert bench.read("bus_watchdog") == 1


def test_firmware_37_has_no_watchdog() -> None:
    assert Bench(firmware=37).write("bus_watchdog", 5) == ErrorCode.ACCESS


def test_shutdown_clears_torque_and_only_a_reboot_helps() -> None:
    bench = Bench()
    bench.current_mode()
    bench.servo.trip(HardwareError.OVERLOAD)
    assert bench.read("torque_enable") == 0
    assert bench.answer(protocol.ping(ID)).alert
    assert bench.write("torque_enable", 1) & ~ALERT != 0
    assert bench.read("hardware_error_status") == HardwareError.OVERLOAD
    assert bench.send(protocol.reboot(ID)) is not None
    assert bench.send(protocol.ping(ID)) is None  # starting
    bench.wait(BOOT_TIME + 0.01)
    assert bench.read("hardware_error_status") == 0
    assert bench.write("torque_enable", 1) == 0


def test_errors_outside_the_shutdown_mask_only_alert() -> None:
    bench = Bench()  # factory mask 52: no input voltage
    bench.current_mode()
    bench.servo.trip(HardwareError.VOLTAGE)
    assert bench.read("torque_enable") == 1
    assert bench.answer(protocol.ping(ID)).alert


def test_overload_of_a_stalled_joint() -> None:
    bench = Bench()
    bench.current_mode()
    bench.joint.locked = True
    assert bench.write("goal_current", 892) == 0
    bench.wait(OVERLOAD_TIME - 0.1, step=0.02)
    assert bench.read("torque_enable") == 1
    bench.wait(0.2, step=0.02)
    assert (bench.read("torque_enable"), bench.read("hardware_error_status")) == (
        0,
        HardwareError.OVERLOAD,
    )


def test_overheating() -> None:
    bench = Bench()
    bench.current_mode()
    bench.joint.temperature = 80.9
    bench.wait(0.002)
    assert (bench.read("torque_enable"), bench.read("hardware_error_status")) == (
        0,
        HardwareError.OVERHEATING,
    )


def test_reboot_loses_ram_keeps_eeprom_and_forgets_turns() -> None:
    bench = Bench(eeprom={"return_delay_time": 0, "current_limit": 300})
    bench.joint.position = 2 * math.pi * 3 + 1.0
    assert bench.read("present_position") == round((2 * math.pi * 3 + 1.0) / POSITION)
    assert bench.write("bus_watchdog", 9) == 0
    assert bench.write("goal_current", 0) == 0
    bench.send(protocol.write(ID, indirect_address(1), (70).to_bytes(2, "little")))
    bench.send(protocol.reboot(ID))
    bench.wait(BOOT_TIME + 0.01)
    assert bench.read("present_position") == round(1.0 / POSITION)
    assert bench.read("bus_watchdog") == 0
    assert bench.read("goal_current") == 300
    assert bench.read("return_delay_time") == 0
    assert bench.read("indirect_address_1") == 224
    block = bench.send(protocol.read(ID, 224, 14))
    assert block is not None
    assert block.data == bytes(14)  # the trap: a position of 0 with a right CRC


def test_brown_out_is_a_reboot_for_as_long_as_it_lasts() -> None:
    bench = Bench()
    bench.current_mode(watchdog=5)
    bench.joint.voltage = 5.0
    bench.wait(0.05)
    assert bench.send(protocol.ping(ID)) is None
    bench.joint.voltage = 24.0
    bench.wait(BOOT_TIME - 0.05)
    assert bench.send(protocol.ping(ID)) is None
    bench.wait(0.1)
    assert (bench.read("torque_enable"), bench.read("bus_watchdog")) == (0, 0)


def test_a_cut_supply_stops_the_joint_and_restarts_the_servo() -> None:
    bench = Bench()
    bench.current_mode()
    assert bench.write("goal_current", 100) == 0
    bench.wait(0.01)
    bench.servo.cut_power(bench.now + 0.2)
    bench.wait(0.1)
    assert bench.joint.current == 0.0
    assert bench.send(protocol.ping(ID)) is None
    bench.wait(0.1 + BOOT_TIME + 0.01)
    assert bench.read("torque_enable") == 0


def test_startup_configuration_may_switch_torque_on() -> None:
    bench = Bench(eeprom={"startup_configuration": 1})
    assert bench.read("torque_enable") == 1


def test_torque_by_goal_update() -> None:
    bench = Bench(eeprom={"drive_mode": 0x08, "operating_mode": 0})
    assert bench.write("goal_current", 1) == 0
    assert bench.read("torque_enable") == 1


def test_reverse_mode_turns_position_velocity_and_current() -> None:
    plain, reverse = Bench(), Bench(eeprom={"drive_mode": 0x01})
    for bench in (plain, reverse):
        bench.current_mode()
        assert bench.write("goal_current", 200) == 0
        bench.wait(0.1)
    assert plain.joint.position > math.pi > reverse.joint.position
    for name in ("present_current", "present_velocity"):
        assert plain.read(name) == reverse.read(name) > 0


def test_homing_offset_adds_to_the_position() -> None:
    assert Bench(eeprom={"homing_offset": -100}).read("present_position") == 1948


def test_position_mode_holds_the_goal() -> None:
    bench = Bench()
    assert bench.write("torque_enable", 1) == 0
    assert bench.read("goal_position") == 2048  # where it was
    assert bench.write("goal_position", 2500) == 0
    bench.wait(3.0)
    assert abs(bench.read("present_position") - 2500) < 25


def test_velocity_mode_follows_the_goal() -> None:
    bench = Bench()
    assert bench.write("operating_mode", 1) == 0
    assert bench.write("torque_enable", 1) == 0
    assert bench.write("goal_velocity", 100) == 0
    bench.wait(1.0)
    assert 85 < bench.read("present_velocity") <= 100


def test_factory_reset_options() -> None:
    bench = Bench(eeprom={"baud_rate": 5, "current_limit": 300})
    assert bench.call(Packet(BROADCAST, Instruction.FACTORY_RESET, b"\xff")) is None
    assert bench.read("current_limit") == 300  # ignored as a broadcast
    assert bench.call(Packet(ID, Instruction.FACTORY_RESET, b"\x02")) == Status(ID, 0)
    bench.wait(BOOT_TIME + 0.01)
    assert (bench.read("id"), bench.read("baud_rate"), bench.read("current_limit")) == (ID, 5, 1188)
    assert bench.call(Packet(ID, Instruction.FACTORY_RESET, b"\x01")) == Status(ID, 0)
    bench.wait(BOOT_TIME + 0.01)
    assert (bench.read("id"), bench.read("baud_rate")) == (ID, 1)


def test_clear_forgets_turns_only_at_rest() -> None:
    bench = Bench()
    clear = Packet(ID, Instruction.CLEAR, b"\x01DXL\x22")
    bench.joint.position = 2 * math.pi + 1.0
    bench.joint.velocity = 3.0
    assert bench.read("moving") == 1
    assert bench.call(clear) == Status(ID, ErrorCode.RESULT_FAIL)
    bench.joint.velocity = 0.0
    assert bench.read("moving") == 0
    assert bench.call(clear) == Status(ID, 0)
    assert bench.read("present_position") == round(1.0 / POSITION)


def test_realtime_tick_counts_milliseconds_and_wraps() -> None:
    bench = Bench()
    bench.wait(1.0, step=0.01)
    assert abs(bench.read("realtime_tick") - 1000) <= 1
    bench.now = 33.0
    assert abs(bench.read("realtime_tick") - (33000 - 32768)) <= 1


def test_a_silenced_servo_hears_but_does_not_answer() -> None:
    bench = Bench()
    bench.servo.silent = True
    assert bench.send(protocol.write(ID, 65, b"\x01")) is None
    bench.servo.silent = False
    assert bench.read("led") == 1


def test_a_new_id_is_answered_from_the_old_one() -> None:
    """SDK 4.1.0, write1ByteTxRx(1, 7, 12), waits for a status of the ID that it has addressed."""
    servo = EmulatedServo(1, FreeJoint())
    request = bytes.fromhex("FF FF FD 00 01 06 00 03 07 00 0C 9A E3")
    assert servo.handle(request, 0.0) == bytes.fromhex("FF FF FD 00 01 04 00 55 00 A1 0C")
    assert servo.id == 12
    assert servo.handle(protocol.ping(1), 0.0) == b""


def test_a_factory_reset_of_everything_is_answered_from_the_old_id() -> None:
    bench = Bench(eeprom={"baud_rate": 5})
    assert bench.call(Packet(ID, Instruction.FACTORY_RESET, b"\xff")) == Status(ID, 0)
    assert (bench.servo.id, bench.servo.baud) == (1, 57_600)


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


@pytest.mark.parametrize(("address", "size"), [(14, 1), (400, 1), (400, 4), (12, 4), (661, 2)])
def test_addresses_without_a_register_are_not_read(address: int, size: int) -> None:
    """E-manual, error 7: reading an address that has not been defined."""
    assert Bench().answer(protocol.read(ID, address, size)) == Status(ID, ErrorCode.ACCESS)


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
