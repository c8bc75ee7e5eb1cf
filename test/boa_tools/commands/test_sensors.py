# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa sensors` against emulated boards."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import can
import numpy as np
import pytest

from boa_description.load import load_robot
from boa_hardware.block_file import load_block
from boa_hardware.emulator.link_board import BoardSensors
from boa_hardware.emulator.link_physics import LinkReading
from boa_hardware.emulator.spine_emulator import emulate_spine
from boa_hardware.emulator.spine_faults import SpineFault
from boa_hardware.sensors.k3d40 import Calibration, nominal_calibration
from boa_hardware.sensors.tare import TareFile
from boa_hardware.spine import bus as spine_bus
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.protocol import Opcode, arbitration_id
from boa_hardware.spine.settings import SpineSettings
from boa_hardware.spine.status import SpineReading
from boa_tools.cli import main
from boa_tools.commands import sensors
from test.boa_hardware.spine.conftest import DirectBus
from test.scripted_link import ScriptedLink

pytestmark = pytest.mark.realtime

ROBOT = load_robot("boa13")
ZERO = (0.01, -0.02, 0.0)  # mV/V; 1 N and -2 N with nominal sensors
# a busy machine may stand still for a minute
SETTINGS = "spine: {sensor_rate: 50, deadline: 0.02, sensor_age: 60, fault_age: 60}"


class RealTime:
    """The clock of a `DirectBus`: to set it is to wait."""

    @property
    def now_ns(self) -> int:
        return time.monotonic_ns()

    @now_ns.setter
    def now_ns(self, later: int) -> None:
        time.sleep(max(0, later - time.monotonic_ns()) * 1e-9)

    def __call__(self) -> int:
        return self.now_ns


