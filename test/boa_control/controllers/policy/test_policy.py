# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Learned policies: what they see, what they answer, what is refused, and replays."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from boa_control.controllers.policy.interface import Angles, PolicyInterface, Torques, Translator
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.errors import BoaError
from boa_tools.cli import main
from test.policies import SHORT, TABLE, WIDTH, small_layers, small_policy

PERIOD_NS = 5_000_000


def frame(tick: int, heading: float = 0.0, sensors: bool = True) -> SensorFrame:
    stamp = (tick + 1) * PERIOD_NS
    force = ForceSample(stamp, np.arange(6.0).reshape(2, 3))
    turns = np.full(3, heading)
    imu = ImuSample.planar(stamp, turns, np.zeros(3), np.zeros((3, 2)))
    position, velocity, nothing = np.array([0.1, -0.2]), np.array([1.0, 2.0]), np.zeros(2)
    return SensorFrame(
        stamp,
        position,
        velocity,
        nothing,
        force if sensors else None,
        imu if sensors else None,
        nothing,
        nothing,
    )


def translator(interface: PolicyInterface = TABLE) -> Translator:
    return Translator(interface, briefing(prepare(Scenario.model_validate(SHORT))))


def test_an_observation_is_its_parts_one_behind_the_other() -> None:
    """The clock has turned by 3 rad/s times ten periods of 5 ms."""
    one = translator()
    one.observe(frame(0))
    one.decide(np.array([0.25, -7.0]))
    seen = one.observe(frame(10, heading=0.3))
    assert one.width == seen.size == WIDTH
    expected = [0.1, -0.2, 1.0, 2.0, 0.3, 0.3, 0.3, *range(6), np.sin(0.15), np.cos(0.15), 0.25, -1]
    assert seen == pytest.approx(expected, abs=1e-12)


def test_a_silent_sensor_counts_as_zero() -> None:
    seen = translator().observe(frame(0, sensors=False))
    assert seen[4:13] == pytest.approx(0.0) and np.isfinite(seen).all()


def test_an_action_means_angles_or_torques() -> None:
    following = translator(PolicyInterface(action=Angles(scale=0.5, kp=10.0, kd=2.0)))
    following.decide(np.array([1.0, -0.5]))
    expected = [10 * (0.5 - 0.1) - 2 * 1.0, 10 * (-0.25 + 0.2) - 2 * 2.0]
    assert following.torque(frame(0)) == pytest.approx(expected)
    pushing = translator(PolicyInterface(action=Torques(scale=3.0)))
    pushing.decide(np.array([1.0, -0.5]))
    assert pushing.torque(frame(0)) == pytest.approx([3.0, -1.5])


def test_an_unknown_part_of_an_observation_is_refused() -> None:
    with pytest.raises(ValueError, match="'positions'"):
        PolicyInterface(observation=("positions",))


# --- files ----------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for package, extra in (("onnx", "gym"), ("onnxruntime", "policy")):
        pytest.importorskip(package, reason=f"extra {extra} is not installed")
    return small_policy(tmp_path / "walk.onnx")


def test_a_file_answers_as_its_layers_do(file: Path) -> None:
    """In single precision, of what was normalised and cut to 10."""
    from boa_control.controllers.policy.file import PolicyFile

    seen = np.linspace(-9.0, 9.0, WIDTH)
    x = np.clip((seen - 0.1) / 0.5, -10.0, 10.0)
    for matrix, offset in small_layers():
        x = np.tanh(matrix @ x + offset)
    assert PolicyFile(file)(seen) == pytest.approx(x, abs=1e-6)


def walk(folder: Path, **robot: int) -> str:
    """A scenario beside the file of its policy."""
    controller = {"name": "policy", "parameters": {"file": "walk.onnx"}}
    text = {**SHORT, "controller": controller, "robot": {**SHORT["robot"], **robot}}
    (folder / "walk.yaml").write_text(yaml.safe_dump(text))
    return str(folder / "walk.yaml")


def test_a_run_is_replayed_bit_for_bit_from_its_folder(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(["run", walk(tmp_path), "--out", str(out), "--no-report"]) == 0
    file.unlink()
    moved = shutil.move(out, tmp_path / "elsewhere")
    assert load_scenario(f"{moved}/scenario.yaml").controller.parameters["file"].startswith("/")
    capsys.readouterr()
    assert main(["bag", "replay", str(moved), "--tolerance", "1e-300"]) == 0
    assert "200 ticks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "links", "said"),
    [
        ({}, 4, r"is shown 17 numbers, and this robot has 24 of them"),
        ({"mean": (0.0,) * 5}, 3, r"5 means and 17 scales"),
        ({"scale": (0.0,) * WIDTH}, 3, r"no scale 0"),
        ({"mean": (0.0,) * 3, "scale": (1.0,) * 3}, 3, r"is shown 3 numbers"),
    ],
)
def test_a_policy_that_does_not_fit_is_refused(
    file: Path, changes: dict, links: int, said: str
) -> None:
    from boa_control.experiments.build import build_controller

    small_policy(file, **changes)
    with pytest.raises(BoaError, match=said):
        build_controller(prepare(load_scenario(walk(file.parent, links=links))))


def test_files_that_are_no_policies_are_refused(file: Path) -> None:
    import onnx

    from boa_control.controllers.policy.file import PolicyFile
    from boa_tools.gym.export import layers_model

    onnx.save(layers_model(small_layers()), str(file))
    with pytest.raises(BoaError, match=r"no metadata 'boa_policy'.*boa_tools\.gym\.export"):
        PolicyFile(file)
    file.write_text("no network")
    with pytest.raises(BoaError, match="is no ONNX file"):
        PolicyFile(file)
    file.unlink()
    with pytest.raises(BoaError, match="does not exist"):
        PolicyFile(file)


def test_without_onnxruntime_the_error_says_what_to_install(monkeypatch, tmp_path: Path) -> None:
    import sys

    from boa_control.controllers.policy.file import PolicyFile

    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(BoaError, match=r"pip install boa_control\[policy\]"):
        PolicyFile(tmp_path / "walk.onnx")
