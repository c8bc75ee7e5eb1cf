# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A field of posts as measured: a YAML or CSV file, checked."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field
from scipy.spatial import cKDTree

from boa_control.paths.settings import Coordinate
from boa_description.errors import BoaError
from boa_description.robot import Block, Metre
from boa_description.scene import Box, Circle, Obstacle, Wall, clearance
from boa_description.validation import validated
from boa_description.yaml_text import item_lines, parse_mapping, read_text

MOST = 20_000  # posts; more take too long to search
FAR = 50.0  # m; a start or goal further from all posts than this was meant in mm
LINE = "line "  # before the number of the line by which a post without an id is called
LONELY = 5.0  # m between neighbouring posts; a map whose posts are all further apart is in mm


class MappedPost(Block):
    """A post at its measured place."""

    id: str | int | None = None
    x: Coordinate
    y: Coordinate
    radius: Metre = Field(gt=0, le=1)
    std: Metre | None = Field(
        default=None, ge=0, le=1, description="standard deviation of its place per axis"
    )

    @property
    def circle(self) -> Circle:
        """The obstacle."""
        name = None if self.id is None else str(self.id)
        return Circle(x=self.x, y=self.y, radius=self.radius, name=name, std=self.std)


class PostMap(Block):
    """Posts, and walls and boxes that the robot only stays clear of."""

    posts: tuple[MappedPost, ...]
    boxes: tuple[Box, ...] = ()
    walls: tuple[Wall, ...] = ()

    @property
    def circles(self) -> tuple[Circle, ...]:
        """The posts as obstacles, in their order."""
        return tuple(post.circle for post in self.posts)

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """Everything, the posts first."""
        return (*self.circles, *self.boxes, *self.walls)

    @property
    def largest_std(self) -> float:
        """Of all posts, m; 0 where none is given."""
        return max((post.std or 0.0 for post in self.posts), default=0.0)

    def name(self, index: int) -> str:
        """Name of a post in the map: its id, else its number from 1."""
        given = self.posts[index].id
        return f"post {index + 1 if given is None else given}"

    def label(self, index: int) -> str:
        """The same, short enough for a picture: of a line its number."""
        return self.name(index).removeprefix("post ").removeprefix(LINE)


def load_map(path: Path) -> PostMap:
    """Read a map: YAML with `posts: [{x, y, radius}, ...]`, or CSV with the columns x, y, radius.
    A post without an id is called by its line.

    Raises:
        BoaError: no such file, not YAML or CSV, a wrong key or value, two posts with one id, posts
            that overlap, numbers in mm.
    """
    if not path.is_file():
        raise BoaError(f"map '{path}' does not exist; give a YAML or CSV file of posts")
    text = read_text(path).removeprefix("\ufeff")  # as spreadsheets begin their files
    if path.suffix.lower() == ".csv":
        post_map = _table(text, path)
    else:
        data = _with_lines(parse_mapping(text, str(path)), text)
        post_map = validated(PostMap, data, str(path))
    if not post_map.posts:
        raise BoaError(f"{path}: posts is empty; list the posts with x, y and radius in m")
    _check_ids(post_map, str(path))
    check_distances(post_map, str(path))
    return post_map


def map_of(obstacles: Sequence[Obstacle]) -> PostMap:
    """A map of obstacles that do not come from a file; their distances are not checked. Raises
    BoaError where there are no posts, or one is larger or farther away than posts are.
    """
    posts = [
        {"x": item.x, "y": item.y, "radius": item.radius, "std": item.std}
        for item in obstacles
        if isinstance(item, Circle)
    ]
    if not posts:
        raise BoaError("map has no posts; the robot needs some to push against")
    boxes = [item for item in obstacles if isinstance(item, Box)]
    walls = [item for item in obstacles if isinstance(item, Wall)]
    return validated(PostMap, {"posts": posts, "boxes": boxes, "walls": walls}, "map")


