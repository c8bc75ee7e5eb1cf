# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa emulate`: as a process, and what it says to wrong input."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from boa_hardware.servo.link import ServoLink
from boa_hardware.spine.channel import parse_channel
from boa_tools.cli import main

pytestmark = pytest.mark.realtime


def boa(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "boa_tools.cli", "emulate", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_ports_answers_and_ends_cleanly(
    end: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boa_hardware.servo.sdk.CONFIGURATION_MARGIN", 60.0)  # of a busy machine
    with boa() as process:
        try:
            assert process.stdout is not None
            port, channel = process.stdout.readline().strip(), process.stdout.readline().strip()
            assert parse_channel(channel).backend == "slcan"
            with ServoLink(port, 3_000_000) as link:
                assert [link.ping(servo).model for servo in range(1, 13)] == [1150] * 12
            process.send_signal(end)
            _, complaints = process.communicate(timeout=600)
            assert process.returncode == 0
            assert complaints == ""
            assert not Path(port).exists()
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["no_such_scenario"], "unknown scenario 'no_such_scenario'"),
        (["--faults", "missing.yaml"], "missing.yaml: cannot be read"),
        (["--hardware", "missing.yaml"], "missing.yaml: cannot be read"),
        (["--latency", "-1"], "--latency -1.0: expected 0 to 1 s"),
        (["--robot", "boa7"], "unknown robot 'boa7'"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["emulate", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert complaint in printed.err
    assert len(printed.err.strip().splitlines()) == 1


@pytest.mark.parametrize(("option", "keys"), [("--faults", "servo_line"), ("--wiring", "imus")])
def test_a_file_that_says_nothing_is_refused(
    option: str, keys: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that was meant to fail would pass."""
    file = tmp_path / "empty.yaml"
    file.write_text("servos: []\n", encoding="utf-8")
    assert main(["emulate", option, str(file)]) == 2
    complaint = capsys.readouterr().err
    assert f"{file} says nothing" in complaint and keys in complaint
