# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes that a launch file starts, from its arguments alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from boa_control.interface import COMPOSED_NODES, NODE_PARAMETERS, PUBLISH_TF
from boa_description.errors import BoaError
from boa_tools.bringup.child import command
from boa_tools.bringup.description import NodeSpec, share
from boa_tools.bringup.hoal import HOAL
from boa_tools.bringup.runner import LAUNCH_FILES, find_launch_file

SCENARIO = "thesis_5_2_3"


def started(**given: str) -> dict[str, NodeSpec]:
    """Processes by name: what both worlds allow, with a process for every node unless asked."""
    usual = {"scenario": SCENARIO, "control_rate": "200", "use_composition": "false"}
    values = HOAL.resolve(usual | given)
    specs = HOAL.nodes(values)
    HOAL.check(values)
    return {spec.name: spec for spec in specs}


@pytest.mark.parametrize("sim", ["true", "false"])
@pytest.mark.parametrize("record", ["true", "false"])
def test_nodes_get_parameters_that_they_have(sim: str, record: str) -> None:
    nodes = started(sim=sim, record=record)
    assert set(nodes) == {"plant", "controller"} | ({"recorder"} if record == "true" else set())
    for spec in nodes.values():
        table = {parameter.name: parameter for parameter in NODE_PARAMETERS[spec.executable]}
        for name, value in spec.parameters.items():
            if name != "use_sim_time":  # every ROS node has that one
                assert type(value) is type(table[name].default), (spec.name, name)


def composed(spec: NodeSpec) -> bool:
    return spec.executable == "sim_with_controller"


@pytest.mark.parametrize(
    ("given", "together"),
    [
        ({}, True),
        ({"speed": "max"}, True),
        ({"use_composition": "false"}, False),
        ({"use_composition": "True"}, True),
        ({"controller": "none"}, False),
        ({"sim": "false"}, False),
        ({"lockstep": "false"}, False),
    ],
)
def test_in_lockstep_plant_and_controller_share_a_process(given, together) -> None:
    assert composed(started(**{"use_composition": "auto"} | given)["plant"]) is together


def test_in_one_process_nodes_are_what_they_are_in_their_own() -> None:
    alone = started(speed="max", namespace="left")
    nodes = started(speed="max", namespace="left", use_composition="auto")
    assert list(nodes) == ["plant", "recorder"] and nodes["recorder"] == alone["recorder"]
    both = nodes["plant"]
    assert both.title == "plant+controller" and both.beside == (alone["controller"],)
    for ours, own in zip(both.nodes, (alone["plant"], alone["controller"]), strict=True):
        assert ours.parameters == own.parameters
        assert (ours.namespace, ours.remappings) == (own.namespace, own.remappings)
    assert both.parameter_files == alone["plant"].parameter_files
    assert COMPOSED_NODES[both.executable] == {
        name: alone[name].executable for name in ("plant", "controller")
    }


@pytest.mark.parametrize("obstacle", ["sim:=false", "lockstep:=false", "controller:=none"])
def test_what_cannot_share_a_process_is_refused(obstacle: str) -> None:
    name, _, value = obstacle.partition(":=")
    with pytest.raises(BoaError, match=f"use_composition is true, which {obstacle} does not allow"):
        started(use_composition="true", **{name: value})


def test_simulation_and_robot_differ_in_the_plant_only() -> None:
    simulated, real = started(sim="true", out="results/x"), started(sim="false", out="results/x")
    assert (simulated["plant"].executable, real["plant"].executable) == ("sim", "hardware")
    assert simulated["controller"] == real["controller"]
    recorder = dict(simulated["recorder"].parameters), dict(real["recorder"].parameters)
    assert {key for key in recorder[0] if recorder[0][key] != recorder[1][key]} == {"simulated"}
    assert list(simulated) == list(real) == ["plant", "controller", "recorder"], (
        "the plant is stopped first"
    )


