# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""hoal.launch.py: plant, controller and recorder, for the simulation and for the robot."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from boa_description.errors import BoaError
from boa_description.registry import is_file_name
from boa_tools.bringup.description import NAMESPACE, Bringup, NodeSpec, Value, share
from boa_tools.bringup.hoal_arguments import (
    ARGS,
    FASTEST,
    LIMITS,
    NO_CONTROLLER,
    OF_THE_SCENARIO,
    number,
    whole_number,
)
from boa_tools.view.address import split_address

RESULTS_SECONDS = 600.0  # that plots, picture and video may take after a run
# what a robot in a namespace of its own does not share with others; with a frame prefix it shares
# the tree of frames
GLOBAL_TOPICS = ("/clock", "/diagnostics")
TRANSFORMS = ("/tf", "/tf_static")


def nodes(values: Mapping[str, str]) -> tuple[NodeSpec, ...]:
    """Processes for complete argument values. Raises BoaError for a value that cannot be read."""
    namespace = _namespace(values)
    own = GLOBAL_TOPICS if values["frame_prefix"] else (*GLOBAL_TOPICS, *TRANSFORMS)
    remappings = tuple((name, name[1:]) for name in own if namespace != NAMESPACE)

    def placed(spec: NodeSpec) -> NodeSpec:
        beside = tuple(map(placed, spec.beside))
        return replace(spec, namespace=namespace, remappings=remappings, beside=beside)

    return tuple(map(placed, _specs(values)))


def _specs(values: Mapping[str, str]) -> tuple[NodeSpec, ...]:
    """The processes in the default namespace."""
    _refuse_unplanned(values)
    files = (_parameter_file(values["params_file"]),)
    common = _of_all_nodes(values)
    if values["sim"] == "true":
        plant = NodeSpec("plant", "sim", "boa_sim.node", common | _of_the_simulation(values), files)
    else:
        plant = NodeSpec(
            "plant", "hardware", "boa_hardware.node", common | _of_the_robot(values), files
        )
    timed: dict[str, Value] = {"use_sim_time": values["use_sim_time"] == "true"}
    named = ("scenario", "control_rate", "frame_prefix")
    chosen = {name: common[name] for name in named} | timed
    planned = values["planner"] == "true"
    # a planned robot stands until it has a path
    held: dict[str, Value] = {"speed": 0.0} if planned else {}
    known = _of_the_gearboxes(values)
    controller = NodeSpec(
        "controller", "controller", "boa_control.ros.controller.node", chosen | known | held, files
    )
    controllers: tuple[NodeSpec, ...] = ()
    if _composed(values):
        plant = replace(
            plant, executable="sim_with_controller", module="boa_sim.composed", beside=(controller,)
        )
    elif values["controller"] != NO_CONTROLLER:
        controllers += (controller,)
    if planned:
        planner = _planner(chosen, values, files)
        controllers += (replace(planner, respawn=values["respawn"] == "true"),)
    views: tuple[NodeSpec, ...] = (
        (_rviz(simulated=values["sim"] == "true"),) if values["rviz"] == "true" else ()
    )
    if values["viewer"] == "web":
        view = _web_view(values, timed, files)
        views += (replace(view, respawn=values["respawn"] == "true"),)
    if values["viewer"] == "mujoco":
        views += (_mujoco_view(timed, files),)
    if values["record"] == "false":
        _refuse_results(values)
        return plant, *controllers, *views
    recorder = NodeSpec(
        "recorder",
        "recorder",
        "boa_tools.nodes.recorder",
        common | timed | known | _of_the_recording(values, plant),
        files,
        stop_seconds=RESULTS_SECONDS,
    )
    return plant, *controllers, recorder, *views


def _composed(values: Mapping[str, str]) -> bool:
    """Whether plant and controller share a process. Raises BoaError where they cannot and are asked
    to.
    """
    obstacles = {
        "sim:=false": values["sim"] == "false",
        "controller:=none": values["controller"] == NO_CONTROLLER,
        "lockstep:=false": values["lockstep"] == "false",
    }
    for word, holds in obstacles.items():
        if holds and values["use_composition"] == "true":
            raise BoaError(
                f"launch argument use_composition is true, which {word} does not allow: it is for "
                f"a simulation in lockstep with the scenario's controller"
            )
    return values["use_composition"] != "false" and not any(obstacles.values())


def _planner(
    chosen: Mapping[str, Value], values: Mapping[str, str], files: tuple[Path, ...]
) -> NodeSpec:
    """The planner; its end does not end the run. Raises BoaError for a wrong map."""
    if values["map"]:
        from boa_control.planning.post_map import load_map

        load_map(Path(values["map"]))
    parameters = {
        **chosen,
        "map": str(Path(values["map"]).absolute()) if values["map"] else "",
        "follow": values["follow"] == "true",
    }
    module = "boa_control.ros.planner.node"
    return NodeSpec("planner", "planner", module, parameters, files, required=False)


def _refuse_unplanned(values: Mapping[str, str]) -> None:
    """Refuse what the planner alone uses, and a planner without the controller. Raises BoaError."""
    if values["planner"] == "true":
        if values["controller"] == NO_CONTROLLER:
            raise BoaError(
                "launch argument planner:=true needs the controller; leave out controller:=none"
            )
        return
    for name, unused in (("map", ""), ("follow", "false")):
        if values[name] != unused:
            raise BoaError(f"launch argument {name} means nothing without planner:=true")


def _web_view(
    values: Mapping[str, str], timed: Mapping[str, Value], files: tuple[Path, ...]
) -> NodeSpec:
    """The live view, which shows what the plant says; closing it does not end the run. Raises
    BoaError where `listen` is no address.
    """
    try:
        split_address(values["listen"])
    except ValueError as error:
        raise BoaError(f"launch argument listen: {error}") from error
    parameters = {**timed, "listen": values["listen"]}
    return NodeSpec("view", "view", "boa_tools.nodes.view", parameters, files, required=False)


