# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The control table of an emulated servo: memory, indirect map and what a write may do."""

import struct
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter

from boa_hardware.servo.protocol import ErrorCode
from boa_hardware.servo.registers import (
    EEPROM_END,
    INDIRECT_SLOTS,
    POSITION_CONTROL,
    REGISTERS,
    TABLE_SIZE,
    WATCHDOG_TRIPPED,
    Register,
    indirect_address,
    indirect_data,
)

OPERATING_MODES = (0, 1, 3, 4, 5, 16)
GOALS = ("goal_pwm", "goal_current", "goal_velocity", "goal_position")
RESTORE_RAM = 0x02  # bit of Startup Configuration

_REGISTER_AT: dict[int, Register] = {
    address: register
    for register in REGISTERS.values()
    for address in range(register.address, register.end)
}
_DEFINED = frozenset(_REGISTER_AT)
_CODES = {
    (1, False): "<B",
    (1, True): "<b",
    (2, False): "<H",
    (2, True): "<h",
    (4, False): "<I",
    (4, True): "<i",
}
_LAYOUT = {
    name: (struct.Struct(_CODES[entry.size, entry.signed]), entry.address)
    for name, entry in REGISTERS.items()
}
_BYTE_AT = {
    name: entry.address for name, entry in REGISTERS.items() if entry.size == 1 and not entry.signed
}
_POINTER = {indirect_data(slot): indirect_address(slot) for slot in range(1, INDIRECT_SLOTS + 1)}
_POINTERS = frozenset(_POINTER)
_TORQUE_ENABLE = REGISTERS["torque_enable"].address
_IN_EEPROM = tuple(entry for entry in REGISTERS.values() if entry.eeprom)
# RAM that Control Table Backup keeps (e-manual, Protocol 2.0, 0x20)
_KEPT_RAM = tuple(
    entry
    for entry in REGISTERS.values()
    if "_gain" in entry.name or entry.name.startswith(("profile_", "indirect_address_"))
)


class RefusedError(Exception):
    """The instruction is answered with this error number."""

    def __init__(self, code: ErrorCode) -> None:
        super().__init__(code.name)
        self.code = code


