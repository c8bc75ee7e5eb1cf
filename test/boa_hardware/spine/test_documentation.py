# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""docs/spine.md names every setting, fault kind and frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from boa_description.robot import Block
from boa_hardware.emulator.spine_faults import Kind
from boa_hardware.sensors.k3d40 import Calibration
from boa_hardware.spine.protocol import Opcode
from boa_hardware.spine.settings import SpineSettings

PAGE = (Path(__file__).parents[3] / "docs" / "spine.md").read_text(encoding="utf-8")


def keys(model: type[Block]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Block):
            yield from keys(inner)
        else:
            yield name


@pytest.mark.parametrize("key", list(keys(SpineSettings)))
def test_every_setting_is_documented(key: str) -> None:
    assert f"`{key}`" in PAGE or f".{key}`" in PAGE


@pytest.mark.parametrize("key", list(keys(Calibration)))
def test_every_key_of_a_calibration_file_is_documented(key: str) -> None:
    assert f"\n{key}: " in PAGE


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_fault_is_documented(kind: str) -> None:
    assert f"`{kind}`" in PAGE


@pytest.mark.parametrize("opcode", Opcode)
def test_every_frame_is_documented(opcode: Opcode) -> None:
    name = opcode.name.replace("_", " ")
    assert f"{opcode:02X}" in PAGE and (name in PAGE or name.removeprefix("SET JOINT ") in PAGE)
