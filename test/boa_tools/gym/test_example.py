# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The example of a learned policy: its trainer writes one, and the shipped one runs."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_tools.runs.drive import run_experiment
from test.script import loaded

for package, extra in (("gymnasium", "gym"), ("onnxruntime", "policy"), ("cmaes", "sweeps")):
    pytest.importorskip(package, reason=f"extra {extra} is not installed")

FOLDER = Path(__file__).parents[3] / "examples" / "learned"
FIVE_AHEAD = np.array([1.0, 0.5, 2.0, 7.0, 1.0, 2.0, 3.0, 4.0])


@pytest.fixture
def train():
    return loaded(FOLDER / "train.py")


def test_one_layer_treats_all_joints_alike(train) -> None:
    """Joint 6 of 12: the angle of joint 7, the forces on links 5 to 8 of 13, the phase of 3 rad."""
    row = train.layer(FIVE_AHEAD, 12)[6]
    assert np.flatnonzero(row[:12]).tolist() == [7] and row[7] == 7.0
    assert row[12:25][5:9].tolist() == [1.0, 2.0, 3.0, 4.0] and row[12:25].sum() == 10.0
    assert row[25:38].sum() == pytest.approx(-train.TURN)
    assert row[38:].tolist() == pytest.approx([np.cos(3.0), np.sin(3.0)])


def test_the_file_that_is_written_answers_as_the_layer(train, tmp_path: Path) -> None:
    from boa_control.controllers.policy.file import PolicyFile

    train.write(tmp_path / "walk.onnx", FIVE_AHEAD)
    policy = PolicyFile(tmp_path / "walk.onnx")
    seen = np.linspace(-0.2, 0.2, 40)
    expected = np.tanh(train.layer(FIVE_AHEAD, 12) @ (seen / train.scales(12)))
    assert policy(seen) == pytest.approx(expected, abs=1e-6)


@pytest.mark.closed_loop
def test_the_trainer_ends_and_its_policy_runs(train, tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "walk.onnx"
    monkeypatch.setattr(train, "process_time", iter([0.0, 1.0, 1e9]).__next__)
    monkeypatch.setattr(train, "CMA", partial(train.CMA, population_size=4))
    monkeypatch.setattr(sys, "argv", ["train.py", str(out), "--episode", "0.1"])
    train.main()
    (tmp_path / "walk.yaml").write_text((FOLDER / "walk.yaml").read_text())
    scenario = load_scenario(str(tmp_path / "walk.yaml")).model_copy(update={"duration": 0.2})
    log = run_experiment(prepare(scenario)).log
    assert log.ticks == 40 and np.abs(log.applied).max() > 0.1


def test_the_snippet_of_the_page_runs() -> None:
    text = (FOLDER.parents[1] / "docs" / "learned.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], names)
    assert names["observed"].shape == names["env"].observation_space.shape == (52,)
    assert np.isfinite(names["reward"])


@pytest.mark.closed_loop
def test_the_shipped_policy_goes_forwards_without_a_trip() -> None:
    """The first ten seconds of field 310."""
    scenario = load_scenario(str(FOLDER / "walk.yaml"))
    changes = {"scene.fields.0.seed": 310, "duration": 10.0}
    experiment = prepare(changed(scenario, changes))
    result = run_experiment(experiment)
    assert result.log.truth is not None
    assert str(result.ended) == "duration"
    assert result.log.truth.base[-1, 0] - result.log.truth.base[0, 0] > 0.8
