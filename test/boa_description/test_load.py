# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robot files: the shipped ones against the data sheet, variants, and wrong files with their clear
errors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from boa_description.errors import BoaError
from boa_description.load import load_robot, robot_names
from boa_description.robot import Block, Robot

Edit = Callable[[dict[str, Any]], object]


def leaves(model: type[Block], prefix: str = "") -> list[str]:
    """Dotted names of all values of the schema."""
    found = []
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, Block):
            found += leaves(annotation, f"{prefix}{name}.")
        else:
            found.append(f"{prefix}{name}")
    return found


def shipped(name: str) -> dict[str, Any]:
    text = (files("boa_description") / "data" / f"{name}.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return data


def test_the_shipped_robots() -> None:
    assert robot_names() == ("boa13", "boa20", "boa3", "cobra12", "kulko11", "rods2", "wang10")


def test_boa_has_the_totals_of_its_data_sheet() -> None:
    """Thesis Table 2.1: total length 1769.5 mm, link length 209.5 mm, total weight 22.715 kg."""
    robot = load_robot("boa13")
    assert robot.length == pytest.approx(1.7695, abs=1e-12)
    assert robot.link.envelope == pytest.approx(0.2095, abs=1e-12)
    assert robot.mass == pytest.approx(22.715, abs=5e-4)
    assert (robot.links, robot.joints) == (13, 12)


def test_boa_s_servo_is_consistent_with_its_data_sheet() -> None:
    """XH540-V150-R: 6.4 N m, 2.4 A, 60 rev/min, 4096 counts per revolution."""
    robot = load_robot("boa13")
    actuator = robot.actuator
    assert actuator.torque_constant * actuator.current_limit == pytest.approx(
        actuator.torque_limit, rel=1e-3
    )
    assert actuator.speed_limit == pytest.approx(2 * math.pi)
    assert robot.encoder.position_quantum == pytest.approx(2 * math.pi / 4096)


def test_the_thesis_robots_have_its_dimensions() -> None:
    boa3, boa20 = load_robot("boa3"), load_robot("boa20")
    assert (boa3.links, boa3.link.pitch) == (3, 0.2)
    assert (boa20.links, boa20.link.pitch) == (20, 0.2)
    assert boa3.limits.torque >= 12.0  # section 5.1.1 commands 12 N m


@pytest.mark.parametrize("name", ["boa3", "boa13", "boa20"])
def test_every_value_has_a_source_and_paths_fit_the_joints(name: str) -> None:
    robot = load_robot(name)
    optional = {"mount", "link.inertia", "link.track", "link.inset", "frame_prefix"}
    optional |= {"joint.axes", "joint.first"}
    optional |= {"actuator.gearbox.model", "actuator.gearbox.backlash", "actuator.current_lag"}
    given_values = set(leaves(Robot)) - {"name", "summary", "sources"} - optional
    assert set(robot.sources) - optional == given_values
    assert all(len(source) > 5 for source in robot.sources.values())
    free = robot.joint.upper - robot.limits.joint_margin
    assert free >= math.radians(66)  # the most that the circle paths bend a joint


def test_units_are_converted() -> None:
    robot = load_robot("boa13")
    assert robot.link.pitch == pytest.approx(0.130)
    assert robot.joint.lower == pytest.approx(-math.pi / 2)
    assert robot.force_sensor.crosstalk == pytest.approx(0.01)
    assert robot.limits.command_age == pytest.approx(0.05)


@given(links=st.integers(2, 100), pitch=st.floats(0.01, 2.0))
def test_variants(links: int, pitch: float) -> None:
    robot = load_robot("boa13", links=links, pitch=pitch)
    assert (robot.links, robot.link.pitch) == (links, pitch)
    assert robot.length == pytest.approx(links * pitch + 2 * robot.link.radius)
    assert robot.name == f"boa13 with {links} links and pitch {pitch} m"
    assert robot.sources["link.pitch"] == "given when the robot was loaded"


def test_overrides_replace_single_values() -> None:
    robot = load_robot("boa13", override={"limits": {"torque": 5.0}, "link": {"inertia": 0.02}})
    assert robot.limits == load_robot("boa13").limits.model_copy(update={"torque": 5.0})
    assert robot.link.yaw_inertia == 0.02
    assert robot.sources["limits.torque"] == "given when the robot was loaded"


def test_a_robot_can_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(shipped("boa13") | {"name": "mine"}), encoding="utf-8")
    assert load_robot(str(path)).model_copy(update={"name": "boa13"}) == load_robot("boa13")


def _set(*keys: str, to: Any) -> Edit:
    def edit(data: dict[str, Any]) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = to

    return edit


def _quantity(value: Any, unit: Any, source: Any = "test") -> dict[str, Any]:
    return {"value": value, "unit": unit, "source": source}


