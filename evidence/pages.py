# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of pages that are filled from claims.

`<!-- evidence:BOOK -->` and `<!-- /evidence -->` have the table of a book between them (a list
where it has no columns),
`<!-- evidence:BOOK.CLAIM -->` the sentence of a claim, wrapped where it is in no table.
"""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from boa_description.errors import BoaError
from evidence.claims import FOLDER, MEASURED, Book, Claim, named

LINE, WIDTH = 100, 80  # of pages; of wrapped sentences, before the mark that ends them
BLOCK = re.compile(r"(<!-- evidence:([\w.]+) -->).*?(<!-- /evidence -->)", re.DOTALL)


def pages(root: Path) -> list[Path]:
    """The README and the pages of the manual and its notebook."""
    return [root / "README.md", *sorted((root / "docs").glob("**/*.md"))]


def filled(text: str, books: Mapping[str, Book], where: str) -> str:
    """The page with every block as its claims say.

    Raises:
        BoaError: a block names no claim, or has no end.
    """
    if text.count("<!-- evidence:") != len(BLOCK.findall(text)):
        raise BoaError(f"{where}: a block of evidence has no end; add <!-- /evidence --> behind it")

    def content(match: re.Match[str]) -> str:
        name = match[2]
        if name in books:
            return f"{match[1]}\n{table(name, books[name])}\n{match[3]}"
        sentence = named(books, name)[1].sentence
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        whole = f"{line}{match[1]}{sentence}{match[3]}"
        if len(whole) > LINE and not line.startswith("|"):
            sentence = "\n" + textwrap.fill(sentence, WIDTH, break_on_hyphens=False)
        return f"{match[1]}{sentence}{match[3]}"

    return BLOCK.sub(content, text)


def table(name: str, book: Book) -> str:
    """The table of a book, or its sentences, and where its commands are."""
    origin = f"*Commands, seeds and commits: `{FOLDER}/{name}.yaml`.*"
    if not book.columns:
        return "\n".join((*(_item(*each) for each in book.claims.items()), "", origin))
    headings = [book.rows, *(column.heading for column in book.columns.values())]
    lines = [_row(headings), "|" + "---|" * len(headings)]
    for key, claim in book.claims.items():
        mark = "" if claim.status == MEASURED else f" (*{claim.status}*)"
        lines.append(
            _row([f"{claim.row or key}{mark}", *(claim.figures.get(c, "") for c in book.columns)])
        )
    return "\n".join((*lines, "", origin))


def _item(key: str, claim: Claim) -> str:
    text = f"- {claim.row or key}: {claim.sentence}"
    return textwrap.fill(
        text, LINE, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
