# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sets of scenarios: every combination, merging, clear errors, and that only `boa run` takes
them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers import checked_parameters
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import (
    is_set,
    load_members,
    load_scenario,
    scenario_names,
    set_names,
)
from boa_control.experiments.scenario import Scenario
from boa_control.experiments.scenario_set import merged
from boa_control.paths.goals import Course
from boa_description.errors import BoaError
from boa_description.link_frames import centre_on_floor, start_pose

SMALL = """
name: small
summary: "Two speeds and two floors"
set:
  base: {base}
  change: {{duration: 5, distance: null}}
  vary:
    speed:
      slow: {{controller: {{parameters: {{speed: 0.05}}}}}}
      fast: {{controller: {{parameters: {{speed: 0.2}}}}}}
    floor:
      smooth:
      rough: {{scene: {{ground: {{model: coulomb, mu: 0.1}}}}}}
"""


def write(folder: Path, text: str) -> str:
    file = folder / "set.yaml"
    file.write_text(text)
    return str(file)


def test_every_combination_is_a_member(tmp_path: Path) -> None:
    chosen, members = load_members(write(tmp_path, SMALL.format(base="boa_circle")))
    assert [member.folder for member in members] == [
        "slow-smooth",
        "slow-rough",
        "fast-smooth",
        "fast-rough",
    ]
    base = load_scenario("boa_circle")
    for member in members:
        scenario = member.scenario
        assert scenario.name == f"small-{member.folder}" and chosen.summary in scenario.summary
        assert (scenario.duration, scenario.distance, scenario.path) == (5, None, base.path)
        speed = 0.05 if member.labels[0] == "slow" else 0.2
        assert scenario.controller.parameters == base.controller.parameters | {"speed": speed}
        assert scenario.scene.ground.mu == (0.1 if member.labels[1] == "rough" else 0.0)
        assert scenario.scene.contact == base.scene.contact


