# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Maps from a tape: places, their stated deviations, blunders."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from boa_control.planning.post_map import load_map
from boa_description.errors import BoaError
from boa_tools.cli import main
from boa_tools.survey.network import Distance, adjusted, laid_out, on_baseline
from boa_tools.survey.tape import Survey, survey_map

TRUE = np.array([[0, 0], [3.0, 0], [0.6, 0.5], [1.3, 0.8], [2.1, 0.4], [2.6, 1.1], [0.9, -0.7]])
NAMES = ["A", "B", "P1", "P2", "P3", "P4", "P5"]
SURVEY = Survey(("A", "B"), frozenset("AB"), frozenset({"P5"}), 0.05, 0.002, surfaces=False)


def readings(noise=0.0, seed=0, pairs=None):
    """All distances, or those of `pairs`, read with an error."""
    random = np.random.default_rng(seed)
    return [
        Distance(one, other, math.dist(TRUE[one], TRUE[other]) + noise * random.normal())
        for one, other in pairs or itertools.combinations(range(len(TRUE)), 2)
    ]


def written(tmp_path, distances, radii=0.0):
    file = tmp_path / "tape.csv"
    rows = [f"{NAMES[a]}, {NAMES[b]}, {length - radii:.6f}" for a, b, length in distances]
    file.write_text("from,to,distance\n" + "\n".join(rows) + "\n")
    return file


def test_exact_distances_give_the_places_back():
    start = laid_out(readings(), len(TRUE), frozenset({6}))
    assert on_baseline(adjusted(readings(), start, 0.002).places) == pytest.approx(TRUE, abs=1e-6)


def test_stated_deviations_are_those_of_the_errors():
    """The covariance of a free network, against 400 repetitions of the survey (rms, +-10 %)."""
    start = laid_out(readings(), len(TRUE), frozenset({6}))
    stated = adjusted(readings(), start, 0.002).std
    centred = TRUE - TRUE.mean(axis=0)
    errors = []
    for seed in range(400):
        places = adjusted(readings(0.002, seed), start, 0.002).places
        places = places - places.mean(axis=0)
        u, _, v = np.linalg.svd(places.T @ centred)  # the nearest rigid motion (Kabsch)
        errors.append(places @ u @ v - centred)
    covariance = np.einsum("sni,snj->nij", errors, errors) / len(errors)
    seen = np.sqrt(np.linalg.eigvalsh(covariance)[:, -1])
    assert seen == pytest.approx(stated, rel=0.15)
    assert np.mean(seen / stated) == pytest.approx(1.0, abs=0.05)


def test_false_alarms_are_rare():
    start = laid_out(readings(), len(TRUE), frozenset({6}))
    alarms = sum(
        adjusted(readings(0.002, seed), start, 0.002).suspect is not None for seed in range(200)
    )
    assert alarms <= 12  # 21 distances, 0.1 % each: 4 of 200 are expected


@pytest.mark.parametrize("wrong", range(21))
def test_a_blunder_is_named(tmp_path, wrong):
    distances = readings(0.001, seed=3)
    one, other, length = distances[wrong]
    distances[wrong] = Distance(one, other, length + 0.03)
    with pytest.raises(BoaError, match=rf"{NAMES[one]} to {NAMES[other]}, .* too long"):
        survey_map(written(tmp_path, distances), SURVEY)


def test_surfaces_are_a_radius_from_the_centres(tmp_path):
    pairs = list(itertools.combinations(range(2, 7), 2))
    file = written(tmp_path, readings(pairs=pairs), radii=0.1)
    survey = Survey(("P1", "P4"), frozenset(), frozenset({"P5"}), 0.05, 0.002, surfaces=True)
    posts = survey_map(file, survey).map.posts
    at = {post.id: (post.x, post.y) for post in posts}
    for one, other in pairs:
        apart = math.dist(at[NAMES[one]], at[NAMES[other]])
        assert apart == pytest.approx(math.dist(TRUE[one], TRUE[other]), abs=1e-4)


def test_a_post_with_two_distances_is_said_to_be_unchecked(tmp_path):
    pairs = [*itertools.combinations(range(6), 2), (0, 6), (1, 6)]
    surveyed = survey_map(written(tmp_path, readings(pairs=pairs)), SURVEY)
    assert surveyed.unchecked == ("P5",)
    assert surveyed.map.posts[-1].y == pytest.approx(-0.7, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "first line must be from,to,distance"),
        ("from,to,distance\nA,B,x\n", "line 2: 'x' is no number"),
        ("from,to,distance\nA,B,-1\n", "line 2: -1 m is no distance"),
        ("from,to,distance\nA,A,1\n", "A has no distance to itself"),
        ("from,to,distance\nA,B\n", "line 2: two names and a distance"),
        ("from,to,distance\n", "no distances"),
        ("from,to,distance\nA,P1,1\nB,P1,1\nP5,A,1\n", "measure the baseline from A to B"),
        ("from,to,distance\nA,B,2\nA,P5,1\n", "P5 needs two distances"),
        ("from,to,distance\nA,P1,2\nA,P5,1\n", "no distance names B"),
    ],
)
def test_wrong_files_are_one_line(tmp_path, text, message):
    file = tmp_path / "tape.csv"
    file.write_text(text)
    with pytest.raises(BoaError, match=message):
        survey_map(file, SURVEY)


def test_the_command_writes_a_map_that_the_planner_reads(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, readings(0.001, seed=1))
    command = ["map", "measure", str(file), "--baseline", "A,B", "--marks", "A,B"]
    assert main([*command, "--right", "P5", "--radius", "0.05"]) == 0
    assert "5 posts    map.yaml" in capsys.readouterr().out
    posts = load_map(tmp_path / "map.yaml").posts
    assert [post.id for post in posts] == NAMES[2:]
    assert [(post.x, post.y) for post in posts] == pytest.approx(TRUE[2:], abs=0.004)
    assert all(0.0003 < post.std < 0.004 for post in posts)
    assert main([*command, "--radius", "0.05"]) == 2  # the map exists
