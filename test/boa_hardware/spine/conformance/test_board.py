# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa spine check`: a good board passes everything, and one that is broken in one way fails just
there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from unittest import mock

import can
import pytest

from boa_control.plant import PlantError
from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.link_board import LinkBoard
from boa_hardware.emulator.link_physics import LinkReading
from boa_hardware.sensors.wire import ForceWire, ImuWire
from boa_hardware.spine.conformance.bench import BoardBench
from boa_hardware.spine.conformance.board import CHECKS, check_board
from boa_hardware.spine.conformance.finding import Finding, Requests, Result
from boa_hardware.spine.protocol import Opcode, arbitration_id, split
from boa_hardware.spine.settings import SpineSettings
from test.boa_hardware.spine.conftest import Clock, DirectBus

LINK = 5
ON_REQUEST = {"yaw and rate", "force", "PANIC"}
EVERYTHING = Requests(turn=90.0, load=10.0, panic=True, arm=True, seconds=2.0)
SERVOS = SpineSettings(servo_frames=True)


class Hand:
    """The author's hand: turns and loads when it is told to."""

    def __init__(self, make_rig: Any, settings: SpineSettings, servos: bool = False) -> None:
        self.rig = make_rig(settings, motion=self.reading, servos=servos)
        self._from: dict[str, float] = {}

    def told(self, text: str) -> None:
        self._from[text.split()[0]] = self.rig.clock.now_ns * 1e-9

    def reading(self, index: int, now: float) -> LinkReading:
        """90 degrees in the second after "turn", 10 N from half a second after "load"."""
        rate = math.radians(90)
        since = now - self._from.get("turn", math.inf)
        turned = min(max(since, 0.0), 1.0)
        loaded = now - self._from.get("load", math.inf) > 0.5
        return LinkReading(
            (0.02, -0.01),
            0.3 + rate * turned,
            rate if 0 < since < 1 else 0.0,
            (10.0 if loaded else 0.0, 0.5, 0.0),
        )


def findings(
    make_rig: Any,
    board: SpineSettings,
    expected: SpineSettings | None = None,
    requests: Requests = EVERYTHING,
    damage: Callable[[LinkBoard], None] = lambda _: None,
) -> dict[str, Finding]:
    """All checks of one board; `damage` breaks it."""
    hand = Hand(make_rig, board, servos=board.servo_frames)
    damage(hand.rig.emulated.boards[LINK - 1])
    bench = BoardBench(hand.rig.bus, expected or board, hand.rig.clock)
    return {item.check: item for item in check_board(bench, LINK, requests, hand.told)}


def failed(found: dict[str, Finding]) -> set[str]:
    return {name for name, item in found.items() if item.result is Result.FAILED}


@pytest.mark.parametrize(
    "settings",
    [
        SpineSettings(),
        SERVOS,
        SpineSettings(byte_order="big"),
        SpineSettings(imu=ImuWire(rate_unit="rad/s", angle_unit="rad", rate_sign=-1)),
        SpineSettings(force=ForceWire(content="force")),
        SpineSettings(fd_frame=True),
    ],
    ids=["default", "servos", "big-endian", "radians", "newtons", "fd"],
)
def test_a_good_board_passes_everything(make_rig: Any, settings: SpineSettings) -> None:
    found = findings(make_rig, settings)
    assert {
        name: item.text for name, item in found.items() if item.result is not Result.PASSED
    } == {}
    assert len(found) == len(CHECKS)


def test_what_needs_a_hand_is_not_tested_unless_requested(make_rig: Any) -> None:
    found = findings(make_rig, SpineSettings(), requests=Requests())
    skipped = {name for name, item in found.items() if item.result is Result.SKIPPED}
    assert skipped == ON_REQUEST
    assert failed(found) == set()


def answer_by(board: LinkBoard, receive: Callable[[WireFrame, float], list[WireFrame]]) -> None:
    """Let something else answer for the board, which lives no longer than its test."""
    mock.patch.object(board, "receive", receive).start()


def receiving(change: Callable[[WireFrame, list[WireFrame]], list[WireFrame]]) -> Any:
    """A board whose answers are changed."""

    def damage(board: LinkBoard) -> None:
        right = board.receive

        def receive(frame: WireFrame, now: float) -> list[WireFrame]:
            return change(frame, right(frame, now))

        answer_by(board, receive)

    return damage


def every_second_sync() -> Any:
    count = 0

    def change(frame: WireFrame, answers: list[WireFrame]) -> list[WireFrame]:
        nonlocal count
        count += bool(answers)
        return answers if count % 2 else []

    return receiving(change)


def dead_after_a_strange_frame() -> Any:
    dead = False

    def change(frame: WireFrame, answers: list[WireFrame]) -> list[WireFrame]:
        nonlocal dead
        dead = dead or split(frame.identifier)[0] == 0x1F
        return [] if dead else answers

    return receiving(change)


