# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a run has learnt of its gearboxes goes into the next one, joint by joint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from boa_control.controllers.hoal.law.transmission import Transmission
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.experiments.experiment import prepare
from boa_control.experiments.identified import identified, load_identified, with_identified
from boa_control.experiments.library import load_scenario
from boa_description.errors import BoaError

JOINTS = 12
NAMES = ("drive", "drive_std", "back", "back_std", "base_nm", "base_std_nm")


def debug() -> dict[str, np.ndarray]:
    """Of three ticks, of which the last says nothing."""
    rng = np.random.default_rng(1)
    record = {f"gearbox_{name}": rng.uniform(0.2, 0.9, (3, JOINTS)) for name in NAMES}
    for values in record.values():
        values[2] = np.nan
    return record


def written(folder: Path, **changes: Any) -> Path:
    text = identified("boa13", debug(), {"run": "calibration", "version": "0.2"})
    assert text is not None
    file = folder / "identified.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(text) | changes))
    return file


def test_the_next_run_begins_with_what_the_last_tick_knew(tmp_path: Path) -> None:
    scenario = with_identified(load_scenario("boa_circle"), written(tmp_path))
    parameters = Parameters.model_validate(scenario.controller.parameters)
    loop = Transmission(prepare(scenario).robot, parameters.transmission, 0.0, 0.002)
    known = debug()
    for name, value in zip(("drive", "back", "base_nm"), loop.losses, strict=True):
        expected = np.clip(known[f"gearbox_{name}"][1], 0.6 if name == "drive" else 0.1, None)
        np.testing.assert_allclose(value, expected, atol=1e-4)
    assert parameters.speed == 0.1


def test_the_file_says_where_it_is_from_and_in_which_units(tmp_path: Path) -> None:
    found = load_identified(written(tmp_path))
    assert found.robot == "boa13"
    assert found.source == {"run": "calibration", "version": "0.2"}
    assert (found.drive.unit, found.back.unit, found.base.unit) == ("1", "1", "N m")
    np.testing.assert_allclose(found.back.std, debug()["gearbox_back_std"][1], atol=1e-4)


def test_a_run_that_learnt_nothing_writes_nothing() -> None:
    assert identified("boa13", {}, {}) is None
    silent = {name: np.full_like(values, np.nan) for name, values in debug().items()}
    assert identified("boa13", silent, {}) is None


NUMBERS = {"value": [1.0] * 8, "std": [0.1] * 8, "unit": "1"}


@pytest.mark.parametrize(
    ("scenario", "changes", "words"),
    [
        (
            "boa_circle",
            {"robot": "boa20"},
            "of boa20 with 12 joints, the scenario's robot is boa13",
        ),
        (
            "boa_circle",
            {"drive": NUMBERS, "back": NUMBERS, "base": NUMBERS | {"unit": "N m"}},
            "of boa13 with 8 joints, the scenario's robot is boa13 with 12",
        ),
        ("boa_circle", {"drive": NUMBERS | {"std": [0.1]}}, "8 values and 1 std"),
        ("boa_circle", {"drive": NUMBERS | {"std": [0.0] * 8}}, "std of 0"),
        ("boa_circle", {"drift": 3}, "unknown key 'drift'"),
        ("scp_boa_field", {}, "shape_path learns nothing of gearboxes"),
    ],
)
def test_a_file_of_something_else_is_refused(
    tmp_path: Path, scenario: str, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(BoaError, match=words):
        with_identified(load_scenario(scenario), written(tmp_path, **changes))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoaError, match=r"none\.yaml"):
        with_identified(load_scenario("boa_circle"), tmp_path / "none.yaml")


def test_a_prior_of_another_number_of_joints_is_refused() -> None:
    scenario = load_scenario("boa_circle")
    settings = Parameters.model_validate({"transmission": {"prior": (1.0, (0.7,) * 8, 0.1)}})
    with pytest.raises(BoaError, match=r"transmission\.prior: 8 values of back, the robot has 12"):
        Transmission(prepare(scenario).robot, settings.transmission, 0.0, 0.002)