class Bench:
    """An emulated robot at rest, in real time, behind whatever channel is opened; tests put loads
    on its sensors. It answers while somebody listens, in the same thread: no answer is late.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.load = (0.0, 0.0, 0.0)
        self.settings = folder / "spine.yaml"
        self.settings.write_text(SETTINGS)
        self.waiting: list[can.Message] = []
        links = [ScriptedLink(lambda now: LinkReading(force=self.load)) for _ in range(ROBOT.links)]
        self.spine = emulate_spine(
            ROBOT,
            load_block(SpineSettings, self.settings, "spine"),
            links,
            sensors=BoardSensors(zero=ZERO),
        )
        monkeypatch.setattr(spine_bus, "SpineBus", partial(SpineBus, opener=self._opened))

    def _opened(self, channel: str, *, fd: bool = False) -> can.BusABC:
        bus = DirectBus(self.spine, RealTime())
        for frame in self.waiting:
            bus.inject(frame)
        return bus

    def run(self, *words: str) -> int:
        action, *rest = words
        settings = ["--settings", str(self.settings)]
        return main(["sensors", action, "--can", "slcan:/dev/none", *settings, *rest])


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr("boa_tools.commands.sensors.PATIENCE", 1000)
    return Bench(tmp_path, monkeypatch)


def test_monitor_shows_every_link(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.load = (12.0, -7.0, 0.0)
    assert bench.run("monitor", "--seconds", "0.2") == 0
    shown = capsys.readouterr().out
    for joint in ROBOT.joint_names:
        assert joint in shown
    # with the unloaded output of 1 N and -2 N, not tared
    assert "13.00" in shown and "-9.00" in shown
    assert "bus error-active" in shown


def test_monitor_fails_when_a_link_is_dead(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.spine.faults.add(SpineFault(kind="silence", link=4))
    assert bench.run("monitor", "--seconds", "0.2") == 1
    assert "fault: spine: no complete answer from link 4 since" in capsys.readouterr().out


def test_monitor_shows_the_first_reading_however_long_it_takes(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = iter([None] * 20)
    newest = SpineBus.newest
    monkeypatch.setattr(SpineBus, "newest", lambda spine: next(readings, newest(spine)))
    assert bench.run("monitor", "--seconds", "1e-9") == 0
    assert "bus error-active" in capsys.readouterr().out


def test_a_bus_that_the_plant_drives_is_left_alone(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = arbitration_id(Opcode.SYNC_SENSOR)
    bench.waiting.append(can.Message(arbitration_id=sync, data=b"\0", is_extended_id=False))
    monkeypatch.setattr(DirectBus, "send", lambda *_: pytest.fail("sent"))
    assert bench.run("monitor", "--seconds", "1") == 1
    assert "another program drives this bus" in capsys.readouterr().err


def test_tare_finds_the_zero_and_monitor_uses_it(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tare.yaml"
    assert bench.run("tare", "--servos-off", "--out", str(out)) == 0
    assert "drift: check the sensor" in capsys.readouterr().out  # 2 N against the certificate
    kept = load_block(TareFile, out)
    nominal = (nominal_calibration(ROBOT.force_sensor.range).serial,) * ROBOT.joints
    assert kept.foreign(ROBOT.joint_names, nominal) == "", "else no robot is armed with it"
    tare = kept.tare(ROBOT.joint_names)
    np.testing.assert_allclose(tare.zero[:, :2], np.tile(ZERO[:2], (12, 1)), atol=1e-5)
    bench.load = (12.0, -7.0, 0.0)
    assert bench.run("monitor", "--tare", str(out), "--seconds", "0.2") == 0
    assert "   12.00    -7.00" in capsys.readouterr().out


def test_a_computer_that_stands_still_for_a_while_only_takes_longer_to_tare(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = sensors._readings

    def standing_still(spine: SpineBus, seconds: float | None) -> Iterator[SpineReading]:
        for count, reading in enumerate(readings(spine, seconds)):
            yield reading
            if count == sensors.ENOUGH:
                time.sleep(1.5)  # longer than the window of samples

    monkeypatch.setattr(sensors, "_readings", standing_still)
    assert bench.run("tare", "--servos-off", "--out", str(tmp_path / "tare.yaml")) == 0


def test_tare_is_refused_without_confirmation_and_under_load(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tare.yaml"
    assert bench.run("tare", "--out", str(out)) == 2
    assert "--servos-off" in capsys.readouterr().err
    assert bench.run("tare") == 2
    error = capsys.readouterr().err
    assert "--servos-off" in error and "--out" in error  # all that is missing at once
    bench.load = (9.0, 0.0, 0.0)
    assert bench.run("tare", "--servos-off", "--out", str(out)) == 1
    assert "joint_01 is loaded" in capsys.readouterr().err
    assert not out.exists()


def test_calibration_from_recorded_loads(
    bench: Bench,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("boa_tools.commands.sensors.AVERAGE", 0.2)  # of samples without noise
    data, out = tmp_path / "loads.csv", tmp_path / "joint_03.yaml"
    for load in [(10, 0), (-10, 0), (0, 10), (0, -10)]:
        bench.load = (*map(float, load), 0.0)
        words = ["--data", str(data), "--joint", "3", "--load", *map(str, load)]
        assert bench.run("calibrate", *words) == 0
    assert (
        main(
            [
                "sensors",
                "calibrate",
                "--fit",
                "--data",
                str(data),
                "--serial",
                "K-3",
                "--out",
                str(out),
            ]
        )
        == 0
    )
    calibration = load_block(Calibration, out)
    np.testing.assert_allclose(calibration.to_link_planar, [[100, 0], [0, 100]], atol=0.01)
    np.testing.assert_allclose(calibration.offset, ZERO, atol=1e-5)
    assert "residual 0.0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["monitor", "--can", "can0"], "not understood; write back-end:channel"),
        (["monitor", "--can", "virtual:x", "--settings", "/no/such.yaml"], "cannot be read"),
        (["calibrate", "--data", "x.csv", "--load", "1", "2"], "also needs --can and --joint"),
        (["calibrate", "--data", "x.csv", "--fit"], "also needs --serial and --out"),
        (
            [
                "calibrate",
                "--data",
                "x.csv",
                "--load",
                "1",
                "2",
                "--can",
                "virtual:x",
                "--joint",
                "13",
            ],
            "joints 1 to 12",
        ),
    ],
)
def test_wrong_input_is_one_line_and_status_2(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sensors", *words]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1


def test_missing_adapter_is_one_line_and_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensors", "monitor", "--can", "slcan:/dev/no-such-port"]) == 1
    assert "dialout" in capsys.readouterr().err