class ControlTable:
    """Registers by name and by address, as the e-manual lays them out.

    Attributes:
        memory: all bytes. What a servo measures is written here directly.
        version: counts changes of registers by name, goals excepted: what changes when the set-up
            does.
    """

    def __init__(self) -> None:
        self.memory = bytearray(TABLE_SIZE)
        self.version = 0
        self._backup: bytes | None = None
        # of one version of the indirect map
        self._readers: dict[tuple[int, int], Callable[[bytearray], tuple[int, ...]]] = {}
        self.factory_reset()
        self.clear_ram()

    def __getitem__(self, name: str) -> int:
        """Raw value of a register."""
        byte = _BYTE_AT.get(name)  # most are; asked some hundred times per cycle
        if byte is not None:
            return self.memory[byte]
        layout, address = _LAYOUT[name]
        return layout.unpack_from(self.memory, address)[0]

    def __setitem__(self, name: str, raw: int) -> None:
        """Set a raw value; nothing is checked."""
        layout, address = _LAYOUT[name]
        layout.pack_into(self.memory, address, raw)
        if name not in GOALS:
            self._changed()

    def _changed(self) -> None:
        self.version += 1
        self._readers.clear()

    def factory_reset(self, keep: tuple[str, ...] = ()) -> None:
        """EEPROM as delivered, except the registers named in `keep`."""
        for entry in REGISTERS.values():
            if entry.eeprom and entry.name not in keep and entry.default is not None:
                self[entry.name] = entry.default

    def clear_ram(self) -> None:
        """RAM as after power-up: Goal Current and Goal PWM stand at their limits; what a backup
        keeps comes back where Startup Configuration says so.
        """
        self.memory[EEPROM_END:] = bytes(TABLE_SIZE - EEPROM_END)
        self._changed()
        for entry in REGISTERS.values():
            if not entry.eeprom and entry.default:
                self[entry.name] = entry.default
        self.reset_goals()
        self["backup_ready"] = self._backup is not None
        if self["startup_configuration"] & RESTORE_RAM:
            self._restore(_KEPT_RAM)

    def store_backup(self) -> None:
        """Keep EEPROM, gains, profile and indirect map, over restarts and factory resets."""
        self._backup = bytes(self.memory)
        self["backup_ready"] = 1

    def restore_backup(self) -> None:
        """EEPROM as it was kept. Raises RefusedError where nothing was."""
        if self._backup is None:
            raise RefusedError(ErrorCode.RESULT_FAIL)  # which number is an assumption
        self._restore(_IN_EEPROM)

    def _restore(self, entries: tuple[Register, ...]) -> None:
        if self._backup is None:
            return
        for entry in entries:
            self.memory[entry.address : entry.end] = self._backup[entry.address : entry.end]
        self._changed()

    def reset_goals(self) -> None:
        """Set the goals as a start and a change of Operating Mode do."""
        self["goal_pwm"] = self["pwm_limit"]
        self["goal_current"] = self["current_limit"]
        self["goal_velocity"] = self["profile_velocity"] = self["profile_acceleration"] = 0

    def read(self, address: int, size: int) -> bytes:
        """Bytes through the indirect map. Raises RefusedError where an address has no register."""
        reader = self._readers.get((address, size))
        if reader is None:
            targets = [self._resolve(at) for at in range(address, address + size)]
            if not targets or not _DEFINED.issuperset(targets):
                raise RefusedError(ErrorCode.ACCESS)
            # one more, so that it is a tuple
            reader = self._readers[address, size] = itemgetter(*targets, targets[0])
        return bytes(reader(self.memory)[:size])

    def check(
        self, address: int, data: bytes, *, ram_only: bool = False
    ) -> list[tuple[Register, int]]:
        """The registers and values that a write means.

        Raises RefusedError unless all are acceptable.
        """
        if address + len(data) > TABLE_SIZE:
            raise RefusedError(ErrorCode.ACCESS)
        writes, at = [], 0
        for entry in self._registers(address, len(data)):
            raw = entry.decode(data[at : at + entry.size])
            self._check_value(entry, raw, ram_only=ram_only)
            writes.append((entry, raw))
            at += entry.size
        return writes

    def _registers(self, address: int, size: int) -> tuple[Register, ...]:
        """The registers behind a range of addresses.

        Raises RefusedError unless they are whole and writable.
        """
        if _POINTERS.isdisjoint(range(address, address + size)):
            return _whole_registers(tuple(range(address, address + size)))
        return _whole_registers(tuple(self._resolve(at) for at in range(address, address + size)))

    def _resolve(self, address: int) -> int:
        pointer = _POINTER.get(address)
        return address if pointer is None else self.memory[pointer] | self.memory[pointer + 1] << 8

    def _check_value(self, entry: Register, raw: int, *, ram_only: bool) -> None:
        if entry.eeprom and (ram_only or self.memory[_TORQUE_ENABLE]):
            raise RefusedError(ErrorCode.ACCESS)
        if entry.name in GOALS and self["bus_watchdog"] == WATCHDOG_TRIPPED:
            raise RefusedError(ErrorCode.DATA_RANGE)
        low, high = entry.limits
        forbidden = (entry.name == "operating_mode" and raw not in OPERATING_MODES) or (
            entry.name == "bus_watchdog" and raw == WATCHDOG_TRIPPED
        )
        if forbidden or not low <= raw <= high:
            raise RefusedError(ErrorCode.DATA_RANGE)
        if entry.limited_by and abs(raw) > self[entry.limited_by]:
            raise RefusedError(ErrorCode.DATA_LIMIT)
        if entry.name == "goal_position" and self["operating_mode"] == POSITION_CONTROL:
            lowest, highest = self["min_position_limit"], self["max_position_limit"]
            if not lowest <= raw <= highest:
                raise RefusedError(ErrorCode.DATA_LIMIT)


@lru_cache(4096)
def _whole_registers(targets: tuple[int, ...]) -> tuple[Register, ...]:
    """The writable registers that lie at these addresses. Raises RefusedError."""
    entries, at = [], 0
    while at < len(targets):
        entry = _REGISTER_AT.get(targets[at])
        if entry is None or not entry.writable:
            raise RefusedError(ErrorCode.ACCESS)
        if targets[at : at + entry.size] != tuple(range(entry.address, entry.end)):
            raise RefusedError(ErrorCode.DATA_LENGTH)
        entries.append(entry)
        at += entry.size
    return tuple(entries)