WRONG_FILES: list[tuple[str, Edit, list[str]]] = [
    ("unknown block", _set("lnk", to={}), ["unknown key 'lnk'", "did you mean 'link'", "actuator"]),
    (
        "unknown key",
        _set("link", "pich", to=_quantity(1, "m")),
        ["unknown key 'link.pich'", "'pitch'", "radius"],
    ),
    ("missing block", lambda data: data.pop("encoder"), ["key 'encoder' is missing"]),
    ("missing value", lambda data: data["link"].pop("mass"), ["key 'link.mass' is missing"]),
    (
        "unknown unit",
        _set("link", "pitch", to=_quantity(5, "inch")),
        ["link.pitch", "'inch'", "use one of: m, mm"],
    ),
    (
        "unit of another kind",
        _set("link", "mass", to=_quantity(5, "m")),
        ["link.mass", "'m'", "kg, g"],
    ),
    (
        "no unit",
        _set("link", "mass", to={"value": 1, "source": "x"}),
        ["link.mass", "'unit' is missing", "kg"],
    ),
    (
        "no source",
        _set("link", "mass", to={"value": 1, "unit": "kg"}),
        ["link.mass", "'source' is missing"],
    ),
    (
        "empty source",
        _set("link", "mass", to=_quantity(1, "kg", " ")),
        ["link.mass", "source must be a text"],
    ),
    (
        "bare number",
        _set("link", "mass", to=1.7),
        ["link.mass", "expected {value: 1.0, unit: kg", "1.7"],
    ),
    (
        "text for a number",
        _set("link", "mass", to=_quantity("1e-3", "kg")),
        ["number", "'1e-3'", "1.0e-3"],
    ),
    (
        "truth for a number",
        _set("link", "mass", to=_quantity(True, "kg")),
        ["link.mass", "number", "True"],
    ),
    (
        "misspelt part",
        _set("link", "mass", to={"value": 1, "units": "kg", "source": "x"}),
        ["'units'", "'unit'"],
    ),
    (
        "unit on a count",
        _set("links", to=_quantity(3, "1")),
        ["links", "unknown key 'unit'", "value"],
    ),
    ("number for a block", _set("limits", to=3), ["limits must be a block", "torque"]),
    (
        "too few links",
        _set("links", to={"value": 1, "source": "x"}),
        ["links", "greater than or equal to 2", "1"],
    ),
    (
        "too many links",
        _set("links", to={"value": 101, "source": "x"}),
        ["links", "less than or equal to 100", "101"],
    ),
    ("half a link", _set("links", to={"value": 2.5, "source": "x"}), ["links", "integer", "2.5"]),
    (
        "negative mass",
        _set("link", "mass", to=_quantity(-1, "kg")),
        ["link.mass", "greater than 0", "-1 kg"],
    ),
    (
        "not a number",
        _set("link", "mass", to=_quantity(math.nan, "kg")),
        ["link.mass", "finite number"],
    ),
    (
        "warn above fault",
        _set("limits", "joint_force_warn", to=_quantity(60, "N")),
        ["joint_force_warn must not"],
    ),
    (
        "torque above servo",
        _set("limits", "torque", to=_quantity(9, "N m")),
        ["limits.torque 9 N m", "6.4 N m"],
    ),
    (
        "force above sensor",
        _set("limits", "joint_force_fault", to=_quantity(80, "N")),
        ["80 N", "range 50 N"],
    ),
    (
        "margin eats range",
        _set("limits", "joint_margin", to=_quantity(90, "deg")),
        ["joint_margin", "no free joint"],
    ),
    (
        "unknown gearbox",
        _set("actuator", "gearbox", to={"model": "g21"}),
        ["actuator.gearbox.model: unknown gearbox 'g21'; did you mean 'g20'?"],
    ),
    (
        "gearboxes that are gone",
        _set("actuator", "gearbox", to={"model": "./gone.yaml"}),
        ["actuator.gearbox.model: gearbox file", "gone.yaml' does not exist"],
    ),
    (
        "gearboxes elsewhere",
        _set("actuator", "gearbox", to={"model": "../mine/lossy.yaml"}),
        ["does not lie beside the file of the robot", "write ./lossy.yaml"],
    ),
    ("sources by hand", _set("sources", to={}), ["'sources' is collected", "`source:`"]),
]


@pytest.mark.parametrize(
    ("edit", "words"), [row[1:] for row in WRONG_FILES], ids=[row[0] for row in WRONG_FILES]
)
def test_a_wrong_file_gets_one_clear_line(tmp_path: Path, edit: Edit, words: list[str]) -> None:
    data = shipped("boa13")
    edit(data)
    path = tmp_path / "wrong.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(BoaError) as caught:
        load_robot(str(path))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    for word in words:
        assert word in message, message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: [", ["not valid YAML", "line 1"]),
        ("- a\n- b\n", ["expected a mapping", "list"]),
        ("", ["is empty", "mapping of keys"]),
        ("name: a\nname: b\n", ["not valid YAML", "'name' is given twice"]),
        ("link:\n  mass: {value: 1, value: 2}\n", ["'value' is given twice", "line 2"]),
    ],
)
def test_what_is_not_a_robot_file_at_all(tmp_path: Path, text: str, words: list[str]) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BoaError) as caught:
        load_robot(str(path))
    assert all(word in str(caught.value) for word in words), caught.value
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "arguments", "pattern"),
    [
        ("boa14", {}, "unknown robot 'boa14'; did you mean 'boa1?3'.*boa13, boa20, boa3"),
        ("no/such.yaml", {}, "no/such.yaml' does not exist; shipped robots: boa13"),
        ("boa13", {"links": 1}, "links: .*greater than or equal to 2"),
        ("boa13", {"pitch": -0.1}, r"link.pitch: .*greater than 0 m \(given: -0.1\)"),
        (
            "boa13",
            {"override": {"limits": {"torqe": 1}}},
            "unknown key 'limits.torqe'; did you mean 'torque'",
        ),
        ("boa13", {"override": {"limits": 1}}, "limits: keys with values must stand here"),
        (
            "boa13",
            {"override": {"limits": {"torque": {"value": 1}}}},
            "limits.torque: .*valid number",
        ),
        ("boa13", {"override": 5}, "override must be nested keys"),
    ],
)
def test_wrong_arguments_get_one_clear_line(
    name: str, arguments: dict[str, Any], pattern: str
) -> None:
    with pytest.raises(BoaError) as caught:
        load_robot(name, **arguments)
    assert re.search(pattern, str(caught.value)), caught.value
    assert "\n" not in str(caught.value)
