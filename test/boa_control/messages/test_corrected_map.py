# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The corrected map as markers: everything comes back, for any set of posts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.messages.cdr import MessageError, deserialize, message, serialize, stamp_of
from boa_control.messages.corrected_map import CorrectedMapCodec
from boa_control.messages.markers import DELETE_ALL, marker
from boa_control.messages.topics import CORRECTED_MAP, STAMP_IN_LIST
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_description.frames import WORLD

STAMP = 12_345_678_901
places = st.floats(-10, 10, allow_subnormal=False)


@st.composite
def maps(draw: st.DrawFn) -> CorrectedMap:
    numbers = draw(st.lists(st.integers(0, 999), unique=True, max_size=6))
    missing = draw(st.integers(0, len(numbers)))
    posts = tuple(
        CorrectedPost(
            number,
            draw(places),
            draw(places),
            draw(st.floats(0.01, 0.5)),
            draw(st.floats(0, 0.1)),
            draw(st.sampled_from(["mapped", "touched", "unexpected"])),
        )
        for number in numbers[missing:]
    )
    return CorrectedMap(posts, tuple(sorted(numbers[:missing])))


@given(maps())
def test_a_map_comes_back(corrected: CorrectedMap) -> None:
    codec = CorrectedMapCodec()
    raw = codec.encode(STAMP, corrected)
    assert codec.encode(STAMP, corrected) == raw, "the template forgets nothing"
    assert stamp_of(raw, STAMP_IN_LIST) == STAMP
    _, back = CorrectedMapCodec().decode(raw)
    assert back.missing == corrected.missing
    assert len(back.posts) == len(corrected.posts)
    for post, other in zip(back.posts, corrected.posts, strict=True):
        assert (post.number, post.kind) == (other.number, other.kind)
        assert post[1:5] == pytest.approx(other[1:5], abs=1e-12)


def test_viewers_see_pillars_with_discs_instead_of_those_before() -> None:
    corrected = CorrectedMap((CorrectedPost(4, 1.0, 2.0, 0.05, 0.003, "touched"),), (7,))
    content = deserialize(CorrectedMapCodec().encode(STAMP, corrected), CORRECTED_MAP.msgtype)
    first, pillar, disc, gone = content.markers
    assert first.action == DELETE_ALL
    assert (pillar.ns, pillar.id, pillar.pose.position.x) == ("touched", 4, 1.0)
    assert pillar.scale.x == pytest.approx(0.1) and pillar.scale.z > 0.1
    assert disc.scale.x == pytest.approx(0.112) and disc.scale.z < 0.01
    assert (gone.ns, gone.id, gone.scale.x) == ("missing", 7, 0.0)
    assert all(entry.header.frame_id == WORLD for entry in (pillar, disc, gone))


def test_other_markers_are_refused() -> None:
    first = marker(STAMP, WORLD, "missing", action=DELETE_ALL)
    strange = marker(STAMP, WORLD, "obstacles", 3)
    with pytest.raises(MessageError, match="namespace 'obstacles' is unknown"):
        CorrectedMapCodec().decode(
            serialize(message(CORRECTED_MAP.msgtype, markers=[first, strange]))
        )
    lonely = marker(STAMP, WORLD, "touched", 3)
    with pytest.raises(MessageError, match="post 3 has no deviation"):
        CorrectedMapCodec().decode(
            serialize(message(CORRECTED_MAP.msgtype, markers=[first, lonely]))
        )


@pytest.mark.parametrize(
    ("x", "radius", "message"),
    [
        (float("nan"), 0.05, "post 4 has a place or a size that is no number"),
        (float("inf"), 0.05, "post 4 has a place or a size that is no number"),
        (1.0, 0.0, "post 4 is 0 m x 0 m; give diameters above 0"),
    ],
)
def test_a_post_that_stands_nowhere_is_refused(x: float, radius: float, message: str) -> None:
    nowhere = CorrectedMap((CorrectedPost(4, x, 2.0, radius, 0.003, "unexpected"),))
    with pytest.raises(MessageError, match=message):
        CorrectedMapCodec().decode(CorrectedMapCodec().encode(STAMP, nowhere))
