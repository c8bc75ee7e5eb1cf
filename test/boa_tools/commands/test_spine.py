"""`boa spine check` against emulated boards on a pseudo-terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from boa_description.load import load_robot
from boa_hardware.block_file import load_block
from boa_hardware.emulator.link_physics import ScriptedLink
from boa_hardware.emulator.spine_emulator import SlcanServer, emulate_spine
from boa_hardware.emulator.spine_faults import SpineFault
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.settings import SpineSettings
from boa_tools.cli import main

pytestmark = pytest.mark.realtime

ROBOT = load_robot("boa3")
# a busy machine gets time to answer
SLOW = "spine: {sensor_rate: 4, deadline: 0.25, patience: 1.0}"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("boa_hardware.spine.conformance.traffic.SYNCS", 5)
    file = tmp_path / "spine.yaml"
    file.write_text(SLOW)
    return file


@pytest.fixture
def server(settings: Path) -> Iterator[SlcanServer]:
    wire = load_block(SpineSettings, settings, "spine")
    links = [ScriptedLink() for _ in range(ROBOT.links)]
    running = SlcanServer(emulate_spine(ROBOT, wire, links), adapters=2)
    yield running
    running.close()


def test_one_board(server: SlcanServer, settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["spine", "check", server.channels[0], "--settings", str(settings), "--link", "2"]
    assert main([*words, "--panic"]) == 0
    out = capsys.readouterr().out
    assert "link 2\n" in out and "link 1" not in out
    assert "byte order      passed      little-endian" in out
    assert "force           not tested  give --load NEWTON" in out
    assert "all that was tested has passed" in out


def test_a_dead_board(
    server: SlcanServer, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.spine.faults.add(SpineFault(kind="silence", link=2))
    words = ["spine", "check", server.channels[0], "--settings", str(settings), "--link", "2"]
    assert main(words) == 1
    assert "frames          FAILED      no answer to SYNC SENSOR" in capsys.readouterr().out


def test_a_bus_that_the_plant_drives_is_left_alone(
    server: SlcanServer, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wire = load_block(SpineSettings, settings, "spine")
    plant = SpineBus(wire.model_copy(update={"channel": server.channels[1]}), ROBOT)
    plant.start()
    try:
        assert main(["spine", "check", server.channels[0], "--settings", str(settings)]) == 1
        assert "another program drives this bus" in capsys.readouterr().err
        reading = plant.newest()
        assert reading is not None
        assert not any("another master" in text for text in reading.status.faults)
    finally:
        plant.close()


def test_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spine", "check", "can0"]) == 2
    assert main(["spine", "check", "virtual:x", "--link", "64"]) == 2
    assert "links 1 to 63" in capsys.readouterr().err
