# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa identify` and `boa compare` on the command line: from a recorded run to files and a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_control.experiments.experiment import Experiment
from boa_description.gearbox import load_gearbox
from boa_tools.cli import main
from boa_tools.runs.runlog import RunLog


@pytest.fixture
def recorded(gearbox_run: tuple[RunLog, Experiment, Path]) -> Path:
    return gearbox_run[2]


def test_a_run_becomes_files_that_simulate_it(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "identified"
    assert main(["identify", str(recorded), "--out", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "<- chosen" in said
    assert "not to be known from such runs" in said
    gearbox, page = folder / "gearbox.yaml", tmp_path / "page.html"
    assert len(load_gearbox(str(gearbox)).losses) == 12
    given = ["--gearbox", "g20", "--gearbox", str(gearbox), "--every", "5", "--out", str(page)]
    assert main(["compare", str(recorded), str(recorded), *given]) == 0
    assert "gap, rms" in capsys.readouterr().out
    assert "<html" in page.read_text("utf-8")
    robot = ["--robot", str(folder / "robot.yaml"), "--every", "10", "--out", str(page)]
    assert main(["compare", "boa_gearbox", str(recorded), *robot]) == 0
    assert main(["identify", str(recorded), "--out", str(folder)]) == 2  # nothing is overwritten


def test_what_cannot_be_compared_is_refused(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "boa20_circle", str(recorded)]) == 2
    assert "compare runs of one robot at one rate" in capsys.readouterr().err
    assert main(["identify", str(tmp_path / "none")]) == 2
    assert "does not exist" in capsys.readouterr().err
