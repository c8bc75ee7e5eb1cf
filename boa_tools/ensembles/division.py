# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The division of seeds into those to tune a rule on and those to judge it by."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from boa_description.errors import BoaError
from boa_description.yaml_text import parse_mapping

FILE = "seeds.yaml"
RUNS, FIELDS = "runs", "fields"  # what seeds are of
TUNING, UNDIVIDED = "tuning", "undivided"
RANGE = re.compile(r"(\d+)(?:-(\d+))?")
WORD = re.compile(r"([a-z]+)(?::(\d+))?")


@dataclass(frozen=True, slots=True)
class Division:
    """The seeds of each kind: tuning, judging, perhaps more.

    Attributes:
        of: RUNS or FIELDS.
        kinds: name -> its seeds.
    """

    of: str
    kinds: dict[str, range]

    def seeds(self, text: str) -> tuple[int, ...]:
        """Read `500-549`, `500`, `tuning`, or `tuning:20` for the first 20 of them.

        Raises:
            BoaError: none of these, or seeds of two kinds.
        """
        if match := RANGE.fullmatch(text):
            first, last = int(match[1]), int(match[2] or match[1])
            chosen = range(first, last + 1)
        elif (match := WORD.fullmatch(text)) and match[1] in self.kinds:
            whole = self.kinds[match[1]]
            chosen = whole[: int(match[2] or len(whole))]
            if int(match[2] or 0) > len(whole):
                raise BoaError(
                    f"--seeds {text}: there are {len(whole)} {match[1]} seeds of {self.of}, "
                    f"{whole[0]} to {whole[-1]}; take at most these"
                )
        else:
            chosen = range(0)
        if not chosen:
            raise BoaError(
                f"--seeds {text}: write FIRST-LAST, or KIND or KIND:COUNT, where KIND is "
                f"{' or '.join(self.kinds)}"
            )
        self.kind(chosen)
        return tuple(chosen)

    def kind(self, seeds: Sequence[int]) -> str:
        """The one kind of these seeds, UNDIVIDED where they belong to none.

        Raises:
            BoaError: they are of more than one.
        """
        kinds = {seed: self._kind(seed) for seed in seeds}
        first = seeds[0]
        for seed, kind in kinds.items():
            if kind != kinds[first]:
                raise BoaError(
                    f"seed {first} is {kinds[first]}, seed {seed} is {kind}: a rule is tuned and "
                    f"judged on different seeds of {self.of}; give seeds of one kind ({self})"
                )
        return kinds[first]

    def _kind(self, seed: int) -> str:
        return next((name for name, seeds in self.kinds.items() if seed in seeds), UNDIVIDED)

    def __str__(self) -> str:
        return ", ".join(f"{name} {seeds[0]}-{seeds[-1]}" for name, seeds in self.kinds.items())


def division(of: str) -> Division:
    """The project's division of the seeds of RUNS or FIELDS."""
    text = (files("boa_tools.ensembles") / FILE).read_text(encoding="utf-8")
    kinds = {}
    for name, span in parse_mapping(text, FILE)[of].items():
        first, _, last = span.partition("-")
        kinds[name] = range(int(first), int(last) + 1)
    return Division(of, kinds)
