# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa again`: from the record of one run to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_control.experiments.library import load_scenario
from boa_tools.cli import main


def ran(scenario: str, out: Path, seconds: float) -> None:
    main(["run", scenario, "--out", str(out), "--no-report", "--duration", str(seconds)])


def test_a_run_is_gone_once_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """4 s of a first pass, at three times its speed on its trail, and on from there."""
    first, second = tmp_path / "first", tmp_path / "second"
    ran("boa_blind_field", first, 4.0)
    words = ["again", str(first), "--speed", "0.09", "--out", str(second), "--no-report"]
    assert main(words) == 1  # it does not come to its goal in 4 s
    assert (second / "metrics.json").is_file() and "Ended by its time" in capsys.readouterr().out
    parameters = load_scenario(str(second / "scenario.yaml")).controller.parameters
    assert parameters["fast"] == 0.09
    assert len(parameters["trail"]) == pytest.approx(4.0 * 0.03 / 0.02, abs=1)


def test_a_run_without_trail_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran("boa_circle", tmp_path / "first", 1.0)
    assert main(["again", str(tmp_path / "first"), "--out", str(tmp_path / "second")]) == 2
    assert "give a run of the controller feeling" in capsys.readouterr().err
    assert not (tmp_path / "second").exists()