def test_a_planned_robot_stands_until_it_has_a_path(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("posts.yaml").write_text("posts: [{x: 1.0, y: 0.0, radius: 0.05}]")
    field = {"scenario": "boa_random_field", "planner": "true"}
    nodes = started(**field, follow="true", map="posts.yaml")
    planner, controller = nodes["planner"], nodes["controller"]
    assert controller.parameters["speed"] == 0.0
    assert nodes["plant"].parameters["duration"] == 0.0, "goals may come for ever"
    assert not planner.required
    assert planner.parameters["map"] == str(Path("posts.yaml").absolute())
    table = {parameter.name: parameter for parameter in NODE_PARAMETERS["planner"]}
    for name, value in planner.parameters.items():
        assert name == "use_sim_time" or type(value) is type(table[name].default), name
    assert started(**field, duration="7")["plant"].parameters["duration"] == 7.0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"map": "posts.yaml"}, "map means nothing without planner:=true"),
        ({"follow": "true"}, "follow means nothing without planner:=true"),
        ({"planner": "true", "controller": "none"}, "planner:=true needs the controller"),
        ({"planner": "true", "map": "nowhere.yaml"}, "map 'nowhere.yaml' does not exist"),
        (
            {"planner": "true", "scenario": "boa_blind_field"},
            "planner goes on from a path of kind segments; make one",
        ),
    ],
)
def test_what_the_planner_alone_uses_or_cannot_use_is_refused(given, words) -> None:
    with pytest.raises(BoaError, match=words):
        started(**given)


def test_a_web_view_nowhere_is_refused_before_the_start() -> None:
    with pytest.raises(BoaError, match="launch argument listen: 'nonsense' is not HOST:PORT"):
        started(viewer="web", listen="nonsense")


def test_the_web_view_shows_what_the_plant_says_and_ends_nothing() -> None:
    view = started(viewer="web", listen="localhost:1234")["view"]
    assert not view.required
    assert view.parameters["listen"] == "localhost:1234"
    assert "scenario" not in view.parameters
    table = {parameter.name: parameter for parameter in NODE_PARAMETERS["view"]}
    for name, value in view.parameters.items():
        assert name == "use_sim_time" or type(value) is type(table[name].default), name


def test_the_robot_is_not_armed_by_itself() -> None:
    assert started(sim="true")["plant"].parameters["arm"] is True
    assert started(sim="false")["plant"].parameters["arm"] is False
    assert started(sim="false", arm="true")["plant"].parameters["arm"] is True
    assert started(sim="true", arm="false")["plant"].parameters["arm"] is False


def test_arguments_reach_the_nodes() -> None:
    nodes = started(speed="max", seed="7", duration="2.5", video="true", out="elsewhere/run")
    plant = nodes["plant"].parameters
    assert (plant["speed"], plant["seed"], plant["duration"], plant["lockstep"]) == (
        0.0,
        7,
        2.5,
        True,
    )
    recorder = nodes["recorder"].parameters
    assert (recorder["seed"], recorder["duration"], recorder["video"]) == (7, 2.5, True)
    assert recorder["out"] == str(Path("elsewhere/run").absolute())
    assert started()["plant"].parameters["duration"] == -1.0
    rates = {
        name: spec.parameters["control_rate"] for name, spec in started(control_rate="100").items()
    }
    assert rates == {"plant": 100.0, "controller": 100.0, "recorder": 100.0}
    assert started(control_rate="scenario")["controller"].parameters["control_rate"] == -1.0
    robot = started(sim="false", serial_port="/dev/ttyUSB7", can_channel="slcan:/dev/ttyACM1")[
        "plant"
    ].parameters
    assert (robot["serial_port"], robot["can"]) == ("/dev/ttyUSB7", "slcan:/dev/ttyACM1")


def test_somebody_elses_controller_takes_the_place_of_ours() -> None:
    nodes = started(controller="none")
    assert set(nodes) == {"plant", "recorder"}
    assert nodes["plant"] == started()["plant"]
    assert nodes["recorder"] == started()["recorder"]


