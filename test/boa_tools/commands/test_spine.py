# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa spine check` against emulated boards: in simulated time, and once on a pseudo-terminal."""

from __future__ import annotations

import time
from pathlib import Path

import can
import pytest

from boa_description.load import load_robot
from boa_hardware.block_file import load_block
from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.spine_emulator import EmulatedSpine, SlcanServer, emulate_spine
from boa_hardware.emulator.spine_faults import SpineFault
from boa_hardware.spine.channel import open_channel
from boa_hardware.spine.conformance import bench
from boa_hardware.spine.conformance.bench import BoardBench
from boa_hardware.spine.protocol import BROADCAST, Opcode, arbitration_id
from boa_hardware.spine.settings import SpineSettings
from boa_tools.cli import main
from test.boa_hardware.spine.conftest import Clock, DirectBus
from test.scripted_link import ScriptedLink

ROBOT = load_robot("boa3")
OTHER_BRAIN = -1  # a second adapter on the wire
PATIENCE = 120.0  # s, for a busy machine


def boards(settings: SpineSettings) -> EmulatedSpine:
    return emulate_spine(ROBOT, settings, [ScriptedLink() for _ in range(ROBOT.links)])


class Line:
    """Boards in simulated time, behind whatever channel is opened."""

    def __init__(self, settings: SpineSettings, monkeypatch: pytest.MonkeyPatch) -> None:
        self.spine, self.clock = boards(settings), Clock()

        def opened(channel: str, *, fd: bool = False) -> can.BusABC:
            return DirectBus(self.spine, self.clock)

        def on_its_clock(bus: can.BusABC, settings: SpineSettings, _: object) -> BoardBench:
            return BoardBench(bus, settings, self.clock)

        monkeypatch.setattr("boa_hardware.spine.channel.open_channel", opened)
        monkeypatch.setattr(bench, "BoardBench", on_its_clock)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Of a slow Brain: a SYNC every quarter of a second."""
    file = tmp_path / "spine.yaml"
    file.write_text("spine: {sensor_rate: 4, deadline: 0.25, patience: 1.0}")
    return file


@pytest.fixture
def line(settings: Path, monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(load_block(SpineSettings, settings, "spine"), monkeypatch)


def check(settings: Path, *words: str) -> int:
    return main(["spine", "check", "slcan:/dev/none", "--settings", str(settings), *words])


def test_one_board(line: Line, settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(settings, "--link", "2", "--panic") == 0
    out = capsys.readouterr().out
    assert "link 2\n" in out and "link 1" not in out
    assert "byte order      passed      little-endian" in out
    assert "force           not tested  give --load NEWTON" in out
    assert "all that was tested has passed" in out


def test_all_boards_that_answer(
    line: Line, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line.spine.faults.add(SpineFault(kind="silence", link=2))
    assert check(settings) == 0
    heads = [text for text in capsys.readouterr().out.splitlines() if text.startswith("link")]
    assert heads == ["link 1", "link 3"]


def test_a_dead_board(line: Line, settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line.spine.faults.add(SpineFault(kind="silence", link=2))
    assert check(settings, "--link", "2") == 1
    assert "frames          FAILED      no answer to SYNC SENSOR" in capsys.readouterr().out


def test_a_bus_that_another_brain_drives_is_left_alone(
    line: Line, settings: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first SYNC comes when a pause of a quarter of a second is over; nothing is sent."""
    sync = arbitration_id(Opcode.SYNC_SENSOR, BROADCAST)
    line.spine.send(WireFrame(sync, b"\0", sender=OTHER_BRAIN), 240_000_000)
    monkeypatch.setattr(DirectBus, "send", lambda *_: pytest.fail("sent"))
    assert check(settings) == 1
    assert "another program drives this bus" in capsys.readouterr().err
    assert 0.24 < line.clock.now_ns * 1e-9 < 0.25


@pytest.mark.realtime
def test_a_board_on_a_pseudo_terminal_answers(settings: Path) -> None:
    wire = load_block(SpineSettings, settings, "spine")
    server = SlcanServer(boards(wire))
    bus = open_channel(server.channels[0])
    try:
        answer = BoardBench(bus, wire, time.monotonic_ns).sync(PATIENCE, link=2)
    finally:
        bus.shutdown()
        server.close()
    assert {item.opcode for item in answer if item.link == 2} == {
        Opcode.ACC,
        Opcode.IMU,
        Opcode.CFS,
    }


def test_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spine", "check", "can0"]) == 2
    assert main(["spine", "check", "virtual:x", "--link", "64"]) == 2
    assert "links 1 to 63" in capsys.readouterr().err
