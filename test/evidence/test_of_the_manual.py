# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The claims in evidence/: about things that exist, not too old, and on the pages as measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from boa_control.experiments.library import scenario_names, set_names
from evidence.again import differences, from_record
from evidence.age import ages, has_history
from evidence.claims import every_claim, load_books
from evidence.pages import BLOCK, filled, pages

ROOT = Path(__file__).parents[2]
BOOKS = load_books(ROOT)
CLAIMS = dict(every_claim(BOOKS))
# pages whose measured figures are all claims
OF_CLAIMS_ALONE = (
    "README",
    "comparison",
    "duct",
    "engines",
    "explore",
    "first_touch",
    "gearboxes",
    "identification",
    "learned",
    "performance",
    "results",
    "safety",
    "shape_control",
    "spatial",
    "undulation",
)
FIGURE = re.compile(r"\d(?: mm| N| deg| mm/s| m/s| %)(?![\w/])|\b\d+ of \d+\b")
HASH = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,8}\b")
NO_COMMIT = {"defaced"}  # words of these letters
README_WORDS = 600
WRITTEN = re.compile(r"<!-- (\w+): begin -->.*?<!-- \1: end -->", re.DOTALL)  # from the code
NO_PROSE = re.compile(r"^```.*?^```|`[^`]*`|\$[^$]*\$", re.DOTALL | re.MULTILINE)
# not measured: the range of a sensor, settings, what papers and scenarios ask for
GIVEN = re.compile(
    r"\b50 N|\b0\.(?:03|1|25) m/s|off by 2 N|posts \d\d mm off|some 10 mm off|"
    r"10 mm, 50 ms late|10 mm wrong|"
    r"more than 25 N|goal 30 mm/s|within 10 %|95 % interval|5 to 20 mm in the way|"
    r"about 36 N are left|no further than 20 mm|\(50 mm\)|\(150 mm\)",
    re.IGNORECASE,
)


def test_blocks_of_pages_are_up_to_date():
    """If not: make evidence-pages."""
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages(ROOT)}
    assert [name for name, text in texts.items() if filled(text, BOOKS, name) != text] == []


@pytest.mark.parametrize("name", OF_CLAIMS_ALONE)
def test_a_page_says_no_figure_that_no_claim_has(name):
    """What is measured has a unit or is a count; commands and names are code."""
    page = ROOT / ("README.md" if name == "README" else f"docs/{name}.md")
    assert measured(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("text", ["It bears 12 N.", "| circle | 0.5 mm |", "19 of 20", "2.3 % off"])
def test_a_figure_in_prose_or_in_a_table_typed_by_hand_is_seen(text):
    assert measured(text) == [text]
    assert measured(f"<!-- evidence:a.b -->{text}<!-- /evidence -->") == []


def measured(text: str) -> list[str]:
    """Paragraphs, items and rows with a measured figure outside of claims."""
    text = NO_PROSE.sub("", WRITTEN.sub("", BLOCK.sub("", text)))
    parts = [" ".join(part.split()) for part in re.split(r"\n(?=\||- |\n)", text)]
    return [part for part in parts if FIGURE.search(GIVEN.sub("", part))]


def test_commits_stand_in_evidence_alone():
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages(ROOT)}
    found = {name: set(HASH.findall(text)) - NO_COMMIT for name, text in texts.items()}
    assert {name: commits for name, commits in found.items() if commits} == {}


def test_the_readme_is_short_and_begins_with_what_was_never_tried():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(re.sub(r"<!--.*?-->", "", text).split()) < README_WORDS
    assert "physical robot was never tried" in text.partition("\n## ")[0]
    answers = [
        row.split(" | ")[1].partition(",")[0] for row in re.findall(r"^\| .* \|$", text, re.M)
    ]
    assert len([answer for answer in answers if answer in ("yes", "partly", "no")]) == 9


def test_what_claims_name_exists():
    known = {*scenario_names(), *set_names()}
    missing = []
    for name, claim in CLAIMS.items():
        paths = (*claim.depends, *([claim.record] if claim.record else []))
        missing += [(name, path) for path in paths if not (ROOT / path).exists()]
        if claim.scenario not in {None, *known} and not (ROOT / str(claim.scenario)).exists():
            missing.append((name, claim.scenario))
    assert missing == []


@pytest.mark.skipif(not has_history(ROOT), reason="needs a whole clone")
def test_no_claim_is_older_than_a_release():
    """If one is: make evidence CLAIM=NAME KEEP=1, and read what it says it has left."""
    assert [name for name, old in ages(ROOT, CLAIMS).items() if old.overdue] == []


@pytest.mark.parametrize("name", [name for name, claim in CLAIMS.items() if claim.record])
def test_figures_are_those_of_the_recorded_runs(name):
    book, claim = BOOKS[name.partition(".")[0]], CLAIMS[name]
    assert differences(book, claim, from_record(ROOT / str(claim.record))) == []


@pytest.mark.parametrize("name", [name for name, claim in CLAIMS.items() if claim.record])
def test_recorded_ensembles_are_whole(name):
    record = json.loads((ROOT / str(CLAIMS[name].record)).read_text(encoding="utf-8"))
    for arm in record["results"]["arms"]:
        assert len(arm["runs"]) == len(record["seeds"]) * record["repeats"], arm["arm"]
