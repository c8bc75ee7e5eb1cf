# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every link of the manual leads to a page, and to a heading that this page has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / f"{n}.md" for n in ("README", "CONTRIBUTING")),
]
LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Of the headings of a page, as GitHub and myst make them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    titles = [
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", t) for t in re.findall(r"^#+ (.*)$", text, re.M)
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for name, anchor in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        to = page.parent / name if name else page
        if not to.exists():
            to = to.with_suffix(".md")  # myst takes names of pages without it
        if not to.exists() or (anchor and anchor not in anchors(to)):
            broken.append(f"{name}#{anchor}")
    assert broken == []


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = re.findall(r"^([a-z_0-9]+)$", (ROOT / "docs" / "index.md").read_text("utf-8"), re.M)
    assert sorted(listed) == sorted(
        p.stem for p in (ROOT / "docs").glob("*.md") if p.stem != "index"
    )
