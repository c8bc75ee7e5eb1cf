# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The manual is short, wrapped, says for whom each page is, and explains what the robot says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from boa_control.controllers.hoal.supervision.reasons import Reason
from boa_control.safety.faults import FaultName

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
LONGEST = 200  # characters of a line; only rows of tables come near
WORDS = 1600  # of a page; what is written from the code or from evidence does not count
OF_THE_THEORY = 3200
ALL_WORDS = 31_000
GENERATED = re.compile(
    r"<!-- (?:evidence:)?([\w.]+)(?:: begin)? -->.*?<!-- (?:/evidence|\1: end) -->", re.DOTALL
)
NO_PROSE = (
    r"^ *```.*?^ *```",  # code
    r"^    .*?$",
    r"\$\$.*?\$\$",  # formulas
    r"\$[^$]+\$",
    r"\]\([^)]*\)",  # addresses
)


def words(page: Path) -> int:
    """Of what people have written."""
    text = GENERATED.sub("", page.read_text(encoding="utf-8"))
    for pattern in NO_PROSE:
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_no_line_is_too_long_to_read(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > LONGEST] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_for_whom_it_is(page: Path) -> None:
    title, empty, whom, *_ = page.read_text(encoding="utf-8").splitlines()
    assert title.startswith("# ") and not empty and whom.startswith("*For ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short(page: Path) -> None:
    assert words(page) <= (OF_THE_THEORY if page.stem == "mathematics" else WORDS)


def test_the_manual_is_short() -> None:
    assert sum(map(words, PAGES)) <= ALL_WORDS


@pytest.mark.parametrize("name", FaultName)
def test_every_fault_has_its_remedy(name: FaultName) -> None:
    assert f"\n| `{name}` |" in (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason is not Reason.MISLED])
def test_every_reason_of_the_supervisor_is_explained(reason: Reason) -> None:
    """Its words, with dots for what differs; those of `MISLED` are the map's."""
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    assert re.sub(r"\{[^}]*\}", "...", reason.value) in page.replace("\n", " ")