def dead_after(seconds: float) -> Any:
    """A watchdog without a way back."""

    def damage(board: LinkBoard) -> None:
        right, last = board.receive, [math.nan]

        def receive(frame: WireFrame, now: float) -> list[WireFrame]:
            gap, last[0] = now - last[0], now
            if gap > seconds:
                last[0] = -math.inf
            return [] if last[0] == -math.inf else right(frame, now)

        answer_by(board, receive)

    return damage


def only(*kept: Opcode) -> Any:
    return receiving(lambda frame, answers: [a for a in answers if split(a.identifier)[0] in kept])


def dead_after_panic(board: LinkBoard) -> None:
    right = board.receive

    def receive(frame: WireFrame, now: float) -> list[WireFrame]:
        answers = right(frame, now)
        return [] if board.panicked else answers

    answer_by(board, receive)


def obeys_after_panic(board: LinkBoard) -> None:
    right = board.receive

    def receive(frame: WireFrame, now: float) -> list[WireFrame]:
        answers = right(frame, now)
        board.panicked = False
        return answers

    answer_by(board, receive)


@pytest.mark.parametrize(
    ("damage", "fails", "says"),
    [
        (every_second_sync(), {"rate"}, "50 of 100 SYNCs"),
        (only(Opcode.ACC, Opcode.IMU), {"frames"}, "no CFS"),
        (
            receiving(lambda _, answers: [a._replace(data=a.data[:-1]) for a in answers]),
            {"frames"},
            "7 bytes instead of 8",
        ),
        (receiving(lambda _, answers: answers + answers[:1]), {"frames"}, "ACC more than once"),
        (
            receiving(lambda _, answers: [a._replace(extended=True) for a in answers]),
            {"frames"},
            "no data frame of 11 bit identifier",
        ),
        (receiving(lambda _, answers: []), {"frames"}, "no answer to SYNC SENSOR"),
        (
            receiving(
                lambda frame, answers: (
                    answers or [WireFrame(arbitration_id(Opcode.ACC, LINK), bytes(8), sender=LINK)]
                )
            ),
            {"strange frames"},
            "answered by ACC",
        ),
        (dead_after_a_strange_frame(), {"strange frames"}, "then no ACC"),
        (dead_after(0.9), {"recovery"}, "then no ACC"),
        (dead_after_panic, {"PANIC"}, "then no ACC"),
    ],
    ids=[
        "every second SYNC",
        "frame missing",
        "too short",
        "twice",
        "extended",
        "dead",
        "answers everything",
        "dies of a strange frame",
        "does not come back",
        "dead after PANIC",
    ],
)
def test_a_broken_board_fails_where_it_is_broken(
    make_rig: Any, damage: Any, fails: set[str], says: str
) -> None:
    found = findings(make_rig, SpineSettings(), requests=Requests(panic=True), damage=damage)
    assert fails <= failed(found)
    (name,) = fails
    assert says in found[name].text


def test_late_answers_may_also_be_those_of_a_busy_computer(make_rig: Any) -> None:
    hasty = SpineSettings(deadline=1e-4)
    found = findings(make_rig, SpineSettings(), expected=hasty, requests=Requests())
    assert "100 of 100 answers late" in found["rate"].text
    assert found["rate"].text.endswith("(or this computer was busy: repeat)")


class Stalled(Clock):
    """The program stands still for 2 s after its first look at the time."""

    def __call__(self) -> int:
        now, self.now_ns = self.now_ns, max(self.now_ns, 2_000_000_000)
        return now


def test_another_brain_is_noticed_by_a_computer_that_was_busy_meanwhile(make_rig: Any) -> None:
    rig, clock = make_rig(), Stalled()
    sync = WireFrame(arbitration_id(Opcode.SYNC_SENSOR), b"\0", sender=-1)
    rig.emulated.send(sync, 50_000_000)
    with (
        DirectBus(rig.emulated, clock) as bus,
        pytest.raises(PlantError, match="another program drives this bus"),
    ):
        BoardBench(bus, SpineSettings(), clock).require_alone()


class Chatter:
    """A bus with a frame before everything that comes."""

    def __init__(self, bus: can.BusABC) -> None:
        self._bus = bus

    def recv(self, timeout: float | None = None) -> can.Message | None:
        frame = self._bus.recv(min(timeout or 0.0, 0.1))
        return frame or can.Message(
            arbitration_id=arbitration_id(Opcode.IMU, LINK), data=bytes(8), is_extended_id=False
        )

    def send(self, frame: can.Message) -> None:
        self._bus.send(frame)


def test_a_board_that_talks_without_a_sync(make_rig: Any) -> None:
    hand = Hand(make_rig, SpineSettings())
    bench = BoardBench(Chatter(hand.rig.bus), SpineSettings(), hand.rig.clock)
    found = next(check_board(bench, LINK, Requests()))
    assert (found.check, found.result) == ("silence", Result.FAILED)
    assert "frames without a SYNC, first IMU of link 5" in found.text
