# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is told of a corrected map, and when."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.record import MapRecord
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.touched_posts import TouchedPosts
from boa_control.event_text import text_of
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.planning.corrected import corrected_post_map, map_text
from boa_control.planning.post_map import load_map

PERIOD = SHIPPED.post_map.record_time
SETTLED = SHIPPED.post_map.settled
SYSTEMATIC = SHIPPED.post_map.systematic

TICK = 0.002
FIELD = np.array([(0.3 * k, 0.0) for k in range(6)])
RADIUS = np.full(6, 0.05)


def believed(corrections: dict[int, float]) -> TouchedPosts:
    """Posts that were touched and are so many m off their places to the left."""
    posts = TouchedPosts(FIELD, 0.02)
    for post, distance in corrections.items():
        posts.mean[post] += 1j * distance
        posts.sightings[post] = SETTLED
    return posts


def second(record: MapRecord, posts: TouchedPosts) -> list[CorrectedMap]:
    news = [record.update(posts) for _ in range(round(PERIOD / TICK))]
    return [entry for entry in news if entry is not None]


def test_nothing_is_told_before_a_post_was_touched() -> None:
    record = MapRecord(RADIUS, TICK)
    assert second(record, TouchedPosts(FIELD, 0.02)) == []
    assert record.events.pop() == ()


def told(record: MapRecord) -> list[str]:
    return list(map(text_of, record.events.pop()))


def test_a_map_comes_once_a_second_and_an_event_with_every_5_mm() -> None:
    record, posts = MapRecord(RADIUS, TICK), believed({2: 0.004, 3: -0.003})
    (first,) = second(record, posts)
    assert [post.kind for post in first.posts] == ["mapped"] * 2 + ["touched"] * 2 + ["mapped"] * 2
    assert record.events.pop() == (), "a good run stays below 5 mm"
    second(record, believed({2: 0.023, 3: 0.001}))
    assert told(record) == ["map corrected by 23 mm, post 2"]
    second(record, believed({2: 0.026, 3: 0.001}))
    assert record.events.pop() == ()
    second(record, believed({2: 0.023, 3: 0.029}))
    assert told(record) == ["map corrected by 29 mm, post 3"]
    record.reset()
    second(record, posts)
    assert record.events.pop() == ()


def test_a_number_without_a_post_is_on_no_map() -> None:
    radius, posts = RADIUS.copy(), believed({0: 0.001, 1: 0.001})
    radius[[2, 4]] = 0.0
    record = MapRecord(radius, TICK)
    record.add(complex(0.5, 0.7), 0.01, posts)
    (first, *_) = second(record, posts)
    assert [post.number for post in first.posts] == [0, 1, 3, 5, 6]
    assert first.posts[-1].radius == 0.05, "an unexpected post is as wide as the others"
    assert first.missing == ()


def test_missing_and_unexpected_posts_are_told_at_once() -> None:
    record, posts = MapRecord(RADIUS, TICK), believed({0: 0.001, 1: 0.001})
    record.miss([3])
    news = record.update(posts)
    assert news is not None and news.missing == (3,)
    assert [post.number for post in news.posts] == [0, 1, 2, 4, 5]
    record.add(0.45 + 0.3j, 0.01, posts)
    news = record.update(posts)
    assert news is not None
    *_, strange = news.posts
    assert (strange.number, strange.kind, strange.radius) == (6, "unexpected", 0.05)
    assert record.update(posts) is None


def test_a_post_that_would_stand_in_another_is_that_one_unless_it_is_missing() -> None:
    record, posts = MapRecord(RADIUS, TICK), believed({0: 0.001})
    record.add(0.62 + 0.02j, 0.01, posts)
    assert record.update(posts) is None
    record.miss([2])
    record.update(posts)
    record.add(0.62 + 0.02j, 0.01, posts)
    record.add(0.63 + 0.02j, 0.01, posts)
    news = record.update(posts)
    assert news is not None and sum(post.kind == "unexpected" for post in news.posts) == 1


def test_a_missing_post_that_is_touched_after_all_stands() -> None:
    record = MapRecord(RADIUS, TICK)
    record.miss([2])
    (first, *_) = second(record, believed({0: 0.0}))
    assert first.missing == (2,)
    (last,) = second(record, believed({0: 0.0, 2: 0.03}))
    assert last.missing == ()


def test_a_touched_post_that_is_searched_in_vain_later_is_told_once() -> None:
    """Its search goes on for as long as the body lies there: not a map in every tick."""
    record, posts = MapRecord(RADIUS, TICK), believed({2: 0.001})
    told = []
    for _ in range(10):
        record.miss([2])
        told.append(record.update(posts))
    assert told[0] is not None and told[0].missing == ()
    assert told[1:] == [None] * 9


def test_the_planner_reads_the_map(tmp_path: Path) -> None:
    record, posts = MapRecord(RADIUS, TICK), believed({1: 0.01, 4: -0.02})
    record.miss([3])
    record.add(0.45 + 0.4j, 0.01, posts)
    news = record.update(posts)
    assert news is not None
    file = tmp_path / "map.yaml"
    file.write_text(map_text(corrected_post_map(news)))
    read = load_map(file)
    assert [post.id for post in read.posts] == [0, 1, 2, 4, 5, "unexpected 6"]
    assert read.posts[1].y == pytest.approx(0.01) and read.posts[3].y == pytest.approx(-0.02)
    assert all(post.std is not None and post.std >= SYSTEMATIC for post in read.posts)
    assert read.posts[2].std == pytest.approx(np.hypot(0.02, SYSTEMATIC), rel=1e-3)
