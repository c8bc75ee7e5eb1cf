"""`boa plan bench`: fields, counts, and the set that travels the paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_control.experiments.library import load_members
from boa_tools.cli import main

GRID = ["--kind", "hexagonal", "--least-distance", "0.32", "--turn", "15"]
SMALL = ["--width", "4", "--height", "2.4", "--seconds", "30"]


def test_found_paths_become_a_set_that_keeps_what_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "travel.yaml"
    words = ["plan", "bench", *GRID, *SMALL, "--post-friction", "0.02", "--out", str(out)]
    assert main(words) == 0
    assert "1 of 1 found" in capsys.readouterr().out
    _, (member,) = load_members(str(out))
    assert member.labels == ("seed_0",)
    scenario = member.scenario
    assert scenario.scene.contact.friction == 0.02
    assert scenario.path is not None
    assert scenario.path.kind == "segments"
    assert scenario.controller.parameters["floor_share"] == 0.25


def test_without_a_path_no_set_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "travel.yaml"
    sparse = ["--least-distance", "1.5", "--seconds", "5"]
    assert main(["plan", "bench", *sparse, "--out", str(out)]) == 0
    assert "0 of 1 found" in capsys.readouterr().out
    assert not out.exists()
