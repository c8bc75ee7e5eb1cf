# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The schema's own arithmetic and the page that documents it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.robot import Block, Link, Robot
from boa_description.units import FACTORS

PAGE = Path(__file__).parents[2] / "docs" / "robots.md"


def test_names_count_from_the_tail() -> None:
    robot = load_robot("boa3")
    assert robot.link_names == ("link_01", "link_02", "link_03")
    assert robot.joint_names == ("joint_01", "joint_02")


def test_default_inertia_is_that_of_a_solid_box() -> None:
    """Against a sum over small cubes of a box as long and wide as the link's envelope."""
    link = Link(pitch=0.13, radius=0.03975, mass=1.747314)
    x, y = (np.linspace(-1, 1, 801)[:-1] + 1 / 800 for _ in range(2))
    xs, ys = np.meshgrid(x * link.envelope / 2, y * link.radius)
    assert link.yaw_inertia == pytest.approx(link.mass * np.mean(xs**2 + ys**2), rel=1e-5)


@pytest.mark.parametrize("inertia", [None, 1e-4, 0.3])
def test_principal_moments_can_belong_to_a_body(inertia: float | None) -> None:
    link = Link(pitch=0.13, radius=0.03975, mass=1.747314, inertia=inertia)
    moments = np.array(link.principal_inertia)
    assert moments[2] == link.yaw_inertia
    assert np.all(moments > 0)
    assert np.all(moments.sum() - moments >= moments)  # triangle inequality


def undescribed(model: type[Block], prefix: str = "") -> Iterator[str]:
    """Dotted keys of values that do not say what they are."""
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, Block):
            yield from undescribed(annotation, f"{prefix}{name}.")
        elif not field.description:
            yield f"{prefix}{name}"


def test_every_value_says_what_it_is() -> None:
    """From these sentences docs/robots.md is written."""
    assert list(undescribed(Robot)) == []


def test_the_page_names_every_unit() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [unit for unit in FACTORS if f"`{unit}`" not in text] == []


@pytest.mark.parametrize(
    ("name", "override", "says"),
    [
        ("boa13", {"link": {"track": 0.03}}, r"link\.track 0\.03 m: contacts in the plane"),
        ("boa13", {"link": {"inset": 0.02}}, r"link\.inset 0\.02 m: contacts in the plane"),
        ("cobra12", {"mount": "fixed"}, r"mount: fixed is for arms in the plane"),
        ("boa13", {"joint": {"first": "pitch"}}, r"first: pitch is for axes: alternating"),
    ],
)
def test_shapes_that_no_world_has_are_refused(name: str, override: dict, says: str) -> None:
    with pytest.raises(BoaError, match=says):
        load_robot(name, override=override)
