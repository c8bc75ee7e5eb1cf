# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a user calls a post stays its name, from the map to the corrected map."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from boa_control.controllers.hoal.supervision.reasons import Finding, Reason, entered
from boa_control.controllers.new_path import NewPath, new_path_event
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind, named
from boa_control.messages.events import decode_events, encode_events
from boa_control.messages.markers import decode_obstacles, encode_obstacles
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_control.paths.named import segment_path
from boa_control.paths.settings import SegmentPath
from boa_control.planning.corrected import corrected_post_map
from boa_control.planning.post_map import load_map
from boa_description.scene import Circle

POSTS = "posts:\n- {id: P52, x: 1.0, y: 0.11, radius: 0.05}\n- {x: 1.5, y: -0.11, radius: 0.05}\n"


def path_past(posts: tuple[Circle, ...]) -> SegmentPath:
    contacts = [{"post": 1, "side": "R", "s": 1.5}, {"post": 0, "side": "L", "s": 1.0}]
    return SegmentPath(
        kind="segments",
        start=(0.0, 0.0),
        heading=0.0,
        segments=((3.0, 0.0),),
        posts=posts,
        contacts=contacts,  # type: ignore[arg-type]
    )


def test_names_go_from_the_map_into_paths_scenarios_and_the_topic_of_obstacles(
    tmp_path: Path,
) -> None:
    file = tmp_path / "map.yaml"
    file.write_text(POSTS)
    posts = load_map(file).circles
    assert [post.name for post in posts] == ["P52", "line 3"]
    settings = path_past(posts)
    assert SegmentPath.model_validate(yaml.safe_load(yaml.safe_dump(settings.model_dump()))) == (
        settings
    )
    path = segment_path(settings, 0.06)
    assert path.names == {0: "P52", 1: "line 3"}
    assert [post.name for post in path.posts] == ["P52", "line 3"]
    assert decode_obstacles(encode_obstacles(posts)) == posts


def test_a_table_without_ids_calls_posts_by_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "map.csv"
    file.write_text("x, y, radius\n1.0, 0.1, 0.05\n\n1.5, -0.1, 0.05\n")
    assert [post.id for post in load_map(file).posts] == ["line 2", "line 4"]


def test_events_call_a_post_by_its_name_also_after_a_bag() -> None:
    (gained,) = named((Event(kind=EventKind.CONTACT_GAINED, post=7, link=13),), {7: "P52"})
    assert text_of(gained) == "gain post P52 link 13"
    ((_, raw), _) = encode_events(0, "controller", [gained])
    (read,) = decode_events(raw)
    assert read.event == gained
    plain = Event(kind=EventKind.POST_ABSENT, post=8)
    assert named((plain,), {7: "P52"}) == (plain,) == named((plain,), {})


def test_what_supervision_found_names_posts() -> None:
    found = Finding(Reason.WITHOUT_POSTS, posts=(3, 7))
    event = entered("stopped", found, (0.0, 0.0), {7: "P52"})
    assert event.note == "without post 3, P52"


def test_a_corrected_map_has_the_ids_of_the_map() -> None:
    posts = (
        CorrectedPost(0, 0.0, 0.0, 0.05, 0.0, "mapped"),
        CorrectedPost(1, 1.0, 0.0, 0.05, 0.001, "touched"),
        CorrectedPost(2, 2.0, 0.0, 0.05, 0.001, "unexpected"),
    )
    corrected = corrected_post_map(CorrectedMap(posts), {1: "P52"})
    assert [post.id for post in corrected.posts] == [0, "P52", "unexpected 2"]


def test_posts_without_names_are_recorded_as_ever() -> None:
    """A replay compares what a run recorded, digit by digit."""
    new = NewPath(path=path_past((Circle(x=1.0, y=0.11, radius=0.05),) * 2), leaves=0.0, progress=0)
    recorded = json.loads(new_path_event(new).record or "")
    assert recorded["path"]["posts"][0] == {"kind": "circle", "x": 1.0, "y": 0.11, "radius": 0.05}
