# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Checks of a board's traffic: what it sends, when, and what disturbs it."""

import math

import can

from boa_hardware.spine.conformance.bench import BoardBench
from boa_hardware.spine.conformance.finding import (
    Finding,
    Requests,
    Result,
    Tell,
    failed,
    name_of,
    passed,
    skipped,
)
from boa_hardware.spine.protocol import BROADCAST, Opcode, arbitration_id

QUIET = 0.5  # s without a SYNC in which a board must be silent
SYNCS = 100
PERHAPS_BUSY = "(or this computer was busy: repeat)"
AWAY = 1.0  # s for which the Brain is gone
TEST_TORQUE = 0.2  # N m, with which a board after a PANIC is tempted


def silence(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """Without SYNC SENSOR a board says nothing, but for PANIC, FATAL ERROR and WARNING."""
    bench.settle()
    unrequested = [
        item
        for item in bench.listen(QUIET)
        if item.link == link
        and item.opcode not in (Opcode.PANIC, Opcode.FATAL_ERROR, Opcode.WARNING)
    ]
    if unrequested:
        return failed(
            "silence", f"{len(unrequested)} frames without a SYNC, first {name_of(unrequested[0])}"
        )
    return passed("silence", f"nothing for {QUIET:g} s without a SYNC")


def frames(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """To a SYNC each frame comes once, with a standard identifier and its length."""
    bench.settle()
    answers = [item for item in bench.sync() if item.link == link]
    if not answers:
        return failed("frames", "no answer to SYNC SENSOR; check link number and bit rate")
    for item in answers:
        if not item.standard:
            return failed("frames", f"{name_of(item)} is no data frame of 11 bit identifier")
        if item.opcode not in bench.kinds:
            servo = item.opcode == Opcode.SERVO
            remedy = "; with a servo: --settings of servo_frames: true" if servo else ""
            return failed("frames", f"{name_of(item)} is not expected in these settings{remedy}")
        size = bench.length(Opcode(item.opcode))
        if len(item.data) != size:
            return failed("frames", f"{name_of(item)} has {len(item.data)} bytes instead of {size}")
    opcodes = [item.opcode for item in answers]
    missing = [kind.name for kind in _needed(bench, link) if kind not in opcodes]
    if missing:
        return failed("frames", f"no {', '.join(missing)}")
    twice = {Opcode(opcode).name for opcode in opcodes if opcodes.count(opcode) > 1}
    if twice:
        return failed("frames", f"{', '.join(sorted(twice))} more than once")
    return passed("frames", f"{', '.join(Opcode(opcode).name for opcode in opcodes)}, once each")


def rate(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """Every SYNC at the sensor rate is answered completely before the deadline."""
    settings = bench.settings
    answers = bench.series(link, SYNCS)
    needed = set(_needed(bench, link))
    whole = [needed <= {item.opcode for item in answer} for answer in answers]
    delays = [max(item.delay for item in answer) for answer in answers if answer]
    if not all(whole):
        return failed(
            "rate",
            f"{whole.count(False)} of {SYNCS} SYNCs at {settings.sensor_rate:g} Hz not "
            f"answered completely {PERHAPS_BUSY}",
        )
    late = sum(delay > settings.deadline for delay in delays)
    slowest = f"slowest answer {1e3 * max(delays):.1f} ms, deadline {1e3 * settings.deadline:g} ms"
    if late:
        return failed("rate", f"{late} of {SYNCS} answers late: {slowest} {PERHAPS_BUSY}")
    return passed("rate", f"{SYNCS} SYNCs at {settings.sensor_rate:g} Hz; {slowest}")


def strange_frames(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """Frames that are nobody's, or of wrong length, do not disturb a board."""
    bench.settle()
    unknown = arbitration_id(0x1F, link)
    for frame in (
        can.Message(arbitration_id=unknown, data=bytes(8), is_extended_id=False),
        can.Message(
            arbitration_id=arbitration_id(Opcode.SET_JOINT_TORQUE, link),
            data=b"\x01",
            is_extended_id=False,
        ),
        can.Message(arbitration_id=unknown, data=b"", is_extended_id=False),
        can.Message(arbitration_id=0x1ABCDEF, data=bytes(4), is_extended_id=True),
        can.Message(
            arbitration_id=arbitration_id(Opcode.ACC, link),
            is_remote_frame=True,
            dlc=8,
            is_extended_id=False,
        ),
    ):
        bench.send_raw(frame)
    said = [item for item in bench.listen(0.1) if item.link == link]
    if said:
        return failed("strange frames", f"answered by {name_of(said[0])}")
    return _answers(bench, link, "strange frames", "answers as before after five of them")


def recovery(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """When the Brain was gone, the first SYNC of the new one is answered."""
    bench.listen(AWAY)
    return _answers(bench, link, "recovery", f"answers the first SYNC after {AWAY:g} s of none")


def panic(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """After a PANIC sensors go on, and a servo stays without torque whatever is commanded."""
    if not requests.panic:
        return skipped("PANIC", "give --panic; a board with a servo needs a power cycle then")
    bench.send(Opcode.PANIC, BROADCAST, {})
    bench.listen(0.05)
    sensors = _answers(bench, link, "PANIC", "sensors go on")
    if sensors.result is Result.FAILED or not bench.settings.servo_frames:
        return sensors
    if not requests.arm:
        return passed("PANIC", "sensors go on; give --arm to try whether the servo stays off")
    largest = 0.0
    for _ in range(20):
        bench.send(Opcode.SET_JOINT_TORQUE, link, {"torque": TEST_TORQUE})
        bench.send(Opcode.SYNC_CONTROL, BROADCAST, {"zero": 0})
        values = bench.values([item for item in bench.sync(link=link) if item.link == link])
        largest = max(largest, abs(values.get("current", math.nan)))
    bench.send(Opcode.SET_JOINT_TORQUE, link, {"torque": 0.0})
    bench.send(Opcode.SYNC_CONTROL, BROADCAST, {"zero": 0})
    if not largest <= bench.settings.servo.current_per_count:
        return failed("PANIC", f"{largest:.2f} A after a PANIC: the servo obeys a torque")
    return passed("PANIC", "sensors go on, the servo stays without current")


def _needed(bench: BoardBench, link: int) -> tuple[Opcode, ...]:
    """Frames that this board must send; the end link without a joint on that side has no force
    sensor and no servo.
    """
    settings, end = bench.settings, 1
    without = {
        opcode
        for opcode, board in (
            (Opcode.CFS, settings.force_board),
            (Opcode.SERVO, settings.servo_board),
        )
        if board == "head_side" and link == end
    }
    return tuple(kind for kind in bench.kinds if kind not in without)


def _answers(bench: BoardBench, link: int, name: str, text: str) -> Finding:
    received = {item.opcode for item in bench.sync(link=link) if item.link == link}
    missing = [kind.name for kind in _needed(bench, link) if kind not in received]
    return failed(name, f"then no {', '.join(missing)}") if missing else passed(name, text)
