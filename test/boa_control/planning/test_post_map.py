# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Maps of posts from files: both forms, and one clear line for what is wrong."""

from __future__ import annotations

import pytest

from boa_control.planning.post_map import check_place, load_map, map_of
from boa_description.errors import BoaError
from boa_description.scene import Circle

YAML = "posts: [{id: A, x: 0.0, y: 0.0, radius: 0.05}, {x: 0.3, y: 0.0, radius: 0.06, std: 0.004}]"
CSV = "x, y, radius, id\n0.0, 0.0, 0.05, A\n0.3, 0.0, 0.06,\n"


def read(tmp_path, text: str, name: str = "map.yaml"):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return load_map(file)


def test_yaml_and_csv_give_the_same_posts(tmp_path):
    one, other = read(tmp_path, YAML), read(tmp_path, CSV, "map.csv")
    places = [[(at.x, at.y, at.radius) for at in read.circles] for read in (one, other)]
    assert places[0] == places[1]
    assert [one.name(0), one.name(1)] == ["post A", "post 2"]
    assert one.posts[1].std == 0.004 and other.posts[1].std is None


def test_walls_and_boxes_come_after_the_posts(tmp_path):
    text = (
        YAML + "\nwalls: [{x1: 0, y1: 1, x2: 2, y2: 1}]\nboxes: [{x: 3, y: 0, length: 1, width: 1}]"
    )
    there = read(tmp_path, text)
    assert [shape.kind for shape in there.obstacles] == ["circle", "circle", "box", "wall"]


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("posts: []", "m.yaml", ["posts is empty"]),
        ("posts: [{x: .nan, y: 0, radius: 0.05}]", "m.yaml", ["posts.0.x", "finite"]),
        ("posts: [{x: 0, y: 0}]", "m.yaml", ["radius' is missing"]),
        ("posts: [{x: 0, y: 0, radius: 50}]", "m.yaml", ["radius", "mm"]),
        (
            "posts: [{x: 4000, y: 0, radius: 0.05}]",
            "m.yaml",
            ["posts.0.x", "1000 m", "4 (4000 mm)"],
        ),
        (
            "posts: [{x: 0, y: 0, radius: 0.05}, {x: 300, y: 0, radius: 0.05}]",
            "m.yaml",
            ["300 m apart", "in m"],
        ),
        (
            "posts: [{x: 0, y: 0, radius: 0.05}, {x: 0.08, y: 0, radius: 0.05}]",
            "m.yaml",
            ["post 1 and post 2 overlap by 0.020 m"],
        ),
        (
            "posts: [{id: A, x: 0, y: 0, radius: 0.05}, {id: A, x: 1, y: 0, radius: 0.05}]",
            "m.yaml",
            ["number 1 and 2 have the same id 'A'"],
        ),
        ("posts: {x: 0, y: 0, radius: 0.05}", "m.yaml", ["posts: a list must stand here"]),
        ("post: []", "m.yaml", ["did you mean 'posts'"]),
        ("x,y\n0,0\n", "m.csv", ["radius is missing"]),
        ("x,y,radius\n0,0\n", "m.csv", ["line 2", "3 values"]),
        ("x,y,radius\n0,zero,0.05\n", "m.csv", ["line 2", "'zero' is no number"]),
        ("x,y,radius\n0,0,0.05\n0,4000,0.05\n", "m.csv", ["line 3: y", "4 (4000 mm)"]),
    ],
)
def test_a_wrong_map_is_refused_in_one_line(tmp_path, text, name, words):
    with pytest.raises(BoaError) as error:
        read(tmp_path, text, name)
    assert "\n" not in str(error.value)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_map_in_mm_is_refused_with_its_first_findings_only(tmp_path):
    places = range(0, 30_000, 300)
    posts = "".join(f"- {{x: {x}, y: 0, radius: 50}}\n" for x in places)
    with pytest.raises(BoaError) as error:
        read(tmp_path, "posts:\n" + posts, "mm.yaml")
    assert len(str(error.value)) < 800
    assert "did you mean 0.05 (50 mm)" in str(error.value) and "more" in str(error.value)
    rows = "".join(f"{x},0,50\n" for x in places)
    with pytest.raises(BoaError, match=r"line 2: radius: .* did you mean 0.05 \(50 mm\)\?$"):
        read(tmp_path, "x,y,radius\n" + rows, "mm.csv")


def test_obstacles_in_mm_are_refused_as_in_a_file():
    """A topic has them; the planner ended by them."""
    with pytest.raises(BoaError, match=r"map: posts.0.radius: .*did you mean 0.05 \(50 mm\)"):
        map_of([Circle(x=1.0, y=0.0, radius=50.0)])


def test_a_csv_file_of_a_spreadsheet_may_begin_with_a_mark(tmp_path):
    assert read(tmp_path, "\ufeff" + CSV, "map.csv") == read(tmp_path, CSV, "plain.csv")


def test_no_such_map(tmp_path):
    with pytest.raises(BoaError, match="does not exist"):
        load_map(tmp_path / "none.yaml")


def test_a_start_inside_a_post_and_a_goal_far_from_all(tmp_path):
    there = read(tmp_path, YAML)
    check_place(there, "start", 0.15, 0.2, reach=0.6)
    with pytest.raises(BoaError, match=r"start \(0.01, 0.02\) m lies inside post A"):
        check_place(there, "start", 0.01, 0.02, reach=0.6)
    with pytest.raises(BoaError, match=r"goal \(3, 0\) m is 2.64 m from the nearest post"):
        check_place(there, "goal", 3.0, 0.0, reach=0.6)


def test_a_huge_map_is_refused_at_once(tmp_path):
    rows = "".join(f"{0.2 * (k % 150)},{0.2 * (k // 150)},0.05\n" for k in range(20_100))
    with pytest.raises(BoaError, match="20100 posts, at most 20000"):
        read(tmp_path, "x,y,radius\n" + rows, "map.csv")


def test_labels_are_short_enough_to_stand_in_a_post(tmp_path):
    there = read(tmp_path, "x,y,radius\n0,0,0.05\n0.3,0,0.05\n", "m.csv")
    assert [there.name(k) for k in (0, 1)] == ["post line 2", "post line 3"]
    assert [there.label(k) for k in (0, 1)] == ["2", "3"]
    assert read(tmp_path, YAML).label(0) == "A"
