# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A figure as a page shows it, and whether newly measured values agree with it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from boa_description.errors import BoaError

NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
RANGE = re.compile(rf"({NUMBER}) to ({NUMBER})(?:, median ({NUMBER}))?")
BOUND = re.compile(rf"(at most|at least) ({NUMBER})(?:, median ({NUMBER}))?")
VALUE = re.compile(rf"({NUMBER})(?: ± ({NUMBER}))?")
COUNT = re.compile(r"(\d+) of (\d+)")
FORMS = (
    "write 5.7, '5.7 ± 0.2', '0.10 to 0.25', 'at most 17.2', each with ', median 0.14' where "
    + ("there is a spread, or '19 of 20'")
)
SIGNIFICANT, DECIMALS = 2, 4  # digits at least, decimals at most, of a new figure
ALL, NEARLY_ALL, OF_ALL = 100.0, 90.0, 2  # percent; decimals at most of nearly all
EXACT = 1e-9  # share of a value, for what binary numbers leave of decimal ones


class Spread(NamedTuple):
    """A metric over some runs, in the unit that is shown."""

    least: float
    median: float
    most: float


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, as it was written: digits tell how exactly.

    Attributes:
        text: as written.
        least, median, most: of the measured values; None where it does not tell.
        give: by how much another measurement may differ: what was written behind ±, else half of
            the last digit.
        written: `least`, `median` and `most` as they were written, as far as they were.
    """

    text: str
    least: float | None
    median: float | None
    most: float | None
    give: float
    written: Mapping[str, str]

    def differs(self, now: Spread) -> bool:
        """Whether values of now lie outside of what was measured then."""
        for then, new, outside in (
            (self.least, now.least, -1.0),
            (self.most, now.most, 1.0),
        ):
            if then is not None and (new - then) * outside > self._allowed(then):
                return True
        if self.median is None:
            return False
        return abs(now.median - self.median) > max(self._allowed(self.median), self._width)

    @property
    def _width(self) -> float:
        """Of the range; a median may lie anywhere in it."""
        known = self.least is not None and self.most is not None
        return (self.most or 0.0) - (self.least or 0.0) if known else 0.0

    def _allowed(self, value: float) -> float:
        return self.give + EXACT * abs(value)


@dataclass(frozen=True, slots=True)
class Count:
    """So many of so many runs, that have reached their goal."""

    count: int
    total: int

    def differs(self, now: Self) -> bool:
        """Whether the share is another one."""
        return self.count * now.total != now.count * self.total


def parse(text: str) -> Figure | Count:
    """Read a figure.

    Raises:
        BoaError: it is none.
    """
    if match := COUNT.fullmatch(text):
        return Count(int(match[1]), int(match[2]))
    if match := RANGE.fullmatch(text):
        return _figure(text, match[1], match[3], match[2])
    if match := BOUND.fullmatch(text):
        least, most = (None, match[2]) if match[1] == "at most" else (match[2], None)
        return _figure(text, least, match[3], most)
    if match := VALUE.fullmatch(text):
        give = None if match[2] is None else _number(match[2])
        return _figure(text, match[1], None, match[1], give)
    raise BoaError(f"'{text}' is no figure; {FORMS}")


def differs(text: str, now: Spread | Count) -> bool:
    """Whether a figure, as it was written, differs from what was measured now."""
    then = parse(text)
    if isinstance(then, Count):
        return not isinstance(now, Count) or then.differs(now)
    return isinstance(now, Count) or then.differs(now)


def spread(values: Sequence[float], factor: float) -> Spread:
    """Least, median and largest of values, times `factor`."""
    ordered = sorted(factor * value for value in values)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return Spread(ordered[0], median, ordered[-1])


def part(text: str, which: str) -> str:
    """The `least`, `median` or `most` of a figure, as it was written.

    Raises:
        BoaError: the figure does not tell it.
    """
    figure = parse(text)
    if isinstance(figure, Count) or which not in figure.written:
        raise BoaError(f"'{text}' does not tell the {which}; write it, or take the whole figure")
    return figure.written[which]


def renewed(text: str, now: Spread | Count) -> str:
    """What was measured now, written as `text` was, with as many decimals; more where too few
    digits would be left of it.
    """
    if isinstance(now, Count):
        return f"{now.count} of {now.total}"
    then = parse(text)
    if isinstance(then, Count):
        raise BoaError(f"'{text}' counts runs, and a value was measured; {FORMS}")
    any_model = next(iter(then.written.values()))
    values = now._asdict()
    new = {name: _like(then.written.get(name, any_model), values[name]) for name in values}
    median = f", median {new['median']}" if "median" in then.written else ""
    if then.least is None:
        return f"at most {new['most']}{median}"
    if then.most is None:
        return f"at least {new['least']}{median}"
    if _number(new["least"]) != _number(new["most"]) or median:
        return f"{new['least']} to {new['most']}{median}"
    return new["most"] + "".join(f" ± {give}" for give in re.findall("± (.+)", text))


def _like(model: str, value: float) -> str:
    """A number with the decimals of `model`."""
    decimals = len(model.partition(".")[2])
    digits = len(re.sub("[-.,]", "", model).lstrip("0")) or SIGNIFICANT
    if value:
        least = min(digits, SIGNIFICANT) - 1 - math.floor(math.log10(abs(value)))
        decimals = max(decimals, min(least, DECIMALS))
    if _number(model) == ALL and NEARLY_ALL < value < ALL:
        least = SIGNIFICANT - 1 - math.floor(math.log10(ALL - value))
        decimals = max(decimals, min(least, OF_ALL))
    text = f"{value:{',' if ',' in model else ''}.{decimals}f}"
    if _number(text) == ALL:
        return model if _number(model) == ALL else f"{ALL:g}"
    return text if _number(text) else "0"


def _figure(
    text: str, least: str | None, median: str | None, most: str | None, give: float | None = None
) -> Figure:
    texts = {"least": least, "median": median, "most": most}
    written = {name: one for name, one in texts.items() if one is not None}
    numbers = {name: _number(one) for name, one in written.items()}
    last = max(10.0 ** -len(one.partition(".")[2]) for one in written.values())
    return Figure(
        text=text,
        least=numbers.get("least"),
        median=numbers.get("median"),
        most=numbers.get("most"),
        give=last / 2 if give is None else give,
        written=written,
    )


def _number(text: str) -> float:
    return float(text.replace(",", ""))
