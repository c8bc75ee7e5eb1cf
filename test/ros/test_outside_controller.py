# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Somebody else's controller, examples/outside_controller.py, beside plant and recorder."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

from boa_control.messages.topics import CONTACTS, JOINT_STATES, TORQUE_APPLIED, TORQUE_COMMAND
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.runtime import use_discovery_profile
from boa_tools.bags.rosbag import bag_summary
from boa_tools.bags.ticks import read_run

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "outside_controller.py"
SCENARIO, DURATION = "boa_datasheet", 0.6
LOCKSTEP = ("speed:=max",)
FREE = ("lockstep:=false", "speed:=0.1")  # 6 s, of which a busy machine may take some away


@pytest.fixture
def outside_controller(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("FASTRTPS_DEFAULT_PROFILES_FILE", "")
    monkeypatch.delenv("FASTRTPS_DEFAULT_PROFILES_FILE")
    use_discovery_profile()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen([sys.executable, EXAMPLE], env=environment, cwd=tmp_path)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def test_the_example_imports_nothing_of_ours_and_fits_on_a_screen() -> None:
    text = EXAMPLE.read_text()
    imported = {
        name
        for node in ast.walk(ast.parse(text))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert {name.partition(".")[0] for name in imported} == {"math", "rclpy", "sensor_msgs"}
    assert text.count("\n") <= 50


@pytest.mark.ros
def test_the_example_begins_anew_when_time_does() -> None:
    from sensor_msgs.msg import JointState

    names: dict[str, Any] = {}
    exec(EXAMPLE.read_text().partition("\ntry:\n")[0], names)
    sent: list[JointState] = []
    example = SimpleNamespace(start=None, pose=None, commands=SimpleNamespace(publish=sent.append))
    for second in (101, 102, 0):  # a reset of the plant
        state = JointState(name=["joint_01"], position=[0.3], velocity=[0.0])
        state.header.stamp.sec = second
        names["OutsideController"].answer(example, state)
    assert sent[1].effort[0] != 0.0 and sent[2].effort[0] == 0.0


@pytest.mark.ros
@pytest.mark.realtime
@pytest.mark.parametrize("pace", [LOCKSTEP, FREE], ids=["lockstep", "free"])
def test_somebody_elses_controller_runs_recorded(
    outside_controller: None, tmp_path: Path, pace: tuple[str, ...]
) -> None:
    out = tmp_path / "run"
    words = [f"scenario:={SCENARIO}", f"duration:={DURATION}", "controller:=none", f"out:={out}"]
    if pace == FREE:
        quick = tmp_path / "quick.yaml"
        quick.write_text(yaml.safe_dump({"/boa/recorder": {"ros__parameters": {"report": False}}}))
        words.append(f"params_file:={quick}")
    done = subprocess.run(
        [sys.executable, "-m", "boa_tools.cli", "launch", "hoal.launch.py", *words, *pace],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"nobody publishes {CONTACTS.name}, " in done.stdout
    assert JOINT_STATES.name not in done.stdout
    assert (out / "report.html").is_file() == (pace == LOCKSTEP)
    assert (out / "metrics.json").is_file()

    experiment = chosen_experiment(SCENARIO, DURATION)
    ticks = round(DURATION * experiment.scenario.plant.control_rate)
    counts = {topic.name: topic.count for topic in bag_summary(out / "bag").topics}
    assert counts[JOINT_STATES.name] == counts[TORQUE_APPLIED.name] == ticks
    assert counts[CONTACTS.name] == 0
    log = read_run(out / "bag", experiment)
    assert np.nanmax(np.abs(log.applied)) > 0.01
    if pace == LOCKSTEP:
        assert counts[TORQUE_COMMAND.name] == ticks
        assert np.isfinite(log.commanded).all()
