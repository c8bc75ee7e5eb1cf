# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One emulated XH540-V150-R: a control table with the servo's real semantics, as a state machine
without I/O.

What the e-manual says is followed, traps included: a change of Operating Mode (and a start) sets
Goal Current to Current Limit; a tripped Bus Watchdog reads -1 and refuses goals; a shutdown clears
Torque Enable and only a reboot ends it; a reboot loses RAM and the turn count; EEPROM is locked
under torque. Where the e-manual is silent the choice is marked "assumption".
"""

import math
import struct
from collections.abc import Mapping

from boa_hardware.emulator.servo_motor import goal_current, present_count
from boa_hardware.emulator.servo_physics import ServoPhysics, ServoState
from boa_hardware.emulator.servo_setup import ServoSetup
from boa_hardware.emulator.servo_table import GOALS, ControlTable, RefusedError
from boa_hardware.servo.protocol import (
    BROADCAST,
    ErrorCode,
    Instruction,
    Packet,
    Status,
    StreamParser,
    encode_status,
)
from boa_hardware.servo.registers import (
    CURRENT,
    FIRMWARE_BACKUP,
    FIRMWARE_WATCHDOG,
    REGISTERS,
    VELOCITY,
    VOLTAGE,
    WATCHDOG_TRIPPED,
    HardwareError,
    Register,
)

TORQUE_BY_GOAL = 0x08  # bit of Drive Mode
TORQUE_AT_START = 0x01  # bit of Startup Configuration
BOOT_TIME = 0.3  # s without an answer after power-up or reboot (users' reports)
OVERLOAD_CURRENT = 2.4 * 0.98  # A, "maximum output": the stall current; assumption
OVERLOAD_TIME = 3.0  # s of it that count as persistent; assumption
WORKING_VOLTAGE = 9.0  # V below which the servo is off; assumption

# Status Return Level from which an instruction is answered; else 2
_RETURN_LEVEL: dict[int, int] = {Instruction.PING: 0, Instruction.READ: 1}
_STORE, _RESTORE = b"\x01CTRL", b"\x02CTRL"  # parameters of Control Table Backup
# by Factory Reset
_KEPT = {
    0x01: ("id", "firmware_version"),
    0x02: ("id", "firmware_version", "baud_rate"),
}

_TICK = struct.Struct("<HB")  # realtime_tick, moving
_MOTION = struct.Struct("<hii")  # present_current, present_velocity, present_position
_HEALTH = struct.Struct("<HB")  # present_input_voltage, present_temperature
_TICK_AT, _MOTION_AT, _HEALTH_AT = (
    REGISTERS[name].address
    for name in ("realtime_tick", "present_current", "present_input_voltage")
)


class EmulatedServo:
    """One servo. Times are seconds on any clock that never runs back; `physics` shares it.

    Args:
        servo_id: value of the ID register.
        physics: what it moves.
        eeprom: EEPROM values that differ from the factory's, by register name.
        firmware: version; below 45 there is no Fast Sync Read, below 38 no Bus Watchdog.
        now: when it was powered, s; it answers at once.
    """

    def __init__(
        self,
        servo_id: int,
        physics: ServoPhysics,
        *,
        eeprom: Mapping[str, int] | None = None,
        firmware: int = 46,
        now: float = 0.0,
    ) -> None:
        self.physics = physics
        self.silent = False  # fault: receives everything, answers nothing
        self.firmware = firmware
        self.table = ControlTable()
        for name, value in {"id": servo_id, "firmware_version": firmware, **(eeprom or {})}.items():
            self.table[name] = value
        self._known = ServoSetup.of(self.table)
        self._parser = StreamParser()
        self._registered: tuple[int, bytes] | None = None  # by Reg Write, for Action
        self._now = now
        self._start(now)
        self._on_from = now

    @property
    def setup(self) -> ServoSetup:
        """The present values of the table."""
        if self._known.version != self.table.version:
            self._known = ServoSetup.of(self.table)
        return self._known

    @property
    def id(self) -> int:
        """ID register."""
        return self.setup.id

    @property
    def baud(self) -> int:
        """Bit rate from the Baud Rate register, bit/s."""
        return self.setup.baud

    @property
    def return_delay(self) -> float:
        """Return Delay Time, s."""
        return self.setup.return_delay

    @property
    def torque_on(self) -> bool:
        """Torque Enable register."""
        return self.setup.torque_on

    def awake(self, now: float) -> bool:
        """Powered and past its start."""
        return now >= self._on_from

    # the instructions

    def handle(self, data: bytes, now: float) -> bytes:
        """Bytes on the bus in, this servo's status packets out (b"" where it keeps still).

        Instructions to several servos at once (sync, bulk) need to know the others: see
        `ServoChain`.
        """
        answers = (self.execute(packet, now) for packet in self._parser.feed(data))
        return b"".join(encode_status(status) for status in answers if status is not None)

    def execute(self, packet: Packet, now: float) -> Status | None:
        """Carry out one instruction to a single servo or to all; None where there is no answer."""
        if not self.receives(now) or packet.instruction == Instruction.STATUS:
            return None
        mine, group = packet.id == self.id, packet.id == self.table["secondary_id"] <= 252
        if not (mine or group or packet.id == BROADCAST):
            return None
        # an instruction may change the ID; the answer bears that to which it was sent
        addressed = self.id
        try:
            data, error = self._carry_out(packet, group=group and not mine), ErrorCode.NONE
        except RefusedError as refused:
            data, error = b"", refused.code
        to_be_answered = mine or (packet.id == BROADCAST and packet.instruction == Instruction.PING)
        level = _RETURN_LEVEL.get(packet.instruction, 2)
        return (
            self.status(data, error, servo_id=addressed)
            if to_be_answered and self.table["status_return_level"] >= level
            else None
        )

    def receives(self, now: float) -> bool:
        """Note an instruction packet to anyone, which feeds the Bus Watchdog; False while the servo
        is off.
        """
        self.advance(now)
        if not self.awake(self._now):
            return False
        self._last_instruction = self._now
        return True

    def status(
        self, data: bytes = b"", error: int = 0, *, servo_id: int | None = None
    ) -> Status | None:
        """A status packet of this servo, from `servo_id` (by default the ID register), with the
        alert bit as it is now; None when silenced.
        """
        if self.silent:
            return None
        setup = self.setup
        return Status(setup.id if servo_id is None else servo_id, error | setup.alert, data)

    def _carry_out(self, packet: Packet, *, group: bool) -> bytes:
        instruction, parameters = packet.instruction, packet.parameters
        if instruction == Instruction.PING:
            return self.table.read(0, 2) + self.table.read(6, 1)
        if instruction == Instruction.READ and len(parameters) == 4:
            return self.read(_word(parameters), _word(parameters, 2))
        if instruction == Instruction.WRITE and len(parameters) >= 3:
            self.write(_word(parameters), parameters[2:], ram_only=group)
        elif instruction == Instruction.REG_WRITE and len(parameters) >= 3:
            self._check(_word(parameters), parameters[2:], ram_only=group)
            self._registered = (_word(parameters), parameters[2:])
            self.table["registered_instruction"] = 1
        elif instruction == Instruction.ACTION and self._registered is not None:
            registered, self._registered = self._registered, None
            self.table["registered_instruction"] = 0
            self.write(*registered)
        elif instruction == Instruction.REBOOT:
            self.reboot(self._now)
        elif instruction == Instruction.FACTORY_RESET and len(parameters) == 1:
            if packet.id == BROADCAST and parameters[0] == 0xFF:
                return b""  # ignored from firmware 42 on
            self.table.factory_reset(_KEPT.get(parameters[0], ()))
            self.reboot(self._now)
        elif instruction == Instruction.CLEAR and parameters == b"\x01\x44\x58\x4c\x22":
            if self.table["moving"]:
                raise RefusedError(ErrorCode.RESULT_FAIL)
            self._forget_turns()
        elif instruction == Instruction.CONTROL_TABLE_BACKUP and self.firmware >= FIRMWARE_BACKUP:
            self._back_up(parameters)
        else:
            raise RefusedError(ErrorCode.INSTRUCTION)
        return b""

    def _back_up(self, parameters: bytes) -> None:
        """Control Table Backup: store, or restore the EEPROM and restart."""
        if self.torque_on or parameters not in (_STORE, _RESTORE):
            raise RefusedError(ErrorCode.RESULT_FAIL)  # for wrong parameters an assumption
        if parameters == _STORE:
            self.table.store_backup()
        else:
            self.table.restore_backup()
            self.reboot(self._now)

    def read(self, address: int, size: int) -> bytes:
        """Bytes of the table with fresh present values. Raises RefusedError."""
        self._measure()
        return self.table.read(address, size)

    def write(self, address: int, data: bytes, *, ram_only: bool = False) -> None:
        """Write registers as a whole, all or none. Raises RefusedError."""
        for entry, raw in self._check(address, data, ram_only=ram_only):
            changed = self.table[entry.name] != raw
            self.table[entry.name] = raw
            self._after_write(entry, raw, changed=changed)
        self._actuate()

    def _check(self, address: int, data: bytes, *, ram_only: bool) -> list[tuple[Register, int]]:
        writes = self.table.check(address, data, ram_only=ram_only)
        for entry, raw in writes:
            if entry.name == "bus_watchdog" and self.firmware < FIRMWARE_WATCHDOG:
                raise RefusedError(ErrorCode.ACCESS)
            if entry.name == "torque_enable" and raw and self._shut_down:
                raise RefusedError(ErrorCode.RESULT_FAIL)  # which number is an assumption
        return writes

    def _after_write(self, entry: Register, raw: int, *, changed: bool) -> None:
        if entry.name == "operating_mode" and changed:
            self.table.reset_goals()
        elif entry.name == "torque_enable" and raw and changed:
            self._hold_position()
        elif entry.name == "bus_watchdog":
            self._last_instruction = self._now
        elif entry.name in GOALS:
            self._stopped = False
            if (
                self.table["drive_mode"] & TORQUE_BY_GOAL
                and not self._shut_down
                and not self.torque_on
            ):
                self.table["torque_enable"] = 1

    # time

    def advance(self, now: float) -> None:
        """Let time pass: supply, watchdog, protections, drive.

        Call it often enough for the 20 ms watchdog.
        """
        self._now = max(self._now, now)
        state = self._state()
        if state.voltage < WORKING_VOLTAGE:
            self.reboot(self._now)
            return
        if not self.awake(self._now):
            return
        self._check_watchdog()
        self._protect(state)
        self._actuate()

    def _state(self) -> ServoState:
        return self.physics.state(self._now)

    def _check_watchdog(self) -> None:
        setup = self.setup
        if setup.torque_on and 0 < setup.watchdog < self._now - self._last_instruction:
            self.table["bus_watchdog"] = WATCHDOG_TRIPPED
            self._stopped = True

    def _protect(self, state: ServoState) -> None:
        lowest, highest = self.setup.voltage_limits
        if state.temperature > self.setup.temperature_limit:
            self.trip(HardwareError.OVERHEATING)
        if not lowest <= round(state.voltage / VOLTAGE) <= highest:
            self.trip(HardwareError.VOLTAGE)
        if abs(state.current) < OVERLOAD_CURRENT:
            self._loaded_from = self._now
        elif self._now - self._loaded_from > OVERLOAD_TIME:
            self.trip(HardwareError.OVERLOAD)

    def trip(self, error: HardwareError) -> None:
        """Set a hardware error; when Shutdown has the bit, torque goes off until a reboot."""
        self.table["hardware_error_status"] |= error
        if error & self.table["shutdown"]:
            self._shut_down = True
            self.table["torque_enable"] = 0
            self._actuate()

    def reboot(self, now: float) -> None:
        """Start again: RAM and the turn count are lost, hardware errors cleared, no answer for
        `BOOT_TIME`.
        """
        self._now = max(self._now, now)
        self.physics.drive(None, self._now)
        self._start(self._now)

    def _start(self, now: float) -> None:
        self.table.clear_ram()
        self.table["torque_enable"] = self.table["startup_configuration"] & TORQUE_AT_START
        self._registered = None
        self._shut_down = self._stopped = False
        self._last_instruction = self._loaded_from = now
        self._forget_turns()
        self._started, self._on_from = now, now + BOOT_TIME

    # motor and sensors

    def _hold_position(self) -> None:
        self._measure()
        self.table["goal_position"] = self.table["present_position"]
        self._last_instruction = self._now

    def _forget_turns(self) -> None:
        self._turns = math.floor(self._state().position / (2 * math.pi))

    def _actuate(self) -> None:
        """Drive the motor as mode, goals and watchdog say."""
        current = None
        if self.torque_on:
            current = goal_current(
                self.setup, self.table, self._state, self._turns, stopped=self._stopped
            )
        self.physics.drive(current, self._now)

    def _measure(self) -> None:
        """Write what the sensors say now into the table."""
        state, setup, memory = self._state(), self.setup, self.table.memory
        velocity = round(setup.sign * state.velocity / VELOCITY)
        tick = int((self._now - self._started) * 1000) % 32_768
        _TICK.pack_into(memory, _TICK_AT, tick, abs(velocity) > setup.moving_threshold)
        current = round(setup.sign * state.current / CURRENT)
        _MOTION.pack_into(
            memory, _MOTION_AT, current, velocity, present_count(setup, state, self._turns)
        )
        temperature = min(max(round(state.temperature), 0), 255)
        _HEALTH.pack_into(memory, _HEALTH_AT, round(state.voltage / VOLTAGE), temperature)


def _word(data: bytes | bytearray, at: int = 0) -> int:
    return data[at] | data[at + 1] << 8
