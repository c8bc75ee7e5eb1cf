# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated spine over pseudo-terminals in real time: our Brain, python-can's logger, cantools'
monitor.
"""

from __future__ import annotations

import argparse
import curses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import can
import numpy as np
import pytest
from cantools.subparsers import monitor

from boa_description.load import load_robot
from boa_hardware.emulator.link_physics import LinkReading
from boa_hardware.emulator.spine_emulator import (
    EmulatedSpine,
    SlcanServer,
    emulate_spine,
)
from boa_hardware.emulator.spine_faults import SpineFault
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.health import BusState
from boa_hardware.spine.protocol import Opcode, arbitration_id, shipped_dbc
from boa_hardware.spine.settings import Restart, SpineSettings
from boa_hardware.spine.status import SpineReading
from test.scripted_link import ScriptedLink

pytestmark = pytest.mark.realtime

LINKS = 13
PATIENCE = 120.0  # s, for a busy machine; nothing here is timed
ROBOT = load_robot("boa13")
SENSORS = (Opcode.ACC, Opcode.IMU, Opcode.CFS)
SETTINGS = SpineSettings(
    sensor_rate=50.0, deadline=0.02, patience=0.1, fault_age=2.0, restart=Restart(silent_after=25)
)


def emulated(settings: SpineSettings = SETTINGS) -> EmulatedSpine:
    """Every link at rest with its own force and heading."""

    def resting(index: int) -> ScriptedLink:
        reading = LinkReading(
            (0.25 * index, -0.5), 0.1 * index, 0.0, (1.0 * index, -2.0 * index, 0.0)
        )
        return ScriptedLink(lambda now: reading)

    return emulate_spine(ROBOT, settings, [resting(index) for index in range(LINKS)])


@pytest.fixture
def server() -> Iterator[SlcanServer]:
    running = SlcanServer(emulated(), adapters=2)
    yield running
    running.close()


@pytest.fixture
def brain(server: SlcanServer) -> Iterator[SpineBus]:
    spine = SpineBus(SETTINGS.model_copy(update={"channel": server.channels[0]}), ROBOT)
    spine.start()
    yield spine
    spine.close()


def wait_for(spine: SpineBus, condition: Callable[[SpineReading], bool]) -> SpineReading:
    """The first reading that meets a condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        reading = spine.newest()
        if reading is not None and condition(reading):
            return reading
        time.sleep(0.01)
    raise AssertionError(f"not within {PATIENCE} s; newest: {spine.newest()}")


def whole(reading: SpineReading) -> bool:
    return bool(
        np.isfinite(reading.imu.sample.yaw).all()
        and np.isfinite(reading.imu.sample.acceleration).all()
        and np.isfinite(reading.force.sample.force[:, :2]).all()
    )


def healthy(reading: SpineReading) -> bool:
    return (
        whole(reading) and reading.status.faults == () and reading.status.state is BusState.ACTIVE
    )


def fail(server: SlcanServer, kind: str) -> None:
    server.spine.faults.add(SpineFault.model_validate({"kind": kind}))


def test_brain_reads_all_links_through_the_adapter(brain: SpineBus) -> None:
    reading = wait_for(brain, healthy)
    joints = np.arange(1, LINKS)
    np.testing.assert_allclose(
        reading.force.sample.force[:, :2], np.stack([joints, -2 * joints], axis=1), atol=2e-3
    )
    np.testing.assert_allclose(reading.imu.sample.yaw, 0.0, atol=1e-9)  # relative to the start
    np.testing.assert_allclose(
        reading.imu.sample.acceleration[:, 0], 0.25 * np.arange(LINKS), atol=0.0051
    )


def test_can_fd_through_the_adapter() -> None:
    settings = SETTINGS.model_copy(update={"fd_frame": True})
    server = SlcanServer(emulated(settings))
    spine = SpineBus(settings.model_copy(update={"channel": server.channels[0]}), ROBOT)
    try:
        spine.start()
        reading = wait_for(spine, healthy)
    finally:
        spine.close()
        server.close()
    np.testing.assert_allclose(reading.force.sample.force[:, 0], np.arange(1, LINKS), atol=2e-3)


def test_bus_off_of_the_adapter_is_found_restarted_and_overcome(
    server: SlcanServer, brain: SpineBus
) -> None:
    wait_for(brain, healthy)
    fail(server, "bus_off")
    bad = wait_for(brain, lambda reading: reading.status.state is BusState.OFF)
    assert any("bus-off" in text for text in bad.status.faults)
    server.spine.faults.clear()
    assert wait_for(brain, healthy).status.restarts >= 1


def test_error_passive_of_the_adapter_is_seen(server: SlcanServer, brain: SpineBus) -> None:
    wait_for(brain, healthy)
    fail(server, "error_passive")
    bad = wait_for(brain, lambda reading: reading.status.state is BusState.PASSIVE)
    assert any("error-passive" in text for text in bad.status.warnings)
    server.spine.faults.clear()
    wait_for(brain, healthy)


