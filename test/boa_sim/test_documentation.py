# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""docs/plants.md names every gate rule, docs/robots.md every limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_control.safety.gate import Rule
from boa_description.robot import Limits

DOCS = Path(__file__).resolve().parents[2] / "docs"
RULES = (DOCS / "plants.md").read_text(encoding="utf-8")
LIMITS = (DOCS / "robots.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [str(name) for name in Rule])
def test_named_in_the_manual(name: str) -> None:
    assert f"`{name}`" in RULES


@pytest.mark.parametrize("name", Limits.model_fields)
def test_every_limit_is_explained(name: str) -> None:
    assert f"\n- `{name}` (" in LIMITS
