# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa report`: a run judged by another scenario keeps what its own had said."""

from __future__ import annotations

from pathlib import Path

from boa_tools.cli import main

SCENARIO = """
name: free
summary: test
robot: {name: boa13, links: 3}
initial: {base: [0.0, 0.0, 0.0]}
controller: {name: constant}
evaluation: {settle: 0.0}
duration: 0.1
"""


def test_another_scenario_does_not_replace_the_results_of_a_run(tmp_path: Path, capsys) -> None:
    own, other, run, out = (tmp_path / name for name in ("own.yaml", "other.yaml", "run", "out"))
    own.write_text(SCENARIO)
    other.write_text(SCENARIO.replace("settle: 0.0", "settle: 0.05"))
    assert main(["run", str(own), "--out", str(run), "--no-report"]) == 0
    before = (run / "metrics.json").read_bytes()
    words = ["report", str(run), "--scenario", str(other)]
    assert main(words) == 2
    assert "has its own scenario.yaml" in capsys.readouterr().err
    assert (run / "metrics.json").read_bytes() == before
    assert main([*words, "--out", str(out)]) == 0
    assert (out / "metrics.json").read_bytes() != before
