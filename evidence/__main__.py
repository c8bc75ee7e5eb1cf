# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`python -m evidence`: list claims, measure one again and keep what it gives, or fill the pages.

For people who change the repository (`make evidence`), so it is no sub-command of `boa`.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from boa_description.errors import BoaError
from boa_tools.ensembles.folder import FILE as ENSEMBLE
from evidence.again import comparable, differences, measure, measured
from evidence.age import ages, has_history
from evidence.claims import FOLDER, MEASURED, Book, every_claim, load_books, named
from evidence.keep import kept, left, new_figures, origin
from evidence.pages import filled, pages

DIFFERS, WRONG_INPUT = 1, 2
ROOT = Path(__file__).parents[1]


def main(argv: Sequence[str] | None = None) -> int:
    """Return the exit status: 0 done, 1 a figure differs, 2 wrong input."""
    parser = argparse.ArgumentParser(prog="python -m evidence", description=__doc__)
    parser.add_argument("claim", nargs="?", help="BOOK.CLAIM to measure again (default: list all)")
    parser.add_argument("--pages", action="store_true", help="fill the blocks of README and docs")
    parser.add_argument("--keep", action="store_true", help="write the new figures, and fill pages")
    parser.add_argument("--from", type=Path, help="results of this commit instead of a run now")
    parser.add_argument("--load", default="not recorded", help="what else the machine did")
    arguments = parser.parse_args(argv)
    try:
        books = load_books(ROOT)
        if arguments.pages:
            return _fill(ROOT, books)
        return _again(ROOT, books, arguments) if arguments.claim else _list(ROOT, books)
    except (BoaError, OSError) as error:
        print(f"evidence: error: {error}", file=sys.stderr)
        return WRONG_INPUT


def _list(root: Path, books: Mapping[str, Book]) -> int:
    """Print all claims, and at the end those to measure again."""
    claims = dict(every_claim(books))
    old = ages(root, claims) if has_history(root) else {}
    for name, claim in claims.items():
        changes = f"{old[name].changes} changes since" if name in old else "age unknown"
        print(f"{name:<40} {claim.status:<16} {claim.commit:<9} {claim.date:<10} {changes}")
    again = {name: old[name].changes for name in old if old[name].changes}
    again |= {name: 0 for name, c in claims.items() if c.status != MEASURED and name not in again}
    print(f"\nto measure again (make evidence CLAIM=NAME), {len(again)}, the most changed first:")
    for name in sorted(again, key=lambda name: (-again[name], name)):
        print(f"  {name:<40} {again[name]} changes")
    return 0


def _again(root: Path, books: Mapping[str, Book], arguments: argparse.Namespace) -> int:
    """Measure one claim again and say what differs; keep it where that is wanted."""
    name = arguments.claim
    book, claim = named(books, name)
    print(f"{claim.sentence}\n{claim.commit}, {claim.date}, machine: {claim.load}")
    print("\n".join(claim.lines))
    if not comparable(book, claim):
        raise BoaError(f"{name} has no figure that a program compares; run its command and read it")
    about = origin(root, claim, arguments.load) if arguments.keep else {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = getattr(arguments, "from") or measure(claim, Path(scratch))
        now = measured(folder, claim.member)
        lines = differences(book, claim, now)
        print("\n".join((f"{name} differs:", *lines)) if lines else f"{name}: all figures hold")
        if not arguments.keep:
            return DIFFERS if lines else 0
        if claim.record:
            shutil.copyfile(folder / ENSEMBLE, root / claim.record)
    figures = new_figures(book, claim, now)
    stem, _, key = name.partition(".")
    path = root / FOLDER / f"{stem}.yaml"
    path.write_text(kept(path.read_text("utf-8"), book, key, figures, about), "utf-8")
    print(f"left as it was, for people: {', '.join(left(claim, figures)) or 'nothing'}")
    return _fill(root, load_books(root))


def _fill(root: Path, books: Mapping[str, Book]) -> int:
    """Fill the blocks of all pages and name those that changed."""
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        new = filled(text, books, str(page.relative_to(root)))
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(page.relative_to(root))
    return 0


if __name__ == "__main__":
    sys.exit(main())
