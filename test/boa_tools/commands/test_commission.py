# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa commission`: its steps, and what it says to wrong input."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from boa_hardware.calibration.record import REQUIRED_STEPS
from boa_tools.cli import INTERRUPTED, main


def test_it_lists_its_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["commission", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert tuple(line.split()[0] for line in lines) == REQUIRED_STEPS


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--wiring", "wrong.yaml"], "--wiring is for --demo"),
        (
            ["--step", "joints", "jonts"],
            "--step jonts: no such step",
        ),
        (["--check", "--record", "nowhere.yaml"], "nowhere.yaml: cannot be read"),
        (["--hardware", "spine.yaml"], "boa commission needs servos on RS-485"),
        (["--robot", "boa7"], "unknown robot 'boa7'"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spine.yaml").write_text("topology: spine\n")
    assert main(["commission", *words]) == 2
    complained = capsys.readouterr().err
    assert complaint in complained
    assert complained.count("\n") == 1
    assert not Path("calibration.yaml").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_however_it_is_stopped_torque_goes_off_and_it_says_what_is_kept(
    number: signal.Signals, tmp_path: Path
) -> None:
    """Also by a terminal that is closed: the joints may be under torque then."""
    code = (
        "import sys, time\n"
        "from boa_tools.cli import INTERRUPTED, main\n"
        "from boa_tools.commission import session\n"
        "from boa_tools.commission.bench import Bench\n"
        "def endless(bench, operator, steps, file, *_, **__):\n"
        "    file.done = ('buses', 'imus')\n"
        "    print('there', flush=True)\n"
        "    time.sleep(600)\n"
        "session.commission = endless\n"
        "Bench.release = lambda _: print('released', flush=True)\n"
        "sys.exit(main(['commission', '--record', 'mine.yaml']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (INTERRUPTED, "released\n")
    assert "torque is off; mine.yaml has buses, imus; the same command without --again" in err
