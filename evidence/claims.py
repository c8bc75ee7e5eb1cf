# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Claims: what is said to hold, with the command that shows it. A book is a file of claims."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from boa_description.errors import BoaError, unknown_name
from boa_description.robot import Block
from boa_description.validation import validated
from boa_description.yaml_text import parse_mapping, read_text
from boa_tools.evaluation.metric_table import FURTHER, METRICS, description
from evidence.figure import Count, parse, part

FOLDER = "evidence"
MEASURED, UNSHOWN = "measured", "cannot be shown"
PLACE = re.compile(r"\{(\w+)(?:\.(least|median|most))?\}")  # of a figure in a sentence
REACHED = "completed"  # the metric of a count


class Column(Block):
    """A column of a table of claims, and the figure of that name.

    Attributes:
        heading: over the column.
        metric: key of the metric; `completed` counts runs; none where the column is text or is not
            in metrics.json.
    """

    heading: str
    metric: str | None = None

    @model_validator(mode="after")
    def _exists(self) -> Self:
        known = {*METRICS, *FURTHER, REACHED}
        if self.metric is not None and self.metric not in known:
            raise ValueError(f"there is no metric '{self.metric}'; docs/metrics.md has all")
        return self

    @property
    def factor(self) -> float:
        """Shown value = factor * metric."""
        return 1.0 if self.metric in (None, REACHED) else description(str(self.metric)).factor


class Claim(Block):
    """One claim.

    Attributes:
        claim: one sentence; a figure stands in it as `{name}`, or `{name.most}` for a part of it.
        row: first cell in the table of its book; default: its name.
        command: shows it; `{scenario}` stands for the scenario.
        prepare: command that makes what the first one needs, run before it in the same folder.
        scenario: a shipped scenario or set, or a file; none where the command uses none.
        member: of a set, the labels of the run that shows it, joined by `-`.
        seeds, tuned: that were run, and which of them something was chosen on.
        goal: what a run that is counted as a success has reached.
        commit, date, load: of the code, of the measurement (of the commit, where it was not
            recorded), and what else the machine did. A claim that cannot be shown has perhaps none.
        depends: files and folders of code; a change of them may change the figures.
        record: file in the repository that has every run.
        status, why: other than `measured` only with a reason.
        figures: by name; text, because digits count.
    """

    claim: str
    row: str = ""
    command: str
    prepare: str = ""
    scenario: str | None = None
    member: str = ""
    seeds: str
    tuned: str
    goal: str = ""
    commit: str = Field("", pattern="^([0-9a-f]{7,40})?$")
    date: str = Field("", pattern=r"^(\d{4}-\d\d-\d\d)?$")
    load: str
    depends: tuple[str, ...] = Field(min_length=1)
    record: str | None = None
    status: Literal["measured", "cannot be shown", "stale"] = "measured"
    why: str = ""
    figures: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.status == MEASURED) == bool(self.why):
            raise ValueError("a reason (why) is needed unless status is measured, and only then")
        if self.status != UNSHOWN and not (self.commit and self.date):
            raise ValueError(f"commit and date are needed unless status is '{UNSHOWN}'")
        try:
            self._filled()
        except KeyError as error:
            raise ValueError(f"the sentence has no figure {error}; add it to figures") from error
        except BoaError as error:
            raise ValueError(str(error)) from error
        return self

    @property
    def lines(self) -> tuple[str, ...]:
        """The commands as they are run, the last of which shows the claim."""
        every = (self.prepare, self.command)
        return tuple(one.replace("{scenario}", self.scenario or "") for one in every if one)

    @property
    def sentence(self) -> str:
        """With figures filled in, and with the status where it was not measured."""
        text = self._filled()
        return text if self.status == MEASURED else f"{text} (*{self.status}*: {self.why})"

    def _filled(self) -> str:
        def figure(match: re.Match[str]) -> str:
            text = self.figures[match[1]]
            return part(text, match[2]) if match[2] else text

        return PLACE.sub(figure, self.claim)


class Book(Block):
    """A file of claims.

    Attributes:
        about: what they have in common, a sentence.
        rows: heading over the names of the rows of its table.
        columns: of the table, by the name of the figure.
        shared: keys that claims have unless they have their own.
        claims: by name.
    """

    about: str
    rows: str = ""
    columns: dict[str, Column] = Field(default_factory=dict)
    shared: dict[str, Any] = Field(default_factory=dict)
    claims: dict[str, Claim]

    @model_validator(mode="before")
    @classmethod
    def _share(cls, data: Any) -> Any:
        shared = data.get("shared", {}) if isinstance(data, dict) else {}
        if not isinstance(shared, dict) or not isinstance(data.get("claims"), dict):
            return data
        claims = {
            name: {**shared, **claim} if isinstance(claim, dict) else claim
            for name, claim in data["claims"].items()
        }
        return {**data, "claims": claims}

    @model_validator(mode="after")
    def _figures_are_columns(self) -> Self:
        for name, claim in self.claims.items():
            for key, text in claim.figures.items():
                if key not in self.columns:
                    raise ValueError(f"{name}: figure '{key}' has no column of that name")
                metric = self.columns[key].metric
                if metric is not None and (metric == REACHED) != self._counts(name, text):
                    raise ValueError(f"{name}: '{text}' is no value of {metric}")
                if metric == REACHED and not claim.goal:
                    raise ValueError(f"{name}: '{text}' needs a goal: what has such a run reached?")
        return self

    @staticmethod
    def _counts(name: str, text: str) -> bool:
        try:
            return isinstance(parse(text), Count)
        except BoaError as error:
            raise ValueError(f"{name}: {error}") from error


def load_book(path: Path) -> Book:
    """Read a file of claims.

    Raises:
        BoaError: it cannot be read, or a key or value is wrong; all are named at once.
    """
    return validated(Book, parse_mapping(read_text(path), str(path)), str(path))


def load_books(root: Path) -> dict[str, Book]:
    """All books of the repository at `root`, by the names of their files.

    Raises:
        BoaError: there is none, or one is wrong.
    """
    paths = sorted((root / FOLDER).glob("*.yaml"))
    if not paths:
        raise BoaError(f"{root / FOLDER}: no claims; run this in the root of the repository")
    return {path.stem: load_book(path) for path in paths}


def every_claim(books: Mapping[str, Book]) -> Iterator[tuple[str, Claim]]:
    """All claims with their names, `book.claim`."""
    for book, content in books.items():
        for name, claim in content.claims.items():
            yield f"{book}.{name}", claim


def named(books: Mapping[str, Book], name: str) -> tuple[Book, Claim]:
    """The claim `book.claim` and its book.

    Raises:
        BoaError: there is none of this name.
    """
    book, _, claim = name.partition(".")
    if book not in books or claim not in books[book].claims:
        every = [known for known, _ in every_claim(books)]
        raise unknown_name("claim", name, every, listed_by="make evidence")
    return books[book], books[book].claims[claim]
