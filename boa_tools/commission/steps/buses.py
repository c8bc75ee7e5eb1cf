# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who is on the buses: servos by scan and hand-shake, link boards by their answers, the supply.

Nothing moves. Where the set-up of a servo differs from what it needs, you are asked before it is
written, and it is read back. Shared IDs, silent servos and boards, a supply below 21 V and one that
sags along the cable are WRONG.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boa_hardware.calibration.record import CalibrationRecord, ServoIdentity
from boa_hardware.servo.eeprom import configure
from boa_hardware.servo.handshake import HandshakeReport, handshake, required_eeprom
from boa_hardware.servo.link import ServoLink
from boa_hardware.servo.scan import scan
from boa_hardware.servo.settings import ServoBusSettings
from boa_tools.commission.bench import Bench
from boa_tools.commission.operator import Operator
from boa_tools.commission.step import Finding, Outcome, corrected, note, wrong

SUPPLY, LOWEST = 24.0, 21.0  # V; of the servos, and where their stall torque has lost an eighth
SPREAD = 1.5  # V from servo to servo that a sound cable does not lose without load


class Buses:
    """Servos, link boards and supply."""

    name = "buses"
    summary = "who is on the buses, with which firmware and set-up, at which voltage"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        settings = bench.settings.servo_settings(bench.robot)
        with bench.servos() as link:
            findings = list(_scanned(link, settings))
            if not findings:
                report = _hand_shake(link, settings, operator)
                findings += [
                    wrong(f"servo {servo}", text, "")
                    for servo, texts in report.wrong.items()
                    for text in texts
                ]
        if findings:
            return Outcome(record, findings)
        servos = tuple(ServoIdentity.of(report.answered[servo]) for servo in sorted(settings.ids))
        findings += _exchanged(record.servos, servos)
        findings += _silent_boards(bench)
        findings += _supply(bench)
        update = {"servos": servos, "boards": bench.plant.answering_links()}
        return Outcome(record.model_copy(update=update), findings)


def _scanned(link: ServoLink, settings: ServoBusSettings) -> Iterator[Finding]:
    found = scan(link)
    present = {servo.id for servo in found.servos} | set(found.shared)
    for shared in found.shared:
        yield wrong(
            f"servo {shared}",
            "several servos share this ID",
            "connect one at a time and give each its own: boa servo set-id",
        )
    if found.garbled:
        yield wrong("servo bus", "garbled answers", "check termination, cable and baud rate")
    for servo in settings.ids:
        if servo not in present:
            yield wrong(
                f"servo {servo}",
                f"no reply at {settings.baud} bit/s",
                "check 24 V, cable, ID and baud rate: boa servo scan --all",
            )
    for servo in sorted(present - set(settings.ids)):
        yield wrong(
            f"servo {servo}",
            "is on the bus and belongs to no joint",
            "take it off, or give it the ID of its joint: boa servo set-id",
        )


def _hand_shake(link: ServoLink, settings: ServoBusSettings, operator: Operator) -> HandshakeReport:
    """Compare the set-up of all servos with what they need; where it differs and may be written,
    write and read back.
    """
    report = handshake(link, settings)
    if report.ok or not operator.confirm(f"{report}\nwrite the set-up to these servos?"):
        return report
    for servo in settings.ids:
        configure(link, servo, required_eeprom(settings))
    return handshake(link, settings)


def _exchanged(before: tuple[ServoIdentity, ...], now: tuple[ServoIdentity, ...]) -> list[Finding]:
    """Servos that are others than in the record."""
    return [
        corrected(f"servo {new.id}", f"{new} instead of {old}")
        for old, new in zip(before, now, strict=False)
        if old != new
    ]


def _silent_boards(bench: Bench) -> list[Finding]:
    bench.rest()
    missing = set(range(1, bench.robot.links + 1)) - set(bench.plant.answering_links())
    return [
        wrong(f"link {link}", "its board does not answer", "check its supply, cable and link ID")
        for link in sorted(missing)
    ]


def _supply(bench: Bench) -> list[Finding]:
    cycle = bench.plant.loop.newest
    assert cycle is not None
    volts = cycle.voltage
    if not np.isfinite(volts).all():
        return [note("supply", "the servos do not tell it")]
    least, most = float(volts.min()), float(volts.max())
    text = f"{least:.1f} to {most:.1f} V at the servos"
    if least < LOWEST:
        return [wrong("supply", f"{text}, {SUPPLY:g} V expected", "check supply and cable")]
    if most - least > SPREAD:
        farthest = int(volts.argmin()) + 1
        return [wrong("supply", f"{text}, lowest at joint {farthest}", "check plugs and cable")]
    return [note("supply", text)]
