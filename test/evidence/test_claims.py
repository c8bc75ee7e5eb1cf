# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files of claims are checked when they are read; pages are filled from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_description.errors import BoaError
from evidence.claims import load_book, load_books, named
from evidence.pages import filled, table

BOOK = """
about: "Runs of a test."
rows: scenario
columns:
  joint: {heading: "joint (N)", metric: joint_force_peak_n}
  reached: {heading: "at the goal", metric: completed}
  end: {heading: "ends"}
shared: {seeds: "1-20", tuned: none, commit: "0123abc", date: "2026-11-26", load: quiet,
  depends: [boa_sim], command: "boa run {scenario} --seeds 1-20", scenario: boa_circle, goal: a lap}
claims:
  calm:
    claim: "{reached} reach the goal, up to {joint.most} N"
    row: "`boa_circle`"
    figures: {joint: "3.0 to 5.70", reached: "19 of 20", end: well}
"""


@pytest.fixture
def write(tmp_path: Path):
    (tmp_path / "evidence").mkdir()

    def book(text: str) -> Path:
        path = tmp_path / "evidence" / "runs.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return book


def test_keys_that_claims_share_are_those_of_each(write):
    claim = load_book(write(BOOK)).claims["calm"]
    assert claim.lines == ("boa run boa_circle --seeds 1-20",)
    assert claim.sentence == "19 of 20 reach the goal, up to 5.70 N"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("metric: completed", "metric: compleated", "no metric 'compleated'"),
        ("{joint.most} N", "{force} N", "no figure 'force'"),
        ("{joint.most} N", "{reached.most} N", "does not tell the most"),
        ('reached: "19 of 20"', 'reached: "19"', "'19' is no value of completed"),
        ('"3.0 to 5.70"', '"about 5"', "'about 5' is no figure"),
        ("end: well", "way: well", "figure 'way' has no column"),
        (", goal: a lap", "", "needs a goal"),
        ('commit: "0123abc", ', "", "commit and date are needed"),
        ("depends: [boa_sim]", "depends: []", "1 or more entries are needed"),
        ("    row:", "    status: stale\n    row:", "reason"),
        ("    row:", "    committ: abc\n    row:", "unknown key"),
    ],
)
def test_a_wrong_entry_is_refused_by_name(write, old, new, message):
    assert old in BOOK
    with pytest.raises(BoaError, match=message):
        load_book(write(BOOK.replace(old, new)))


def test_what_cannot_be_shown_is_marked_on_its_page(write):
    text = BOOK.replace("    row:", "    status: cannot be shown\n    why: no commit\n    row:")
    book = load_book(write(text))
    assert book.claims["calm"].sentence.endswith("(*cannot be shown*: no commit)")
    assert "| `boa_circle` (*cannot be shown*) | 3.0 to 5.70 | 19 of 20 | well |" in table(
        "b", book
    )


def test_a_book_without_columns_is_a_list_of_its_sentences(write):
    text = BOOK.partition("rows:")[0] + "shared:" + BOOK.partition("shared:")[2]
    text = (
        text.partition("    claim:")[0] + '    claim: "it goes"\n    row: "on its path, slowly"\n'
    )
    assert table("b", load_book(write(text))).startswith("- on its path, slowly: it goes\n")


def test_blocks_are_filled_and_filling_again_changes_nothing(write):
    books = load_books(write(BOOK).parents[1])
    end = "<!-- /evidence -->"
    page = f"a <!-- evidence:runs.calm -->old{end} b\n<!-- evidence:runs -->{end}"
    once = filled(page, books, "page")
    assert "a <!-- evidence:runs.calm -->19 of 20 reach" in once
    assert "| scenario | joint (N) | at the goal | ends |\n|---|---|---|---|\n" in once
    assert filled(once, books, "page") == once


def test_blocks_that_name_nothing_or_have_no_end_are_refused(write):
    books = load_books(write(BOOK).parents[1])
    with pytest.raises(BoaError, match=r"did you mean 'runs\.calm'"):
        filled("<!-- evidence:runs.clam --><!-- /evidence -->", books, "page")
    with pytest.raises(BoaError, match="page: a block of evidence has no end"):
        filled("<!-- evidence:runs -->", books, "page")
    with pytest.raises(BoaError, match="unknown claim"):
        named(books, "runs")


def test_a_folder_without_claims_is_refused(tmp_path):
    with pytest.raises(BoaError, match="run this in the root"):
        load_books(tmp_path)
