# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The clients themselves: `python clients.py PORT CHANNEL`, with the two lines of `boa emulate`.

Every check leaves the servos as it has found them, without torque.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import can
import cantools
import dynamixel_sdk as dxl
import rustypot
from can.interfaces.slcan import slcanBus

BAUD = 3_000_000
SERVOS = range(1, 13)
MODEL, FREE_ID = 1150, 40
LED, ID, GOAL_CURRENT, PRESENT_POSITION = 65, 7, 102, 132
SYNC_SENSOR = 5 << 6
DBC = Path(__file__).parents[2] / "boa_hardware" / "spine" / "boa_spine.dbc"
TRIES = 50  # a busy machine may answer later than a client waits
NOT_FOUND = "no answer"


class Row(NamedTuple):
    """One line of the table."""

    client: str
    check: str
    passed: bool
    result: str


Checks = Iterator[tuple[str, Callable[[], Any], Any]]


def patiently(call: Callable[[], Any], good: Callable[[Any], bool]) -> Any:
    """The first good result of several tries, else the last one."""
    result: Any = NOT_FOUND
    for _ in range(TRIES):
        with contextlib.suppress(RuntimeError, OSError):
            result = call()
            if good(result):
                break
    return result


def dynamixel_sdk(name: str, repeats: int) -> Checks:
    """ROBOTIS's own SDK, as it is."""
    port, packets = dxl.PortHandler(name), dxl.PacketHandler(2.0)
    assert port.openPort()
    # the SDK knows 4 Mbit/s at most; the emulated servos run at 3 Mbit/s
    assert port.setBaudRate(BAUD)

    def done(*call: Any) -> Any:
        return patiently(lambda: call[0](port, *call[1:]), lambda r: r[-2] == dxl.COMM_SUCCESS)

    def sync_reads(*, fast: bool) -> int:
        group = dxl.GroupSyncRead(port, packets, PRESENT_POSITION, 4)
        for servo in SERVOS:
            group.addParam(servo)
        read = group.fastSyncRead if fast else group.txRxPacket
        good = 0
        for _ in range(repeats):
            good += patiently(read, lambda r: r == dxl.COMM_SUCCESS) == dxl.COMM_SUCCESS
        return good

    def other_id() -> tuple[int, ...]:
        """`write1ByteTxRx` waits for a status of the ID that it has addressed."""
        there = packets.write1ByteTxRx(port, 12, ID, FREE_ID)
        model = done(packets.ping, FREE_ID)[0]
        back = packets.write1ByteTxRx(port, FREE_ID, ID, 12)
        return (*there, model, *back)

    try:
        yield "ping", lambda: done(packets.ping, 3)[0], MODEL
        found = {servo: [MODEL, 46] for servo in SERVOS}
        pings = lambda: patiently(  # noqa: E731
            lambda: packets.broadcastPing(port)[0], lambda r: r == found
        )
        yield "broadcast ping", lambda: len(pings()), len(SERVOS)
        yield (
            "write and read",
            lambda: (
                done(packets.write1ByteTxRx, 5, LED, 1)[0],
                done(packets.read1ByteTxRx, 5, LED)[0],
                done(packets.write1ByteTxRx, 5, LED, 0)[0],
            ),
            (0, 1, 0),
        )
        yield f"{repeats} sync reads", lambda: sync_reads(fast=False), repeats
        yield f"{repeats} fast sync reads", lambda: sync_reads(fast=True), repeats
        yield (
            "goal above its limit",
            lambda: done(packets.write2ByteTxRx, 5, GOAL_CURRENT, 1188)[1],
            6,
        )
        yield "undefined address", lambda: done(packets.readTxRx, 5, 400, 4)[2], 7
        yield "another ID and back", other_id, (0, 0, MODEL, 0, 0)
    finally:
        port.closePort()


def rustypot_bus(name: str, repeats: int) -> Checks:
    """rustypot (Rust): the XL430's table serves for the registers that both servos have."""
    table = rustypot.Xl430PyController.definition()
    with rustypot.Bus(name, BAUD, 0.1, dict.fromkeys((*SERVOS, FREE_ID), table)) as bus:

        def read(servo: int, register: str) -> Any:
            return patiently(lambda: bus.read_register(servo, register), lambda _: True)

        def other_id() -> tuple[int, int]:
            bus.change_id(table, 12, FREE_ID)
            seen = read(FREE_ID, "id")
            bus.change_id(table, FREE_ID, 12)
            return seen, read(12, "id")

        def sync_reads() -> int:
            good = 0
            for _ in range(repeats):
                values = patiently(
                    lambda: bus.sync_read_register(list(SERVOS), "present_position"),
                    lambda _: True,
                )
                good += len(values) == len(SERVOS)
            return good

        def led() -> tuple[int, int]:
            bus.write_register(4, "led", 1)
            on = read(4, "led")
            bus.write_register(4, "led", 0)
            return on, read(4, "led")

        yield "model number", lambda: read(3, "model_number"), MODEL
        found = dict.fromkeys(SERVOS, MODEL)
        yield "scan", lambda: patiently(lambda: bus.scan(table), lambda r: r == found), found
        yield "write and read", led, (1, 0)
        yield f"{repeats} sync reads", sync_reads, repeats
        yield "another ID and back", other_id, (FREE_ID, 12)