def _mujoco_view(timed: Mapping[str, Value], files: tuple[Path, ...]) -> NodeSpec:
    """MuJoCo's own viewer; closing it does not end the run."""
    module = "boa_tools.nodes.mujoco_view"
    return NodeSpec("mujoco_view", "mujoco_view", module, timed, files, required=False)


def _rviz(simulated: bool) -> NodeSpec:
    """RViz; closing it does not end the run."""
    return NodeSpec(
        "rviz2",
        "rviz2",
        None,
        {"use_sim_time": simulated},
        package="rviz2",
        arguments=("-d", str(share() / "rviz" / "boa.rviz")),
        required=False,
    )


def _of_all_nodes(values: Mapping[str, str]) -> dict[str, Value]:
    chosen = {
        "scenario": _absolute(values["scenario"]),
        "frame_prefix": _frame_prefix(values["frame_prefix"]),
    }
    times: dict[str, Value] = {
        name: -1.0 if values[name] == OF_THE_SCENARIO else number(values, name)
        for name in ("duration", "control_rate")
    }
    if values["planner"] == "true" and values["duration"] == OF_THE_SCENARIO:
        times["duration"] = 0.0  # goals may come for ever
    return chosen | times


def _of_the_gearboxes(values: Mapping[str, str]) -> dict[str, Value]:
    """What is known of them. Raises BoaError where no controller begins with it."""
    file = values["identified"]
    if file and values["controller"] == NO_CONTROLLER:
        raise BoaError("launch argument identified means nothing with controller:=none")
    return {"identified": str(Path(file).absolute()) if file else ""}


def _of_the_simulation(values: Mapping[str, str]) -> dict[str, Value]:
    lockstep = values["lockstep"] == "true"
    speed = 0.0 if values["speed"] == FASTEST else number(values, "speed")
    if speed == 0 and not lockstep:
        raise BoaError(f"launch argument speed is {values['speed']}, which needs lockstep:=true")
    return {
        "arm": values["arm"] != "false",
        **_torque_cap(values),
        "publish_tf": values["publish_tf"],
        "seed": whole_number(values, "seed"),
        "speed": speed,
        "lockstep": lockstep,
        "wait_for_recorder": values["record"] == "true",
    }


def _of_the_robot(values: Mapping[str, str]) -> dict[str, Value]:
    return {
        "arm": values["arm"] == "true",
        **_torque_cap(values),
        "publish_tf": values["publish_tf"],
        "serial_port": values["serial_port"],
        "can": values["can_channel"],
        "hardware": str(Path(values["hardware"]).absolute()) if values["hardware"] else "",
        "calibration": str(Path(values["calibration"]).absolute()) if values["calibration"] else "",
        "allow_uncalibrated": values["allow_uncalibrated"] == "true",
    }


def _torque_cap(values: Mapping[str, str]) -> dict[str, Value]:
    free = values["torque_cap"] == LIMITS
    return {"torque_cap": -1.0 if free else number(values, "torque_cap")}


def _of_the_recording(values: Mapping[str, str], plant: NodeSpec) -> dict[str, Value]:
    answered = bool(plant.parameters["arm"] or plant.parameters.get("lockstep", False))
    return {
        "out": str(Path(values["out"]).absolute()) if values["out"] else "",
        "seed": whole_number(values, "seed"),
        "simulated": values["sim"] == "true",
        "wait_for_controller": answered or values["controller"] != NO_CONTROLLER,
        "video": values["video"] == "true",
    }


def check(values: Mapping[str, str]) -> None:
    """Checks that need the robot's packages. Raises BoaError before anything is started."""
    from boa_tools.bringup.experiment_check import check_experiment

    check_experiment(values)


def _refuse_results(values: Mapping[str, str]) -> None:
    """Refuse arguments that have no effect without a recording. Raises BoaError."""
    for name, unused in (("out", ""), ("video", "false")):
        if values[name] != unused:
            raise BoaError(
                f"launch argument {name} means nothing with record:=false; leave one of them out"
            )


def _namespace(values: Mapping[str, str]) -> str:
    """The namespace with its slash before it. Raises BoaError for a name that ROS would refuse."""
    namespace = "/" + values["namespace"].strip("/")
    if not re.fullmatch(r"(/[A-Za-z_][A-Za-z0-9_]*)+", namespace) or "__" in namespace:
        raise BoaError(
            f"launch argument namespace is '{values['namespace']}'; expected letters, digits and "
            f"single underscores, e.g. /boa2"
        )
    return namespace


def _frame_prefix(prefix: str) -> str:
    """The prefix as it is. Raises BoaError for one that makes no names of frames."""
    if not re.fullmatch(r"([A-Za-z_][A-Za-z0-9_./-]*)?", prefix):
        raise BoaError(
            f"launch argument frame_prefix is '{prefix}'; expected a letter first, then letters, "
            f"digits, _ . / or -, e.g. left/"
        )
    return prefix


def _absolute(scenario: str) -> str:
    """A scenario file by its absolute path: nodes may run in another folder."""
    return str(Path(scenario).absolute()) if is_file_name(scenario) else scenario


def _parameter_file(text: str) -> Path:
    path = Path(text).absolute() if text else share() / "config" / "hoal.yaml"
    if not path.is_file():
        raise BoaError(f"launch argument params_file: '{path}' does not exist")
    return path


HOAL = Bringup(
    "hoal.launch.py",
    "Plant, controller and recorder: Boa in simulation or on the robot.",
    ARGS,
    nodes,
    check,
)
