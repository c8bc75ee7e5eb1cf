# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chain on a path that waves as wide as posts leave room."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.weaving.waving_path import (
    STEEPEST,
    STEP,
    WavingPath,
    amplitudes,
    places,
)
from boa_control.paths.named import segment_curve
from boa_control.paths.settings import SegmentPath
from boa_description.placement import place_on_curve
from boa_description.scene import Box, Circle

LINKS, PITCH, RADIUS = 13, 0.13, 0.04
LEAST, MOST = 0.03, 0.12
BENT = SegmentPath(
    kind="segments",
    start=(0.0, 0.0),
    heading=0.0,
    segments=((1.0, 0.0), (0.5, 2.0), (0.5, -2.0), (2.0, 0.0)),
)
CURVE = segment_curve(BENT)


def waving(wide: float) -> WavingPath:
    return WavingPath(CURVE, LINKS, PITCH, np.full(places(CURVE).size, wide), wavelength=1.17)


@pytest.mark.parametrize("phase", [0.0, 1.0, 4.0])
def test_all_links_of_the_waving_chain_are_as_long_as_they_are(phase):
    """The path has a point every 4 mm; chords of its bends, 1/0.2 m, are short of them by 1e-5."""
    axes = waving(MOST).lay(1.8, phase, 1.0).axes
    assert np.hypot(*np.diff(axes, axis=0).T) == pytest.approx(np.full(LINKS, PITCH), abs=2e-5)


def test_without_a_wave_the_chain_lies_as_any_other_on_the_path():
    _, joints = place_on_curve(CURVE, LINKS, PITCH, anchor_s=1.8, anchor_joint=LINKS // 2)
    laid = waving(MOST).lay(1.8, 2.0, 0.0)
    assert np.diff(laid.headings) == pytest.approx(joints, abs=1e-3)


def test_the_wave_runs_from_head_to_tail_about_the_path():
    """A quarter of the wave later its crest is a quarter of its length nearer to the tail."""
    straight = segment_curve(BENT.model_copy(update={"segments": ((4.0, 0.0),)}))
    path = WavingPath(straight, LINKS, PITCH, np.full(places(straight).size, 0.01), 1.0)
    now, later = (path.lay(2.0, phase, 1.0).axes for phase in (0.0, np.pi / 2))
    at = np.linspace(1.6, 2.4, 50)
    y = np.interp(at, *now.T)
    assert np.abs(y).max() == pytest.approx(0.01, rel=0.1)
    assert np.interp(at - 0.25, *later.T) == pytest.approx(y, abs=1e-3)


def test_the_wave_is_as_wide_as_posts_leave_room():
    gate = [Circle(x=0.5, y=y, radius=0.05) for y in (-0.1, 0.1)]
    wide = amplitudes(CURVE, RADIUS, gate, LEAST, MOST)
    s = places(CURVE)
    assert wide[np.argmin(np.abs(s - 0.5))] == LEAST
    assert wide[s > 0.9].min() == MOST
    assert np.abs(np.diff(wide)).max() <= STEEPEST * STEP * (1 + 1e-9)


def test_blocks_leave_as_much_room_as_posts():
    wall = Box(x=0.5, y=0.6, length=3.0, width=1.0)
    wide = amplitudes(CURVE, RADIUS, [wall], LEAST, MOST)
    near = np.argmin(np.abs(places(CURVE) - 0.5))
    assert wide[near] == pytest.approx(0.1 - RADIUS)