def python_can(channel: str, repeats: int) -> Checks:
    """python-can's own slcan driver as the Brain, and its logger."""
    device = channel.removeprefix("slcan:").partition("@")[0]

    def answers() -> int:
        """13 boards answer with ACC, IMU and CFS each."""
        with slcanBus(device, bitrate=1_000_000) as bus:
            count = 0
            for _ in range(repeats):
                bus.send(can.Message(arbitration_id=SYNC_SENSOR, data=b"\0", is_extended_id=False))
                end = time.monotonic() + 2.0
                frames = 0
                while frames < 39 and time.monotonic() < end:
                    frames += bus.recv(0.1) is not None
                count += frames
        return count

    def logged() -> bool:
        """The logger ends as it should; nobody sends a SYNC, so nothing has to come."""
        with TemporaryDirectory() as folder:
            words = ["-i", "slcan", "-c", device, "-b", "1000000", "-f", f"{folder}/log.asc"]
            with subprocess.Popen(
                [sys.executable, "-m", "can.logger", *words],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            ) as logger:
                time.sleep(3.0)
                alive = logger.poll() is None
                logger.terminate()
                _, complaints = logger.communicate()
        return alive and "Traceback" not in complaints.partition("KeyboardInterrupt")[0]

    yield f"answers to {repeats} SYNCs", answers, 39 * repeats
    yield "logger", logged, True


def cantools_dbc(channel: str, repeats: int) -> Checks:  # noqa: ARG001
    """cantools decodes the boards' frames with the shipped DBC file."""
    device = channel.removeprefix("slcan:").partition("@")[0]
    database = cantools.database.load_file(DBC)

    def decoded() -> list[str]:
        names = set()
        with slcanBus(device, bitrate=1_000_000) as bus:
            bus.send(can.Message(arbitration_id=SYNC_SENSOR, data=b"\0", is_extended_id=False))
            end = time.monotonic() + 2.0
            while len(names) < 39 and time.monotonic() < end:
                frame = bus.recv(0.1)
                if frame is not None:
                    message = database.get_message_by_frame_id(frame.arbitration_id)
                    values = message.decode(frame.data)
                    names.add(f"{message.name} {' '.join(values)}")
        return sorted({name.partition(" ")[0][8:] for name in names})

    yield "frames by name", decoded, ["ACC", "CFS", "IMU"]


def pypot_io(name: str, repeats: int) -> Checks:  # noqa: ARG001
    """pypot (GPL, on request): the XL-320's class speaks Protocol 2.0."""
    from pypot.dynamixel import Dxl320IO

    with Dxl320IO(name, baudrate=BAUD, timeout=0.2) as io:
        yield "scan", lambda: list(io.scan(range(1, 14))), list(SERVOS)


def rows(client: str, checks: Checks) -> Iterator[Row]:
    """One row per check; an exception is a row, too."""
    try:
        for check, run, expected in checks:
            try:
                result = run()
            except Exception as error:
                yield Row(client, check, False, f"{type(error).__name__}: {error}")
                continue
            text = f"{result}" if result == expected else f"{result} instead of {expected}"
            yield Row(client, check, result == expected, text)
    except Exception as error:
        yield Row(client, "opening", False, f"{type(error).__name__}: {error}")


def main() -> int:
    """Run all clients and print the table; status 1 when a check fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port")
    parser.add_argument("channel")
    parser.add_argument("--short", action="store_true", help="fewer repeats")
    parser.add_argument("--pypot", action="store_true", help="pypot, too")
    arguments = parser.parse_args()
    repeats = 20 if arguments.short else 1000
    clients: list[tuple[str, Checks]] = [
        ("dynamixel-sdk", dynamixel_sdk(arguments.port, repeats)),
        ("rustypot", rustypot_bus(arguments.port, repeats)),
        ("python-can", python_can(arguments.channel, max(5, repeats // 10))),
        ("cantools", cantools_dbc(arguments.channel, repeats)),
    ]
    if arguments.pypot:
        clients.append(("pypot", pypot_io(arguments.port, repeats)))
    failed = 0
    print(f"{'client':<22}{'check':<26}{'':<8}result")
    for client, checks in clients:
        for row in rows(f"{client} {version(client)}", checks):
            verdict = "passed" if row.passed else "FAILED"
            print(f"{row.client:<22}{row.check:<26}{verdict:<8}{row.result}", flush=True)
            failed += not row.passed
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