def check_distances(post_map: PostMap, what: str) -> None:
    """Refuse posts that stand in each other, and maps in which all are far apart.

    Args:
        what: the map is called in errors.

    Raises:
        BoaError: says which posts, and by how much.
    """
    posts = post_map.posts
    if len(posts) > MOST:
        raise BoaError(
            f"{what}: {len(posts)} posts, at most {MOST}; leave out those far from start and goal"
        )
    tree = cKDTree([(post.x, post.y) for post in posts])
    for j, i in sorted(tree.query_pairs(2 * max(post.radius for post in posts))):
        one, other = posts[i], posts[j]
        overlap = -clearance(one, other)
        if overlap > 0:
            raise BoaError(
                f"{what}: {post_map.name(j)} and {post_map.name(i)} overlap by {overlap:.3f} m; "
                "measure them again"
            )
    apart, _ = tree.query(tree.data, k=[2])  # the first is the post itself
    smallest = float(np.min(apart)) if len(posts) > 1 else 0.0
    if smallest > LONELY:
        raise BoaError(
            f"{what}: the nearest two posts are {smallest:g} m apart, too far for any robot to "
            "touch both; give x, y and radius in m"
        )


def check_place(post_map: PostMap, what: str, x: float, y: float, reach: float) -> None:
    """Refuse a start or goal inside a post, or so far from all posts that none can hold the robot.

    Args:
        what: "start" or "goal".
        reach: distance from a post up to which the robot can still touch it, m.

    Raises:
        BoaError: says which post, and how far off.
    """
    gaps = [math.hypot(post.x - x, post.y - y) - post.radius for post in post_map.posts]
    nearest = min(range(len(gaps)), key=gaps.__getitem__)
    place = f"{what} ({x:g}, {y:g}) m"
    if gaps[nearest] < 0:
        raise BoaError(f"{place} lies inside {post_map.name(nearest)}; choose a free place")
    if gaps[nearest] > reach:
        raise BoaError(
            f"{place} is {gaps[nearest]:.2f} m from the nearest post "
            f"({post_map.name(nearest)}); the robot needs posts within {reach:.2f} m to push "
            "against" + ("; give places in m" if gaps[nearest] > FAR else "")
        )


def _check_ids(post_map: PostMap, what: str) -> None:
    """Refuse an id that two posts have: what is said of one would be said of both."""
    seen: dict[str, int] = {}
    for number, post in enumerate(post_map.posts, 1):
        if post.id is None:
            continue
        first = seen.setdefault(str(post.id), number)
        if first != number:
            raise BoaError(
                f"{what}: posts number {first} and {number} have the same id '{post.id}'; give "
                "each post its own, or none"
            )


def _table(text: str, path: Path) -> PostMap:
    """Posts of a CSV file with a header. Raises BoaError, which names lines."""
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    columns = [name.strip() for name in reader.fieldnames or ()]
    missing = {"x", "y", "radius"} - set(columns)
    if missing:
        raise BoaError(
            f"{path}: column {', '.join(sorted(missing))} is missing; the first line must name the "
            "columns x, y, radius (m), and id and std if there are any, with commas between them"
        )
    reader.fieldnames = columns
    return PostMap(posts=tuple(_post(row, path, reader.line_num) for row in reader))


def _post(row: Mapping[str | None, str | None], path: Path, line: int) -> MappedPost:
    """The post of a row. Raises BoaError."""
    where = f"{path}, {LINE}{line}"
    post: dict[str, object] = {"id": f"{LINE}{line}"}
    for name, value in row.items():
        if name is None or value is None:
            needed = sum(name is not None for name in row)
            raise BoaError(f"{where}: {needed} values are needed")
        if value.strip():
            post[name] = value.strip() if name == "id" else _number(value, where)
    return validated(MappedPost, post, where)


def _with_lines(data: dict[str, Any], text: str) -> Mapping[str, Any]:
    """A map whose posts have their lines as ids, where they have none and stand in lines of their
    own.
    """
    lines = item_lines(text, "posts")
    posts = data.get("posts")
    if not isinstance(posts, list) or len(set(lines)) < len(posts):
        return data
    named = [
        {"id": f"{LINE}{line}"} | post if isinstance(post, dict) else post
        for line, post in zip(lines, posts, strict=True)
    ]
    return data | {"posts": named}


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BoaError(f"{where}: '{text.strip()}' is no number") from None
