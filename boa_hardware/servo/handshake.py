# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Is every servo there, and is it set up as the settings say? Reads only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from boa_hardware.servo.errors import (
    BringUpError,
    NoReplyError,
    ServoRefusedError,
    SpoiltReplyError,
)
from boa_hardware.servo.link import Identity, ServoLink
from boa_hardware.servo.registers import (
    BAUD_RATES,
    CURRENT_CONTROL,
    FIRMWARE_FAST_READ,
    FIRMWARE_WATCHDOG,
    MODEL_NAME,
    MODEL_NUMBER,
    PWM_FULL,
    VOLTAGE,
    HardwareError,
    baud_code,
    describe_hardware_error,
)
from boa_hardware.servo.sdk import latency_timer
from boa_hardware.servo.settings import ServoBusSettings

SHUTDOWN_MASK = int(sum(HardwareError))  # the factory's mask leaves out voltage and encoder


@dataclass(frozen=True, slots=True)
class HandshakeReport:
    """Servos on the bus, compared with the settings.

    Attributes:
        expected: IDs of the settings.
        answered: servos that answered.
        wrong: by ID, what is not as it must be, each with its remedy.
        notes: what works but should be known.
        baud: bit/s.
    """

    expected: tuple[int, ...]
    answered: Mapping[int, Identity]
    wrong: Mapping[int, tuple[str, ...]]
    notes: tuple[str, ...]
    baud: int

    @property
    def missing(self) -> tuple[int, ...]:
        """Expected IDs that did not answer."""
        return tuple(
            servo
            for servo in self.expected
            if servo not in self.answered and servo not in self.wrong
        )

    @property
    def ok(self) -> bool:
        """Every servo is there and right."""
        return not self.missing and not self.wrong

    @property
    def fast_read(self) -> bool:
        """Every servo knows Fast Sync Read."""
        return all(identity.firmware >= FIRMWARE_FAST_READ for identity in self.answered.values())

    def __str__(self) -> str:
        lines = [
            f"servo bus at {self.baud} bit/s",
            f"  expected  {_ids(self.expected)}",
            f"  found     {_ids(self.answered)}",
            f"  missing   {_ids(self.missing)}{self._missing_remedy()}",
            f"  wrong     {_ids(self.wrong)}",
        ]
        lines += [
            f"  servo {servo}: {text}" for servo, texts in self.wrong.items() for text in texts
        ]
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])

    def _missing_remedy(self) -> str:
        if not self.missing:
            return ""
        if self.answered:
            return (
                "  (check cable and power behind the last found servo; ID and baud rate: "
                "`boa servo scan`)"
            )
        return "  (check 24 V supply, adapter and baud rate: `boa servo scan`)"

    def require_ok(self) -> None:
        """Raise BringUpError with the whole report unless everything is right."""
        if not self.ok:
            raise BringUpError(str(self))


def required_eeprom(settings: ServoBusSettings) -> dict[str, int]:
    """EEPROM values every servo of this bus must have. Only `boa servo configure` writes them."""
    return {
        "operating_mode": CURRENT_CONTROL,
        "drive_mode": 0,  # no reverse (settings have `direction`), no torque by goal update
        "return_delay_time": 0,
        "secondary_id": 255,  # none
        "startup_configuration": 0,  # torque stays off at power-up
        "homing_offset": 0,  # settings have `zero`
        "temperature_limit": round(settings.temperature_limit),
        "min_voltage_limit": round(settings.lowest_voltage / VOLTAGE),
        "max_voltage_limit": round(settings.highest_voltage / VOLTAGE),
        "pwm_limit": PWM_FULL,  # a lower one takes torque away at speed
        "current_limit": settings.current_limit_counts,
        "shutdown": SHUTDOWN_MASK,
    }


def handshake(link: ServoLink, settings: ServoBusSettings) -> HandshakeReport:
    """Ask every servo of the settings who it is and compare its EEPROM. Nothing is written.

    Raises:
        BusGoneError: the port has vanished. Servos that are missing or wrong are in the report.
    """
    answered: dict[int, Identity] = {}
    wrong: dict[int, tuple[str, ...]] = {}
    for servo in settings.ids:
        try:
            answered[servo] = link.ping(servo)
            differences = tuple(_differences(link, answered[servo], settings))
        except SpoiltReplyError as error:
            differences = (str(error),)
        except NoReplyError:
            answered.pop(servo, None)
            continue
        if differences:
            wrong[servo] = differences
    return HandshakeReport(settings.ids, answered, wrong, tuple(_notes(link, answered)), link.baud)


def _differences(link: ServoLink, identity: Identity, settings: ServoBusSettings) -> list[str]:
    if identity.model != MODEL_NUMBER:
        return [
            f"model {identity.model} instead of {MODEL_NUMBER} ({MODEL_NAME}); fit the right servo"
        ]
    texts = []
    if identity.firmware < FIRMWARE_WATCHDOG:
        texts.append(
            f"firmware {identity.firmware} has no Bus Watchdog (needs {FIRMWARE_WATCHDOG}); update "
            "it with the DYNAMIXEL Wizard"
        )
    code = link.read(identity.id, "baud_rate")
    if code != baud_code(settings.baud):
        texts.append(
            f"baud_rate register says {BAUD_RATES.get(code)}, settings {settings.baud}; `boa "
            f"servo set-baud`"
        )
    for name, value in required_eeprom(settings).items():
        seen = link.read(identity.id, name)
        if seen != value:
            texts.append(
                f"{name} is {seen} instead of {value}; run `boa servo configure`, with your wiring "
                "as --settings"
            )
    return texts + _pending_error(link, identity.id)


def _pending_error(link: ServoLink, servo: int) -> list[str]:
    try:
        status = link.read(servo, "hardware_error_status")
    except ServoRefusedError as refused:
        return [str(refused)]
    if not status:
        return []
    return [
        f"hardware error: {describe_hardware_error(status)}; remove the cause, then `boa servo "
        f"reboot --id {servo}` (while the node runs: reset the fault)"
    ]


def _notes(link: ServoLink, answered: Mapping[int, Identity]) -> list[str]:
    notes = []
    old = [servo for servo, identity in answered.items() if identity.firmware < FIRMWARE_FAST_READ]
    if old:
        notes.append(
            f"servos {_ids(old)} have firmware below {FIRMWARE_FAST_READ}: the slower Sync Read is "
            "used; update them with the DYNAMIXEL Wizard"
        )
    timer = latency_timer(str(link.port.port_name))
    if timer is not None and timer > 1:
        notes.append(f"latency timer of the adapter is {timer} ms: set it to 1 (docs/bringup.md)")
    return notes


def _ids(servos: Iterable[int]) -> str:
    return " ".join(str(servo) for servo in servos) or "none"