def test_adapter_may_be_unplugged_and_plugged_in_again(
    server: SlcanServer, brain: SpineBus
) -> None:
    wait_for(brain, healthy)
    fail(server, "unplug")
    bad = wait_for(brain, lambda reading: reading.status.state is BusState.DOWN)
    assert np.isnan(bad.imu.sample.yaw).all()
    server.spine.faults.clear()
    wait_for(brain, healthy)


def test_noise_on_the_serial_line_costs_frames_at_most(
    server: SlcanServer, brain: SpineBus
) -> None:
    wait_for(brain, healthy)
    for noise in (b"\xff\xfe\x00", b"t2C18", b"\a\a", b"t2C18zzzz\r", b"T" * 300):
        os.write(server.ports[0].master, noise)
        time.sleep(0.02)
    over_ns = time.monotonic_ns()
    reading = wait_for(brain, lambda reading: healthy(reading) and reading.stamp_ns > over_ns)
    joints = np.arange(1, LINKS)
    np.testing.assert_allclose(
        reading.force.sample.force[:, :2], np.stack([joints, -2 * joints], axis=1), atol=2e-3
    )


def test_python_can_logger_records_and_cantools_decodes(
    server: SlcanServer, brain: SpineBus, tmp_path: Path
) -> None:
    wait_for(brain, healthy)
    log = tmp_path / "spine.log"
    arguments = ["-i", "slcan", "-c", str(server.ports[1].path), "-b", "1000000", "-f", str(log)]
    logger = subprocess.Popen(
        [sys.executable, "-m", "can.logger", *arguments, "--bus-kwargs", "sleep_after_open=0"],
        stdout=subprocess.DEVNULL,
    )
    links = range(1, LINKS + 1)
    sensors = {arbitration_id(opcode, link) for opcode in SENSORS for link in links}
    expected = sensors | {arbitration_id(Opcode.SYNC_SENSOR)}

    def complete() -> bool:
        text = log.read_text() if log.exists() else ""
        return all(f" {identifier:03X}#" in text for identifier in expected)

    try:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not complete():
            time.sleep(0.05)
    finally:
        logger.send_signal(signal.SIGINT)
        assert logger.wait(PATIENCE) == 0
    assert {frame.arbitration_id for frame in can.LogReader(log)} >= expected
    command = [sys.executable, "-m", "cantools", "decode", "--single-line", str(shipped_dbc())]
    decoded = subprocess.run(
        command, stdin=log.open(), capture_output=True, text=True, check=True
    ).stdout
    assert "LINK_05_ACC(acceleration_x: 1.0 m/s2, acceleration_y: -0.5 m/s2)" in decoded
    assert "SYNC_SENSOR(zero: 0)" in decoded
    assert "Unknown" not in decoded


class Screen:
    """The part of a curses window that cantools' monitor uses; keeps what is drawn."""

    def __init__(self) -> None:
        self.text: dict[int, str] = {}
        self.keys: list[str] = []

    def getmaxyx(self) -> tuple[int, int]:
        return 60, 200

    def addstr(self, row: int, column: int, text: str, *attributes: int) -> None:
        self.text[row] = text

    def erase(self) -> None:
        self.text.clear()

    def getkey(self) -> str:
        if not self.keys:
            raise curses.error
        return self.keys.pop()

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments: None  # keypad, nodelay, refresh


def test_cantools_monitor_shows_every_link(
    server: SlcanServer, brain: SpineBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """cantools' own monitor, on a drawing surface of ours, since a real terminal only gets what has
    changed.
    """
    for name in ("use_default_colors", "curs_set", "init_pair", "color_pair", "is_term_resized"):
        monkeypatch.setattr(curses, name, lambda *arguments: 0)
    wait_for(brain, healthy)
    parser = argparse.ArgumentParser()
    monitor.add_subparser(parser.add_subparsers())
    bus = [
        "-i",
        "slcan",
        "-c",
        str(server.ports[1].path),
        "-b",
        "1000000",
        "--bus-kwargs",
        "sleep_after_open=0",
    ]
    screen = Screen()
    running = monitor.Monitor(
        screen, parser.parse_args(["monitor", "-s", *bus, "--", str(shipped_dbc())])
    )
    wanted = {
        f"LINK_{link:02d}_{kind}(" for link in range(1, LINKS + 1) for kind in ("ACC", "IMU", "CFS")
    }
    try:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and any(
            name not in "".join(screen.text.values()) for name in wanted
        ):
            running.tick(1)
            time.sleep(0.02)
        shown = list(screen.text.values())
        screen.keys.append("q")
        with pytest.raises(monitor.QuitError):
            running.tick(1)
    finally:
        running._notifier.stop()
        for opened in (
            running._notifier.bus
            if isinstance(running._notifier.bus, list)
            else [running._notifier.bus]
        ):
            opened.shutdown()
    assert {name for name in wanted if not any(name in line for line in shown)} == set()
    assert any("LINK_05_ACC(acceleration_x: 1.0 m/s2" in line for line in shown)
    assert "Discarded: 0, Errors: 0" in shown[0]
