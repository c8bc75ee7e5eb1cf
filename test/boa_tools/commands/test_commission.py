# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa commission`: its steps, and what it says to wrong input."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_hardware.calibration.record import REQUIRED_STEPS
from boa_tools.cli import main


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
