# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wrong numbers: the line says the unit, and what was perhaps meant. For scenarios and robots
alike.
"""

from __future__ import annotations

import math
from importlib.resources import files
from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.robot import Block, Hertz, Metre, Newton, Radian, Ratio, Second
from boa_description.validation import explain, validated


class Round(Block):
    """One member of a union."""

    kind: str = "circle"
    radius: Metre = Field(gt=0, le=100)


class Pieces(Block):
    """A member of a union whose kind is one of its keys, too."""

    kind: Literal["pieces"]
    pieces: tuple[Metre, ...] = ()


class Lap(Block):
    """The other one."""

    kind: Literal["lap", "eight"]
    radius: Metre = Field(default=1, gt=0)


class Numbers(Block):
    """The constraints that the schemas have."""

    angle: Radian = Field(default=0, gt=0, lt=1.4)
    length: Metre | None = Field(default=None, gt=0, le=0.5)
    share: Ratio = Field(default=0, ge=0, le=1)
    time: Second = 0
    rate: Hertz = Field(default=1, le=2000)
    force: Newton = Field(default=1, ge=0)
    gain: float = Field(default=1, ge=0, le=9, description="k_v, 1/s")
    count: int = 1
    angles: tuple[Radian, ...] = ()
    posts: tuple[Round, ...] = ()
    path: Pieces | Lap | None = Field(default=None, discriminator="kind")
    paths: tuple[Annotated[Pieces | Lap, Field(discriminator="kind")], ...] = ()


# what is given -> all that is said of it; what was meant is worked out by hand
SAID = [
    (
        {"angle": 30},
        f"angle: input should be less than 1.4 rad (given: 30); did you mean {math.pi / 6:.4f} "
        f"(30 deg)?",
    ),
    (
        {"angle": "30 deg"},
        "angle: a plain number in rad is needed (given: '30 deg'); did you mean 0.5236 (30 deg)?",
    ),
    ({"angle": "pi/6"}, "angle: a plain number in rad is needed (given: 'pi/6')"),
    ({"angle": 300}, "angle: input should be less than 1.4 rad (given: 300)"),
    ({"angle": -30}, "angle: input should be greater than 0 rad (given: -30)"),
    (
        {"length": 5},
        "length: input should be less than or equal to 0.5 m (given: 5); did you mean 0.005 (5 "
        "mm)?",
    ),
    (
        {"length": "1150 mm"},
        "length: a plain number in m is needed (given: '1150 mm'); did you mean 1.15 (1150 mm)?",
    ),
    ({"length": "1.2.3 m"}, "length: a plain number in m is needed (given: '1.2.3 m')"),
    ({"length": "5 N"}, "length: a plain number in m is needed (given: '5 N')"),
    (
        {"share": 20},
        "share: input should be less than or equal to 1 (given: 20); did you mean 0.2 (20 %)?",
    ),
    ({"time": "3 s"}, "time: a plain number in s is needed (given: '3 s'); did you mean 3 (3 s)?"),
    ({"rate": 5000}, "rate: input should be less than or equal to 2000 Hz (given: 5000)"),
    ({"force": "much"}, "force: a plain number in N is needed (given: 'much')"),
    ({"gain": 10}, "gain: input should be less than or equal to 9 (given: 10; k_v, 1/s)"),
    ({"gain": "x"}, "gain: a plain number is needed (given: 'x'; k_v, 1/s)"),
    ({"count": "x"}, "count: a whole number is needed (given: 'x')"),
    ({"angles": [0.1, "x"]}, "angles.1: a plain number in rad is needed (given: 'x')"),
    (
        {"posts": [{"radius": 150}]},
        "posts.0.radius: input should be less than or equal to 100 m (given: 150); did you "
        "mean 0.15 (150 mm)?",
    ),
    (
        {"path": {"kind": "eight", "radius": -1}},
        "path.radius: input should be greater than 0 m (given: -1)",
    ),
    (
        {"path": {"kind": "pieces", "pieces": ["x"]}},
        "path.pieces.0: a plain number in m is needed (given: 'x')",
    ),
    (
        {"paths": [{"kind": "lap", "radios": 1}]},
        "unknown key 'paths.0.radios'; did you mean 'radius'? (valid: kind, radius)",
    ),
    ({"paths": [{"kind": "lap", "lap": 1}]}, "unknown key 'paths.0.lap' (valid: kind, radius)"),
]


@pytest.mark.parametrize(("data", "said"), SAID, ids=[str(row[0]) for row in SAID])
def test_the_line_has_the_unit(data, said):
    with pytest.raises(ValidationError) as caught:
        Numbers.model_validate(data)
    assert str(explain(caught.value, Numbers, "mine.yaml")) == f"mine.yaml: {said}"


def test_of_many_wrong_keys_the_first_four_are_told():
    """A file of another kind has a wrong key in every line."""
    with pytest.raises(BoaError) as caught:
        validated(Numbers, {f"mine_{n}": 0 for n in range(9)}, "mine.yaml")
    assert str(caught.value).count("unknown key") == 4
    assert str(caught.value).endswith("; and 5 more")


def test_a_robot_s_values_are_explained_alike():
    with pytest.raises(
        BoaError,
        match=r"link.pitch: .* less than or equal to 2 m \(given: 130\); .* 0.13 \(130 mm\)",
    ):
        load_robot("boa13", override={"link": {"pitch": 130}})


def test_of_a_value_with_a_unit_that_is_shown_and_no_other_guessed(tmp_path):
    """200 deg once were "did you mean 0.06092 (3.49066 deg)?"."""
    text = (files("boa_description") / "data" / "boa13.yaml").read_text(encoding="utf-8")
    path = tmp_path / "wide.yaml"
    path.write_text(text.replace("upper: {value: 90.0", "upper: {value: 200.0"))
    with pytest.raises(BoaError) as caught:
        load_robot(str(path))
    assert str(caught.value) == (
        f"{path}: joint.upper: input should be less than or equal to 3.2 rad (given: 200 deg)"
    )
