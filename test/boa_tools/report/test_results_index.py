# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page over all results of a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from boa_description.errors import BoaError
from boa_tools.cli import main
from boa_tools.report.results_index import entries


def results_in(root: Path) -> None:
    """A run that its time ended, half of a run, a sweep, and a set with a member of its own."""
    (root / "stood").mkdir(parents=True)
    metrics = {"completed": False, "path_progress_m": 0.526, "extra": {}}
    (root / "stood" / "metrics.json").write_text(json.dumps(metrics))
    record = {"sentence": "Ended by its time after 40.0 s <b>.", "ended": "duration"}
    (root / "stood" / "run.json").write_text(json.dumps(record))
    (root / "stood" / "report.html").write_text("")
    (root / "cut.incomplete").mkdir()
    (root / "deep" / "many").mkdir(parents=True)
    (root / "deep" / "many" / "sweep.json").write_text("{}")
    (root / "set" / "member").mkdir(parents=True)
    (root / "set" / "comparison.json").write_text("{}")
    (root / "set" / "member" / "metrics.json").write_text(json.dumps(metrics))
    (root / "notes").mkdir()
    for age, name in enumerate(("stood", "cut.incomplete", "deep/many", "set")):
        os.utime(root / name, (1e9 - age, 1e9 - age))


def test_every_run_is_told_with_its_end_the_newest_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results_in(tmp_path)
    found = entries(tmp_path)
    assert [entry.name for entry in found] == ["stood", "cut.incomplete", "deep/many", "set"]
    assert [entry.good for entry in found] == [False, None, None, None]
    assert found[0].cells[0] == "0.526" and "cut off" in found[1].told
    assert main(["results", str(tmp_path)]) == 0
    assert "stood           Ended by its time after 40.0 s" in capsys.readouterr().out
    page = (tmp_path / "index.html").read_text()
    assert 'href="stood/report.html"' in page and "40.0 s &lt;b&gt;." in page


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoaError, match="has no results in it"):
        entries(tmp_path)
    with pytest.raises(BoaError, match="is no folder"):
        entries(tmp_path / "none")