def test_the_base_may_be_a_file_beside_the_set(tmp_path: Path) -> None:
    from boa_tools.runs.results import scenario_text

    (tmp_path / "mine.yaml").write_text(scenario_text(load_scenario("boa_straight")))
    _, members = load_members(write(tmp_path, SMALL.format(base="mine.yaml")))
    assert members[0].scenario.path == load_scenario("boa_straight").path


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("base: boa_circle", "base: boa_square", "unknown scenario 'boa_square'"),
        (
            "speed: 0.2}}",
            "speed: 0.2}, nmae: x}",
            "member fast-smooth: unknown key 'controller.nmae'",
        ),
        ("mu: 0.1", "mu: 5", "member slow-rough: scene.ground.mu"),
        ("{duration: 5, distance: null}", "{duration: -5}", "duration"),
        ("{duration: 5, distance: null}", "{name: other}", "change: 'name' cannot be changed"),
        ("  vary:", "  varry:", "unknown key 'set.varry'; did you mean 'vary'?"),
        ("      rough:", "      no/good:", "variant 'no/good' of axis 'floor' names a folder"),
    ],
)
def test_wrong_sets_are_explained(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    text = SMALL.format(base="boa_circle")
    assert old in text
    with pytest.raises(BoaError, match=complaint.replace("(", r"\(")):
        load_members(write(tmp_path, text.replace(old, new)))


def test_an_axis_without_variants_is_explained(tmp_path: Path) -> None:
    text = "name: a\nsummary: b\nset: {base: boa_circle, vary: {speed: {}}}\n"
    with pytest.raises(BoaError, match="axis 'speed' needs at least one named variant"):
        load_members(write(tmp_path, text))


@pytest.mark.parametrize("name", set_names())
def test_shipped_sets_are_valid_to_the_last_parameter(name: str) -> None:
    assert is_set(name) and name not in scenario_names()
    for member in load_members(name)[1]:
        checked_parameters(member.scenario.controller.name, member.scenario.controller.parameters)


def test_compare_controllers_has_five_laws_on_two_maps() -> None:
    _, members = load_members("compare_controllers")
    laws = {member.scenario.controller.name for member in members}
    assert laws == {"hoal", "path_feedforward", "path_kinematic", "path_thesis", "path_pd"}
    assert len(members) == 10
    offsets = {member.labels[1]: member.scenario.disturbance.obstacle_offset for member in members}
    assert offsets == {"exact": 0.0, "5mm_off": 0.005}


def test_a_set_is_not_a_scenario() -> None:
    with pytest.raises(
        BoaError, match="compare_controllers is a set of scenarios, not a single one"
    ):
        load_scenario("compare_controllers")
    assert not is_set("boa_circle")


def test_a_map_is_not_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "field.yaml"
    file.write_text("posts: [{x: 0, y: 0, radius: 0.05}]", encoding="utf-8")
    with pytest.raises(BoaError, match=f"boa plan path {file} --from"):
        load_scenario(str(file))


def test_another_thing_replaces_a_part_is_merged() -> None:
    old = {"controller": {"name": "hoal", "parameters": {"speed": 1, "force": 2}}, "sides": [1, 2]}
    assert merged(old, {"controller": {"parameters": {"speed": 3}}})["controller"] == {
        "name": "hoal",
        "parameters": {"speed": 3, "force": 2},
    }
    assert merged(old, {"controller": {"name": "constant"}})["controller"] == {"name": "constant"}
    assert merged(old, {"sides": [3]})["sides"] == [3]
    assert old["controller"] == {"name": "hoal", "parameters": {"speed": 1, "force": 2}}


TREES = st.recursive(
    st.integers() | st.none(),
    lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)
MAPPINGS = st.dictionaries(st.sampled_from("abcd"), TREES, max_size=4)


@given(MAPPINGS, MAPPINGS)
def test_merging_twice_changes_nothing_more(old: dict, new: dict) -> None:
    once = merged(old, new)
    assert merged(once, new) == once
    assert merged(old, {}) == old
    assert set(once) == set(old) | set(new)


MORE = """  also:
    fast-rough: {duration: 7}
  refused: [slow-rough]
  about: {speed: {slow: at a walk}}
  show: [advance_m]
"""


def test_one_combination_may_have_more_changes(tmp_path: Path) -> None:
    _, members = load_members(write(tmp_path, SMALL.format(base="boa_circle") + MORE))
    assert [member.scenario.duration for member in members] == [5, 5, 5, 7]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("fast-rough:", "rough-fast:", "also names 'rough-fast', which is no combination"),
        ("[slow-rough]", "[slow]", "refused names 'slow', which is no combination"),
        ("{slow: at", "{slowly: at", "about: axis 'speed' has no variant 'slowly'"),
    ],
)
def test_unknown_labels_are_explained(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    text = SMALL.format(base="boa_circle") + MORE
    assert old in text
    with pytest.raises(BoaError, match=complaint):
        load_members(write(tmp_path, text.replace(old, new)))


def test_a_field_may_be_another_one_with_every_seed(tmp_path: Path) -> None:
    field = "{{kind: random, seed: $seed, density: 5, least_distance: 0.3, region: [2, 4, 0, 2]}}"
    text = SMALL.replace("duration: 5,", f"duration: 5, scene: {{{{fields: [{field}]}}}},")
    file = write(tmp_path, text.format(base="boa_circle"))
    for seed in (0, 7):
        for member in load_members(file, seed)[1]:
            assert [one.seed for one in member.scenario.scene.fields] == [seed]


def test_a_set_of_another_set_takes_its_members_in_turn(tmp_path: Path) -> None:
    (tmp_path / "floors.yaml").write_text(SMALL.format(base="boa_circle"))
    text = SMALL.replace("name: small", "name: times").format(base="./floors.yaml")
    text = text[: text.index("  vary:")] + "  vary: {time: {short: {duration: 3}, long: }}\n"
    standing = [member.scenario for member in load_members(str(tmp_path / "floors.yaml"))[1]]
    for seed in range(6):
        short, long = (member.scenario for member in load_members(write(tmp_path, text), seed)[1])
        assert (short.duration, long.duration) == (3, 5)
        assert long.controller == standing[seed % 4].controller
        assert long.scene == standing[seed % 4].scene


def test_a_goal_beside_a_path_leaves_of_it_the_posts_and_the_start() -> None:
    base = load_scenario("boa_random_field")
    goal = {"kind": "line", "start": None}
    data = base.model_dump(mode="json", exclude_unset=True) | {"goal": goal, "distance": None}
    planned, free = prepare(base), prepare(Scenario.model_validate(data))
    assert free.path is None
    assert free.start_progress is None
    assert free.obstacles == planned.obstacles
    assert free.start_base == pytest.approx(planned.start_base)
    assert free.start_joints == pytest.approx(planned.start_joints)
    assert isinstance(free.goal, Course)
    pose = start_pose(free.robot, free.start_base)
    centre = centre_on_floor(free.robot, pose, free.start_joints)
    assert free.goal.guide.points[0] == pytest.approx(centre)
    with pytest.raises(ValueError, match="distance is along a path"):
        Scenario.model_validate(data | {"distance": 1.0})


@pytest.mark.parametrize("seed", [0, 7])
def test_compare_locomotion_is_fair(seed: int) -> None:
    """On each ground all methods have the same robot, duration, sensors, floor, posts and start,
    and every seed another field; grounds with posts differ from the first in one thing.
    """
    chosen, members = load_members("compare_locomotion", seed)
    one_thing = {"friction": {"scene", "disturbance"}, "gearboxes": {"plant"}}
    first_ground = members[0]
    for ground in chosen.set.vary["ground"]:
        here = [member for member in members if member.labels[0] == ground]
        first, *others = [prepare(member.scenario) for member in here]
        for other in others:
            assert other.robot == first.robot
            for key in ("duration", "evaluation", "disturbance", "scene"):
                assert getattr(other.scenario, key) == getattr(first.scenario, key), key
            assert other.scenario.plant.effects == first.scenario.plant.effects
            assert other.scenario.plant.control_rate == first.scenario.plant.control_rate
            assert other.obstacles == first.obstacles
            assert other.start_base == pytest.approx(first.start_base)
            assert other.start_joints == pytest.approx(first.start_joints)
        for key in {"path", "scene", "plant", "disturbance"} - one_thing.get(ground, set()):
            if ground != "no_posts":
                same = getattr(first_ground.scenario, key)
                assert getattr(here[0].scenario, key) == same, (ground, key)


def test_compare_locomotion_has_ten_fields() -> None:
    paths = [member.scenario.path for member in load_members("judging_fields")[1]]
    assert len(paths) == 10
    assert all(one != other for k, one in enumerate(paths) for other in paths[:k])
