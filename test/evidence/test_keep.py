# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What was measured again is kept in the file of the claim, and on the pages."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from evidence import __main__ as program
from evidence.claims import load_book

BOOK = """\
# a remark
about: "Runs of a test."
columns:
  joint: {heading: "joint (N)", metric: joint_force_peak_n}
  reached: {heading: "at the goal", metric: completed}
  end: {heading: "ends"}
shared: {seeds: "0", tuned: none, commit: "0123abc", date: "2026-11-26", load: "not recorded",
  depends: [code], command: "boa run boa_circle", goal: a lap}
claims:
  first:
    claim: "{reached} reach the goal in 12 s"
    status: stale
    why: >-
      the code has
      changed
    figures: {joint: "3.0 to 5.70", reached: "19 of 20", end: "well,
      slowly"}  # and a remark
  second:
    claim: "up to {joint.most} N"
    load: "quiet"
    figures:
      joint: "5.7"
"""
PAGE = "<!-- evidence:runs.first -->old<!-- /evidence -->\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch) -> Path:
    for name, text in (("evidence/runs.yaml", BOOK), ("README.md", PAGE), ("code", "x")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "all")):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    monkeypatch.setattr(program, "ROOT", tmp_path)
    return tmp_path


def keep(root: Path, claim: str, **values: object) -> int:
    results = root / "results"
    results.mkdir(exist_ok=True)
    (results / "metrics.json").write_text(json.dumps(values), encoding="utf-8")
    return program.main([claim, "--keep", "--from", str(results)])


def test_only_what_was_measured_is_written_anew(repository, capsys):
    assert keep(repository, "runs.first", completed=True, joint_force_peak_n=6.0) == 0
    text = (repository / "evidence/runs.yaml").read_text(encoding="utf-8")
    claim = load_book(repository / "evidence/runs.yaml").claims["first"]
    assert (claim.status, claim.why, claim.load) == ("measured", "", "not recorded")
    assert claim.commit not in ("", "0123abc")
    new = f'    commit: "{claim.commit}"\n    date: "{claim.date}"\n'
    old = "    status: stale\n    why: >-\n      the code has\n      changed\n"
    expected = BOOK.replace(old, new).replace('"3.0 to 5.70"', '"6.00"')
    assert text == expected.replace("19 of 20", "1 of 1")
    assert "left as it was, for people: end, claim\n" in capsys.readouterr().out
    assert "1 of 1 reach the goal" in (repository / "README.md").read_text(encoding="utf-8")


def test_what_all_claims_share_is_not_said_again(repository):
    assert keep(repository, "runs.second", completed=True, joint_force_peak_n=5.9) == 0
    text = (repository / "evidence/runs.yaml").read_text(encoding="utf-8")
    assert 'load: "quiet"' not in text
    assert text.endswith('      joint: "5.9"\n')


def test_code_that_no_commit_has_is_refused_before_anything_is_written(repository, capsys):
    (repository / "code").write_text("y", encoding="utf-8")
    assert keep(repository, "runs.second", completed=True, joint_force_peak_n=5.9) == 2
    assert "no commit has code; commit, then measure" in capsys.readouterr().err
    assert (repository / "evidence/runs.yaml").read_text(encoding="utf-8") == BOOK
