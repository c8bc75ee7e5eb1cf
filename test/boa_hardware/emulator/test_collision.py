# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a host receives when servos speak at once."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_hardware.emulator import collision
from boa_hardware.emulator.collision import superpose

NOBODY_LATE = random.Random(0)


@pytest.fixture
def aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collision, "JITTER", 0.0)


@given(st.binary(min_size=1, max_size=30), st.integers(2, 5))
def test_equal_frames_that_are_aligned_arrive_as_one(frame: bytes, count: int) -> None:
    """At 9600 bit/s a bit lasts 104 us: 5 us of jitter do not matter."""
    assert superpose([frame] * count, random.Random(1), 9_600) == frame


@pytest.mark.usefixtures("aligned")
def test_a_zero_wins() -> None:
    assert superpose([b"\xf0\x3c", b"\xcc\x5a"], NOBODY_LATE, 3_000_000) == b"\xc0\x18"


@pytest.mark.usefixtures("aligned")
def test_a_longer_frame_ends_alone() -> None:
    assert superpose([b"\xff", b"\xff\x12\x34"], NOBODY_LATE, 3_000_000) == b"\xff\x12\x34"


def test_one_frame_arrives_as_it_is() -> None:
    assert superpose([b"\x01\x02"], NOBODY_LATE, 3_000_000) == b"\x01\x02"


def test_the_same_seed_gives_the_same_bytes() -> None:
    frames = [bytes(range(20)), bytes(range(20))]
    first, again, other = (superpose(frames, random.Random(s), 3_000_000) for s in (1, 1, 2))
    assert first == again != other
