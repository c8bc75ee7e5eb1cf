# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Keep what was measured again: figures, commit, date and load of a claim, in the file of its book.

Every other line of the file stays as it is; a key that the claims of a book share is left out.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from boa_description.errors import BoaError
from evidence.again import Measured, values
from evidence.age import git
from evidence.claims import MEASURED, PLACE, Book, Claim
from evidence.figure import renewed

UNMARKED = {"status": MEASURED, "why": ""}  # of a claim that says neither
FIGURES = "figures"

Edit = tuple[int, int, str]  # from and to which character, and what stands there instead


def origin(root: Path, claim: Claim, load: str) -> dict[str, str]:
    """Commit and date of now, and the load, of a claim that is measured.

    Raises:
        BoaError: code that it depends on has changes that no commit has.
    """
    changed = git(root, "status", "--porcelain", "--", *claim.depends)
    if changed:
        raise BoaError(f"no commit has {', '.join(changed.split()[1::2])}; commit, then measure")
    commit = git(root, "rev-parse", "--short=8", "HEAD").strip()
    return {"commit": commit, "date": date.today().isoformat(), "load": load, **UNMARKED}


def new_figures(book: Book, claim: Claim, now: Measured) -> dict[str, str]:
    """Those that metrics tell, written as they were."""
    new = values(book, claim, now)
    return {name: renewed(claim.figures[name], one) for name, one in new.items() if one is not None}


def left(claim: Claim, figures: Mapping[str, str]) -> list[str]:
    """What a program cannot write: figures that are text, and a sentence with digits of its own."""
    sentence = ["claim"] if re.search(r"\d", PLACE.sub("", claim.claim)) else []
    return [*(name for name in claim.figures if name not in figures), *sentence]


def kept(
    text: str, book: Book, name: str, figures: Mapping[str, str], about: Mapping[str, str]
) -> str:
    """The file `text` of a book, with new figures of a claim and what there is about them."""
    claim = dict(_entries(dict(_entries(yaml.compose(text)))["claims"]))[name]
    edits = [*_of_figures(claim, figures), *_of_keys(claim, about, UNMARKED | book.shared)]
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def _of_figures(claim: yaml.Node, figures: Mapping[str, str]) -> Iterator[Edit]:
    for name, value in _entries(dict(_entries(claim))[FIGURES]):
        if name in figures:
            yield value.start_mark.index, value.end_mark.index, _quoted(figures[name])


def _of_keys(
    claim: yaml.Node, about: Mapping[str, str], shared: Mapping[str, str]
) -> Iterator[Edit]:
    """Whole lines of keys of the claim: written anew, taken out, or put before its figures."""
    keys = [key for key, _ in claim.value]
    begins = [key.start_mark.index - key.start_mark.column for key in keys]
    ends = [*begins[1:], claim.end_mark.index - claim.end_mark.column]
    spans = {key.value: span for key, *span in zip(keys, begins, ends, strict=True)}
    before_figures = spans[FIGURES][0]
    for key, value in about.items():
        begin, end = spans.get(key, (before_figures, before_figures))
        line = f"{' ' * keys[0].start_mark.column}{key}: {_quoted(value)}\n"
        yield begin, end, "" if shared.get(key) == value else line


def _entries(node: Any) -> list[tuple[str, yaml.Node]]:
    return [(key.value, value) for key, value in node.value]


def _quoted(value: str) -> str:
    return value if value == MEASURED else json.dumps(value, ensure_ascii=False)