def test_a_recorder_does_not_wait_for_a_controller_that_need_not_come() -> None:
    alone = {"controller": "none", "arm": "false", "lockstep": "false"}
    assert started(**alone)["recorder"].parameters["wait_for_controller"] is False
    for change in ({"controller": "scenario"}, {"arm": "true"}, {"lockstep": "true"}):
        recorder = started(**{**alone, **change})["recorder"]
        assert recorder.parameters["wait_for_controller"] is True
    robot = started(sim="false", controller="none")["recorder"]
    assert robot.parameters["wait_for_controller"] is False, "armed by hand"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"sim": "maybe"}, "launch argument sim is 'maybe'; expected one of: true, false"),
        ({"simm": "true"}, "unknown launch argument 'simm'; did you mean 'sim'"),
        ({"scenario": "boa_cirle"}, "did you mean 'boa_circle'"),
        ({"scenario": "./none.yaml"}, "does not exist"),
        ({"seed": "one"}, "launch argument seed is 'one'; expected a whole number"),
        ({"seed": "-1"}, "launch argument seed is '-1'"),
        (
            {"duration": "long"},
            "launch argument duration is 'long'; expected a number from 0 up, or 'scenario'",
        ),
        ({"duration": "-3"}, "launch argument duration is '-3'"),
        (
            {"control_rate": "fast"},
            "launch argument control_rate is 'fast'; expected a number from 0 up",
        ),
        ({"control_rate": "333"}, "control rate 333 Hz in scenario thesis_5_2_3"),
        ({"control_rate": "0"}, "control rate 0 Hz"),
        ({"control_rate": "scenario", "sim": "false"}, "give the launch control_rate:=200"),
        (
            {"speed": "fast"},
            "launch argument speed is 'fast'; expected a number from 0 up, or 'max'",
        ),
        ({"speed": "inf"}, "launch argument speed is 'inf'"),
        ({"speed": "max", "lockstep": "false"}, "needs lockstep:=true"),
        ({"params_file": "none.yaml"}, "launch argument params_file"),
        (
            {"record": "false", "video": "true"},
            "launch argument video means nothing with record:=false",
        ),
        (
            {"record": "false", "out": "results/x"},
            "launch argument out means nothing with record:=false",
        ),
        ({"namespace": "boa 2"}, "launch argument namespace is 'boa 2'"),
        ({"namespace": "/2"}, "launch argument namespace is '/2'"),
        ({"record": "yes"}, "expected one of: true, false"),
        ({"arm": "now"}, "expected one of: auto, true, false"),
    ],
)
def test_wrong_arguments_are_one_clear_error(
    given: dict[str, str], what: str, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BoaError) as caught:
        started(**given)
    assert what in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_true_is_true_in_capitals_too() -> None:
    assert started(sim="True", record="FALSE") == started(sim="true", record="false")


def test_a_robot_in_a_namespace_shares_nothing() -> None:
    shared, own = started(), started(namespace="boa_2")
    for name, spec in own.items():
        assert (shared[name].namespace, spec.namespace) == ("/boa", "/boa_2")
        assert shared[name].remappings == ()
        assert dict(spec.remappings)["/clock"] == "clock"
        assert spec.parameters == shared[name].parameters


def test_use_sim_time_is_for_those_who_hear_the_clock() -> None:
    nodes = started(use_sim_time="true")
    assert "use_sim_time" not in nodes["plant"].parameters
    assert nodes["controller"].parameters["use_sim_time"] is True
    assert nodes["recorder"].parameters["use_sim_time"] is True


def test_results_never_overwrite(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("precious")
    with pytest.raises(BoaError, match="is not empty"):
        started(out=str(tmp_path))


def test_a_scenario_file_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from boa_control.experiments.library import load_scenario
    from boa_tools.runs.results import scenario_text

    (tmp_path / "mine.yaml").write_text(scenario_text(load_scenario(SCENARIO)))
    monkeypatch.chdir(tmp_path)
    nodes = started(scenario="mine.yaml")
    assert nodes["controller"].parameters["scenario"] == str(tmp_path / "mine.yaml")


def test_shipped_parameter_file_names_real_parameters() -> None:
    content = yaml.safe_load((share() / "config" / "hoal.yaml").read_text())
    names = {f"/**/{spec.name}": spec.executable for spec in started().values()}
    for node, block in content.items():
        known = {parameter.name for parameter in NODE_PARAMETERS[names[node]]}
        assert set(block["ros__parameters"]) <= known


def test_rviz_comes_last_and_its_end_is_not_the_end_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "rviz2"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    *others, rviz = started(rviz="true").values()
    assert all(spec.required and spec.package == "boa_control" for spec in others)
    assert (rviz.package, rviz.executable, rviz.required) == ("rviz2", "rviz2", False)
    assert rviz.parameters == {"use_sim_time": True}
    option, file = rviz.arguments
    assert option == "-d" and Path(file).is_file()
    line = command(rviz, tmp_path / "own.yaml")
    assert line[:4] == ["rviz2", "-d", file, "--ros-args"]


def test_rviz_that_is_not_installed_is_said_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BoaError, match="no rviz2 on the PATH; install"):
        started(rviz="true")


