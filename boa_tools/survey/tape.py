# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a list of distances between named posts and marks to a map of the posts."""

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boa_control.planning.post_map import MappedPost, PostMap, check_distances
from boa_description.errors import BoaError
from boa_description.yaml_text import read_text
from boa_tools.survey.network import Distance, Network, adjusted, laid_out, on_baseline

COLUMNS = ["from", "to", "distance"]
LONGEST = 100.0  # m; a tape is no longer


@dataclass(frozen=True, slots=True)
class Survey:
    """What was measured, and how.

    Attributes:
        baseline: names of the points that make the frame: the first is the origin, the second lies
            on the x axis.
        marks: names that are marks on the floor, not posts.
        right: names on the right of the baseline; the others are on its left.
        radius: of the posts, m.
        std: standard deviation of a reading, m.
        surfaces: readings go from surface to surface, not from centre to centre.
    """

    baseline: tuple[str, str]
    marks: frozenset[str]
    right: frozenset[str]
    radius: float
    std: float
    surfaces: bool


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A map of the posts, m, and the names of points that a wrong reading would move unseen."""

    map: PostMap
    unchecked: tuple[str, ...]


def survey_map(path: Path, survey: Survey) -> Surveyed:
    """Read the distances and work out where the posts stand.

    Raises:
        BoaError: the file or a name is wrong, a point has too few distances, or one reading
            contradicts the others; says which.
    """
    readings = _readings(path)
    names = list(dict.fromkeys((*survey.baseline, *(n for row in readings for n in row[:2]))))
    known = {name for row in readings for name in row[:2]}
    for name in (*survey.baseline, *sorted(survey.marks | survey.right)):
        if name not in known:
            raise BoaError(f"{path}: no distance names {name}; it names {', '.join(sorted(known))}")
    number = {name: index for index, name in enumerate(names)}
    distances = [
        Distance(number[one], number[other], length + _radii(survey, one, other))
        for one, other, length in readings
    ]
    if not any({one, other} == {0, 1} for one, other, _ in distances):
        raise BoaError(f"{path}: measure the baseline from {names[0]} to {names[1]} too")
    start = laid_out(distances, len(names), frozenset(number[name] for name in survey.right))
    if (lost := np.isnan(start[:, 0])).any():
        raise BoaError(
            f"{path}: {names[int(lost.argmax())]} needs two distances to points whose place is "
            "known; measure one more"
        )
    network = adjusted(distances, start, survey.std)
    _refuse_blunder(path, readings, network)
    return Surveyed(_map(names, network, survey, str(path)), _unchecked(names, distances, network))


def _refuse_blunder(path: Path, readings: list[tuple[str, str, float]], network: Network) -> None:
    if (suspect := network.suspect) is None:
        return
    one, other, length = readings[suspect]
    residual = 1e3 * network.residual[suspect]
    raise BoaError(
        f"{path}: {one} to {other}, {length:g} m, contradicts the others "
        f"({abs(residual):.0f} mm too {'long' if residual > 0 else 'short'} after adjustment, "
        f"{abs(network.standardised[suspect]):.1f} standard deviations); measure it again, or give "
        "a larger --std"
    )


def _map(names: list[str], network: Network, survey: Survey, what: str) -> PostMap:
    places = on_baseline(network.places)
    posts = tuple(
        MappedPost(
            id=name,
            x=round(float(x), 5),
            y=round(float(y), 5),
            radius=survey.radius,
            std=round(float(std), 5),
        )
        for name, (x, y), std in zip(names, places, network.std, strict=True)
        if name not in survey.marks
    )
    if not posts:
        raise BoaError(f"{what}: all points are marks; name the posts in it too")
    post_map = PostMap(posts=posts)
    check_distances(post_map, what)
    return post_map


def _unchecked(names: list[str], distances: list[Distance], network: Network) -> tuple[str, ...]:
    """Points of which no distance can be contradicted by another."""
    checked = {
        point
        for distance, seen in zip(distances, network.checked, strict=True)
        if seen
        for point in distance[:2]
    }
    return tuple(name for point, name in enumerate(names) if point not in checked)


def _radii(survey: Survey, one: str, other: str) -> float:
    posts = sum(name not in survey.marks for name in (one, other))
    return posts * survey.radius if survey.surfaces else 0.0


def _readings(path: Path) -> list[tuple[str, str, float]]:
    """Rows of the CSV file. Raises BoaError with the line."""
    if not path.is_file():
        raise BoaError(f"'{path}' does not exist; give a CSV file with from, to, distance (m)")
    rows = csv.reader(io.StringIO(read_text(path).removeprefix("\ufeff")), skipinitialspace=True)
    if [name.strip() for name in next(rows, [])] != COLUMNS:
        raise BoaError(f"{path}: the first line must be from,to,distance")
    readings: list[tuple[str, str, float]] = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        what = f"{path}, line {rows.line_num}"
        if len(row) != len(COLUMNS) or not (row[0].strip() and row[1].strip()):
            raise BoaError(f"{what}: two names and a distance are needed, not {','.join(row)}")
        one, other = row[0].strip(), row[1].strip()
        if one == other:
            raise BoaError(f"{what}: {one} has no distance to itself")
        readings.append((one, other, _length(row[2], what)))
    if not readings:
        raise BoaError(f"{path}: no distances; write one per line: from,to,distance")
    return readings


def _length(text: str, what: str) -> float:
    try:
        length = float(text)
    except ValueError:
        raise BoaError(f"{what}: '{text.strip()}' is no number") from None
    if not (math.isfinite(length) and 0 < length <= LONGEST):
        raise BoaError(f"{what}: {length:g} m is no distance; give m, at most {LONGEST:g}")
    return length
