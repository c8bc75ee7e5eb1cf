"""One emulated XH540-V150-R: a control table with the servo's real semantics, as a state machine without I/O.

What the e-manual says is followed, traps included: a change of Operating Mode (and a start) sets Goal Current to
Current Limit; a tripped Bus Watchdog reads -1 and refuses goals; a shutdown clears Torque Enable and only a
reboot ends it; a reboot loses RAM and the turn count; EEPROM is locked under torque. Where the e-manual is
silent the choice is marked "assumption".
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

from boa_hardware.emulator.servo_physics import ServoPhysics, ServoState
from boa_hardware.servo.protocol import (
    ALERT,
    BROADCAST,
    ErrorCode,
    Instruction,
    Packet,
    Status,
    StreamParser,
    encode_status,
)
from boa_hardware.servo.registers import (
    BAUD_RATES,
    COUNTS_PER_TURN,
    CURRENT,
    CURRENT_CONTROL,
    EEPROM_END,
    INDIRECT_SLOTS,
    POSITION,
    REGISTERS,
    TABLE_SIZE,
    VELOCITY,
    VOLTAGE,
    WATCHDOG_TICK,
    HardwareError,
    Register,
    indirect_address,
    indirect_data,
)

OPERATING_MODES = (0, 1, 3, 4, 5, 16)
GOALS = ("goal_pwm", "goal_current", "goal_velocity", "goal_position")
REVERSE, TORQUE_BY_GOAL = 0x01, 0x08  # bits of Drive Mode
BOOT_TIME = 0.3  # s without an answer after power-up or reboot (users' reports)
OVERLOAD_CURRENT = 2.4 * 0.98  # A, "maximum output": the stall current; assumption
OVERLOAD_TIME = 3.0  # s of it that count as persistent; assumption
WORKING_VOLTAGE = 9.0  # V below which the servo is off; assumption

_REGISTER_AT: dict[int, Register] = {
    address: register for register in REGISTERS.values() for address in range(register.address, register.end)
}
_POINTER = {indirect_data(slot): indirect_address(slot) for slot in range(1, INDIRECT_SLOTS + 1)}
_NEEDS_RETURN_LEVEL = {Instruction.PING: 0, Instruction.READ: 1}


class RefusedError(Exception):
    """The instruction is answered with this error number."""

    def __init__(self, code: ErrorCode) -> None:
        super().__init__(code.name)
        self.code = code


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
        self.silent = False  # fault: hears everything, answers nothing
        self.firmware = firmware
        self.table = bytearray(TABLE_SIZE)
        self._factory_reset(keep=())
        for name, value in {"id": servo_id, **(eeprom or {})}.items():
            self.set(name, value)
        self._parser = StreamParser()
        self._registered: tuple[int, bytes] | None = None  # by Reg Write, for Action
        self._now = now
        self._start(now)
        self._on_from = now

    # the control table

    def get(self, name: str) -> int:
        """Raw value of a register, without updating present values."""
        entry = REGISTERS[name]
        return entry.decode(self.table[entry.address : entry.end])

    def set(self, name: str, raw: int) -> None:
        """Set a raw value behind the servo's back; no checks, no effects."""
        entry = REGISTERS[name]
        self.table[entry.address : entry.end] = raw.to_bytes(entry.size, "little", signed=entry.signed)

    @property
    def id(self) -> int:
        """ID register."""
        return self.table[7]

    @property
    def baud(self) -> int:
        """Bit rate from the Baud Rate register, bit/s."""
        return BAUD_RATES[self.table[8]]

    @property
    def return_delay(self) -> float:
        """Return Delay Time, s."""
        return self.table[9] * 2e-6

    @property
    def torque_on(self) -> bool:
        """Torque Enable register."""
        return bool(self.table[64])

    def awake(self, now: float) -> bool:
        """Powered and past its start."""
        return now >= self._on_from

    # the instructions

    def handle(self, data: bytes, now: float) -> bytes:
        """Bytes on the bus in, this servo's status packets out (b"" where it keeps still).

        Instructions to several servos at once (sync, bulk) need to know the others: see `ServoChain`.
        """
        answers = (self.execute(packet, now) for packet in self._parser.feed(data))
        return b"".join(encode_status(status) for status in answers if status is not None)

    def execute(self, packet: Packet, now: float) -> Status | None:
        """Carry out one instruction to a single servo or to all; None where there is no answer."""
        if not self.hear(now) or packet.instruction == Instruction.STATUS:
            return None
        mine, group = packet.id == self.id, packet.id == self.table[12] <= 252
        if not (mine or group or packet.id == BROADCAST):
            return None
        try:
            data, error = self._carry_out(packet, group=group and not mine), ErrorCode.NONE
        except RefusedError as refused:
            data, error = b"", refused.code
        level = _NEEDS_RETURN_LEVEL.get(Instruction(packet.instruction), 2) if error != ErrorCode.INSTRUCTION else 2
        answers = mine or (packet.id == BROADCAST and packet.instruction == Instruction.PING)
        return self.status(data, error) if answers and self.table[68] >= level else None

    def hear(self, now: float) -> bool:
        """Note an instruction packet to anyone, which feeds the Bus Watchdog; False while the servo is off."""
        self.advance(now)
        if not self.awake(self._now):
            return False
        self._last_instruction = self._now
        return True

    def status(self, data: bytes = b"", error: int = 0) -> Status | None:
        """A status packet of this servo with the alert bit as it is now; None when silenced."""
        if self.silent:
            return None
        return Status(self.id, error | (ALERT if self.table[70] else 0), data)

    def _carry_out(self, packet: Packet, *, group: bool) -> bytes:
        instruction, parameters = packet.instruction, packet.parameters
        if instruction == Instruction.PING:
            return bytes(self.table[0:2] + self.table[6:7])
        if instruction == Instruction.READ and len(parameters) == 4:
            return self.read(_word(parameters), _word(parameters, 2))
        if instruction == Instruction.WRITE and len(parameters) >= 3:
            self.write(_word(parameters), parameters[2:], ram_only=group)
        elif instruction == Instruction.REG_WRITE and len(parameters) >= 3:
            self._check(_word(parameters), parameters[2:], ram_only=group)
            self._registered = (_word(parameters), parameters[2:])
            self.table[69] = 1
        elif instruction == Instruction.ACTION and self._registered is not None:
            registered, self._registered = self._registered, None
            self.table[69] = 0
            self.write(*registered)
        elif instruction == Instruction.REBOOT:
            self.reboot(self._now)
        elif instruction == Instruction.FACTORY_RESET and len(parameters) == 1:
            if packet.id == BROADCAST and parameters[0] == 0xFF:
                return b""  # ignored from firmware 42 on
            keep = {0x01: ("id",), 0x02: ("id", "baud_rate")}.get(parameters[0], ())
            self._factory_reset(keep)
            self.reboot(self._now)
        elif instruction == Instruction.CLEAR and parameters == b"\x01\x44\x58\x4c\x22":
            if self.get("moving"):
                raise RefusedError(ErrorCode.RESULT_FAIL)
            self._forget_turns()
        else:
            raise RefusedError(ErrorCode.INSTRUCTION)
        return b""

    def read(self, address: int, size: int) -> bytes:
        """Bytes of the table through the indirect map, with fresh present values; gaps read 0 (assumption)."""
        if address + size > TABLE_SIZE or size == 0:
            raise RefusedError(ErrorCode.ACCESS)
        self._measure()
        return bytes(self.table[self._resolve(a)] for a in range(address, address + size))

    def write(self, address: int, data: bytes, *, ram_only: bool = False) -> None:
        """Write registers as a whole, all or none. Raises RefusedError."""
        for entry, raw in self._check(address, data, ram_only=ram_only):
            changed = self.get(entry.name) != raw
            self.set(entry.name, raw)
            self._after_write(entry, raw, changed=changed)
        self._actuate()

    def _resolve(self, address: int) -> int:
        pointer = _POINTER.get(address)
        return address if pointer is None else _word(self.table, pointer)

    def _check(self, address: int, data: bytes, *, ram_only: bool = False) -> list[tuple[Register, int]]:
        """The registers and values that a write means, each found acceptable."""
        if address + len(data) > TABLE_SIZE:
            raise RefusedError(ErrorCode.ACCESS)
        targets = [self._resolve(a) for a in range(address, address + len(data))]
        writes, at = [], 0
        while at < len(targets):
            entry = _REGISTER_AT.get(targets[at])
            if entry is None or not entry.writable:
                raise RefusedError(ErrorCode.ACCESS)
            chunk = data[at : at + entry.size]
            if targets[at : at + entry.size] != list(range(entry.address, entry.end)):
                raise RefusedError(ErrorCode.DATA_LENGTH)
            raw = entry.decode(chunk)
            self._check_value(entry, raw, ram_only=ram_only)
            writes.append((entry, raw))
            at += entry.size
        return writes

    def _check_value(self, entry: Register, raw: int, *, ram_only: bool) -> None:
        low, high = entry.limits
        if entry.eeprom and (self.torque_on or ram_only):
            raise RefusedError(ErrorCode.ACCESS)
        if entry.name in GOALS and self.table[98] == 0xFF:
            raise RefusedError(ErrorCode.DATA_RANGE)
        if not low <= raw <= high or (entry.name == "operating_mode" and raw not in OPERATING_MODES):
            raise RefusedError(ErrorCode.DATA_RANGE)
        if entry.name == "bus_watchdog" and (raw < 0 or self.firmware < 38):
            raise RefusedError(ErrorCode.DATA_RANGE if raw < 0 else ErrorCode.ACCESS)
        if entry.limited_by and abs(raw) > self.get(entry.limited_by):
            raise RefusedError(ErrorCode.DATA_LIMIT)
        if entry.name == "torque_enable" and raw and self._shut_down:
            raise RefusedError(ErrorCode.RESULT_FAIL)  # which number is an assumption

    def _after_write(self, entry: Register, raw: int, *, changed: bool) -> None:
        if entry.name == "operating_mode" and changed:
            self._reset_goals()
        elif entry.name == "torque_enable" and raw and changed:
            self._hold_position()
        elif entry.name == "bus_watchdog":
            self._last_instruction = self._now
        elif entry.name in GOALS:
            self._stopped = False
            if self.table[10] & TORQUE_BY_GOAL and not self._shut_down and not self.torque_on:
                self.set("torque_enable", 1)

    # time

    def advance(self, now: float) -> None:
        """Let time pass: supply, watchdog, protections, drive. Call it often enough for the 20 ms watchdog."""
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
        count = self.table[98]
        if self.torque_on and 0 < count < 0x80 and self._now - self._last_instruction > count * WATCHDOG_TICK:
            self.table[98] = 0xFF
            self._stopped = True

    def _protect(self, state: ServoState) -> None:
        if state.temperature > self.table[31]:
            self.trip(HardwareError.OVERHEATING)
        if not self.get("min_voltage_limit") <= state.voltage / VOLTAGE + 1e-9 <= self.get("max_voltage_limit") + 1e-6:
            self.trip(HardwareError.VOLTAGE)
        if abs(state.current) < OVERLOAD_CURRENT:
            self._loaded_from = self._now
        elif self._now - self._loaded_from > OVERLOAD_TIME:
            self.trip(HardwareError.OVERLOAD)

    def trip(self, error: HardwareError) -> None:
        """Set a hardware error; when Shutdown has the bit, torque goes off until a reboot."""
        self.table[70] |= error
        if error & self.table[63]:
            self._shut_down = True
            self.table[64] = 0
            self._actuate()

    def reboot(self, now: float) -> None:
        """Start again: RAM and the turn count are lost, hardware errors cleared, no answer for `BOOT_TIME`."""
        self._now = max(self._now, now)
        self.physics.drive(None, self._now)
        self._start(self._now)

    def _start(self, now: float) -> None:
        """RAM as after power-up; Goal Current and Goal PWM start at their limits."""
        self.table[EEPROM_END:] = bytes(TABLE_SIZE - EEPROM_END)
        for entry in REGISTERS.values():
            if not entry.eeprom and entry.default:
                self.set(entry.name, entry.default)
        self._reset_goals()
        self.table[64] = self.table[60] & 1  # Startup Configuration: torque on
        self._registered = None
        self._shut_down = self._stopped = False
        self._last_instruction = self._loaded_from = now
        self._forget_turns()
        self._started, self._on_from = now, now + BOOT_TIME

    def _factory_reset(self, keep: tuple[str, ...]) -> None:
        for entry in REGISTERS.values():
            if entry.eeprom and entry.name not in keep and entry.default is not None:
                self.set(entry.name, entry.default)
        self.set("firmware_version", self.firmware)

    # motor and sensors

    def _reset_goals(self) -> None:
        self.set("goal_pwm", self.get("pwm_limit"))
        self.set("goal_current", self.get("current_limit"))
        self.set("goal_velocity", 0)
        self.set("profile_velocity", 0)
        self.set("profile_acceleration", 0)

    def _hold_position(self) -> None:
        self._measure()
        self.set("goal_position", self.get("present_position"))
        self._last_instruction = self._now

    def _forget_turns(self) -> None:
        self._turns = math.floor(self._state().position / (2 * math.pi))

    @property
    def _sign(self) -> int:
        return -1 if self.table[10] & REVERSE else 1

    def _actuate(self) -> None:
        """Drive the motor as mode, goals and watchdog say."""
        self.physics.drive(self._wanted_current() if self.torque_on else None, self._now)

    def _wanted_current(self) -> float | None:
        """Motor current, A. Modes other than current control are a plain law with the data sheet's stall current."""
        mode = self.table[11]
        if mode == CURRENT_CONTROL:
            return None if self._stopped else self._sign * self.get("goal_current") * CURRENT
        limit = self.get("goal_current" if mode == 5 else "current_limit") * CURRENT
        state = self._state()
        if mode == 16:
            return 0.0 if self._stopped else self._sign * self.get("goal_pwm") / 885 * limit
        goal_velocity = 0 if self._stopped else self.get("goal_velocity")
        wanted = 2.0 * (self._sign * goal_velocity * VELOCITY - state.velocity)
        if mode != 1 and not self._stopped:
            wanted = 8.0 * self._position_error(state) - 0.5 * state.velocity
        return min(max(wanted, -limit), limit)

    def _position_error(self, state: ServoState) -> float:
        return self._sign * (self.get("goal_position") - self._count(state)) * POSITION

    def _count(self, state: ServoState) -> int:
        turned = math.floor(state.position / POSITION + 0.5) - self._turns * COUNTS_PER_TURN
        return self._sign * turned + self.get("homing_offset")

    def _measure(self) -> None:
        """Write what the sensors say now into the table."""
        state = self._state()
        sign = self._sign
        velocity = round(sign * state.velocity / VELOCITY)
        motion = (round(sign * state.current / CURRENT), velocity, self._count(state))
        struct.pack_into("<hii", self.table, REGISTERS["present_current"].address, *motion)
        health = (round(state.voltage / VOLTAGE), min(max(round(state.temperature), 0), 255))
        struct.pack_into("<HB", self.table, REGISTERS["present_input_voltage"].address, *health)
        self.set("realtime_tick", int((self._now - self._started) * 1000) % 32_768)
        self.set("moving", int(abs(velocity) > self.get("moving_threshold")))


def _word(data: bytes | bytearray, at: int = 0) -> int:
    return data[at] | data[at + 1] << 8