def test_the_share_of_tf_reaches_the_plant() -> None:
    (arg,) = [arg for arg in HOAL.args if arg.name == "publish_tf"]
    assert arg.choices == PUBLISH_TF
    for sim in ("true", "false"):
        assert started(sim=sim, publish_tf="base")["plant"].parameters["publish_tf"] == "base"


def test_every_launch_file_is_there() -> None:
    # view_robot starts RViz and nothing of ours: it is for `ros2 launch` only
    files = {path.name for path in (share() / "launch").glob("*.launch.py")}
    assert files == {*LAUNCH_FILES, "view_robot.launch.py"}
    assert find_launch_file("launch/hoal.launch.py") is HOAL
    with pytest.raises(
        BoaError, match=r"unknown launch file 'hola\.launch\.py'; did you mean 'hoal\.launch\.py'"
    ):
        find_launch_file("hola.launch.py")


def test_every_executable_is_installed_and_starts_the_module_of_its_node() -> None:
    scripts = Path(__file__).resolve().parents[3] / "scripts"
    specs = [started(sim="true"), started(sim="false"), started(use_composition="true")]
    for spec in (spec for nodes in specs for spec in nodes.values()):
        script = scripts / spec.executable
        assert script.stat().st_mode & 0o111, "executable"
        assert f"start {spec.executable} {spec.module} " in script.read_text()
    assert {path.name for path in scripts.iterdir()} == {
        *NODE_PARAMETERS,
        *COMPOSED_NODES,
        "boa",
    }


def test_ros_launch_starts_the_same() -> None:
    launch_ros = pytest.importorskip(
        "launch_ros.actions", reason="ROS's launch system is not installed"
    )
    from launch import LaunchContext
    from launch.actions import DeclareLaunchArgument, OpaqueFunction

    from boa_tools.bringup.launch_description import launch_description

    entities = launch_description(HOAL).entities
    declared = [entity for entity in entities if isinstance(entity, DeclareLaunchArgument)]
    assert [declaration.name for declaration in declared] == [arg.name for arg in HOAL.args]
    assert all(
        d.description.startswith(arg.help) for d, arg in zip(declared, HOAL.args, strict=True)
    )
    for declaration, arg in zip(declared, HOAL.args, strict=True):
        capitals = {"True", "False"} if "true" in arg.choices else set()
        assert set(declaration.choices or ()) == {*arg.choices, *capitals}

    context = LaunchContext()
    for entity in declared:
        entity.execute(context)
    given = {"scenario": SCENARIO, "control_rate": "200", "out": "results/x", "seed": "3"}
    given["use_composition"] = "false"
    context.launch_configurations.update(given)
    (start,) = [entity for entity in entities if isinstance(entity, OpaqueFunction)]
    actions = start.execute(context)
    assert all(isinstance(action, launch_ros.Node) for action in actions)
    expected = started(out="results/x", seed="3")
    assert len(actions) == len(expected)
    for action, spec in zip(actions, expected.values(), strict=True):
        action._perform_substitutions(context)
        assert action.node_name == f"{spec.namespace}/{spec.name}"
        assert action.node_executable == spec.executable and action.node_package == "boa_control"
        *files, own = [
            Path(item) for item, is_file in action._Node__expanded_parameter_arguments if is_file
        ]
        assert tuple(files) == spec.parameter_files
        # the parameters are written for this very node, so that they win over the files before them
        assert yaml.safe_load(own.read_text()) == {
            f"{spec.namespace}/{spec.name}": {"ros__parameters": dict(spec.parameters)}
        }


def test_a_frame_prefix_reaches_all_nodes_and_shares_the_tree_of_frames() -> None:
    alone, shared = started(namespace="left"), started(namespace="left", frame_prefix="left/")
    for name in ("plant", "controller", "recorder"):
        assert alone[name].parameters["frame_prefix"] == ""
        assert shared[name].parameters["frame_prefix"] == "left/"
        assert ("/tf", "tf") in alone[name].remappings
        assert shared[name].remappings == (("/clock", "clock"), ("/diagnostics", "diagnostics"))
    with pytest.raises(BoaError, match="frame_prefix is '/left'; expected a letter first"):
        started(frame_prefix="/left")
