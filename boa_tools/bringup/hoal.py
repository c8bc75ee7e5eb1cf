"""hoal.launch.py: plant, controller and recorder, for the simulation and for the robot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from boa_control.experiments.experiment import build_controller, prepare
from boa_control.experiments.library import at_control_rate, load_scenario
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_hardware.config import load_robot_settings
from boa_tools.bringup.description import Arg, Bringup, NodeSpec, Value, share
from boa_tools.runs.results import results_directory

YES_NO = ("true", "false")
RESULTS_SECONDS = 600.0  # that plots, picture and video may take after a run
OF_THE_SCENARIO = "scenario"
FASTEST = "max"

ARGS = (
    Arg("sim", "true", "true: MuJoCo simulation, false: the robot", YES_NO),
    Arg(
        "scenario",
        "boa_circle",
        "name of a shipped scenario (boa scenarios lists them), or a YAML file",
    ),
    Arg(
        "duration",
        OF_THE_SCENARIO,
        "end after this many seconds; scenario: what the scenario says, 0: never",
    ),
    Arg(
        "control_rate",
        OF_THE_SCENARIO,
        "of plant and controller, Hz; a robot on RS-485 manages 200",
    ),
    Arg(
        "arm",
        "auto",
        "arm when the first command arrives; auto: in simulation only",
        ("auto", *YES_NO),
    ),
    Arg("seed", "0", "simulation: seed of everything random"),
    Arg(
        "speed",
        "1.0",
        "simulation: simulated seconds per second; max: as fast as it goes (needs lockstep)",
    ),
    Arg(
        "lockstep",
        "true",
        "simulation: wait for the answer to every tick; runs repeat bit for bit",
        YES_NO,
    ),
    Arg("serial_port", "/dev/ttyUSB0", "robot: port of the servo bus (RS-485)"),
    Arg(
        "can_channel",
        "socketcan:can0",
        "robot: CAN channel of the spine, e.g. socketcan:can0, slcan:/dev/ttyACM0",
    ),
    Arg(
        "hardware",
        "",
        "robot: YAML file with its wiring, like config/robot.yaml; default: servos 1 to n, nominal",
    ),
    Arg("record", "true", "record a bag and write metrics, plots and a picture", YES_NO),
    Arg("out", "", "results folder; default: results/<scenario>-<date>-<time>"),
    Arg("video", "false", "render a video, too", YES_NO),
    Arg(
        "params_file",
        "",
        "YAML file with node parameters; default: config/hoal.yaml of this package",
    ),
)


def nodes(values: Mapping[str, str]) -> tuple[NodeSpec, ...]:
    """Nodes for complete argument values. Raises BoaError before anything is started or written."""
    simulated, record = values["sim"] == "true", values["record"] == "true"
    if not record:
        _refuse_results(values)
    experiment = prepare(_scenario(values))
    build_controller(experiment)  # wrong controller parameters shall be found here, not in the node
    scenario = _absolute(values["scenario"])
    files = (_parameter_file(values["params_file"]),)
    seed = _whole(values, "seed")
    duration, rate = (
        -1.0 if values[name] == OF_THE_SCENARIO else _number(values, name)
        for name in ("duration", "control_rate")
    )
    plant: dict[str, Value] = {
        "scenario": scenario,
        "duration": duration,
        "control_rate": rate,
        "arm": simulated if values["arm"] == "auto" else values["arm"] == "true",
    }
    if simulated:
        lockstep, speed = (
            values["lockstep"] == "true",
            0.0 if values["speed"] == FASTEST else _number(values, "speed"),
        )
        if speed == 0 and not lockstep:
            raise BoaError(
                f"launch argument speed is {values['speed']}, which needs lockstep:=true"
            )
        plant |= {"seed": seed, "speed": speed, "lockstep": lockstep, "wait_for_recorder": record}
        first = NodeSpec("plant", "sim", "boa_sim.node", plant, files)
    else:
        wiring = str(Path(values["hardware"]).absolute()) if values["hardware"] else ""
        plant |= {
            "serial_port": values["serial_port"],
            "can": values["can_channel"],
            "hardware": wiring,
        }
        first = NodeSpec("plant", "hardware", "boa_hardware.node", plant, files)
    chosen: dict[str, Value] = {"scenario": scenario, "control_rate": rate}
    controller = NodeSpec(
        "controller", "controller", "boa_control.ros.controller_node", chosen, files
    )
    if not record:
        return first, controller
    out = results_directory(values["out"], experiment.scenario.name).absolute()
    recording: dict[str, Value] = {
        "scenario": scenario,
        "duration": duration,
        "control_rate": rate,
        "out": str(out),
        "seed": seed,
        "simulated": simulated,
        "video": values["video"] == "true",
    }
    recorder = NodeSpec(
        "recorder",
        "recorder",
        "boa_tools.nodes.recorder",
        recording,
        files,
        stop_seconds=RESULTS_SECONDS,
    )
    return first, controller, recorder


def _refuse_results(values: Mapping[str, str]) -> None:
    """Refuse arguments that have no effect without a recording. Raises BoaError."""
    for name, unused in (("out", ""), ("video", "false")):
        if values[name] != unused:
            raise BoaError(
                f"launch argument {name} means nothing with record:=false; leave one of them out"
            )


def _scenario(values: Mapping[str, str]) -> Scenario:
    """The scenario at the wanted rate. Raises BoaError where it, or a robot's bus, does not allow
    that rate.
    """
    scenario = load_scenario(values["scenario"])
    if values["control_rate"] != OF_THE_SCENARIO:
        scenario = at_control_rate(scenario, _number(values, "control_rate"))
    if values["sim"] == "false":
        load_robot_settings(values["hardware"] or None).control_rate(scenario.plant.control_rate)
    return scenario


def _absolute(scenario: str) -> str:
    """A scenario file by its absolute path: nodes may run in another folder."""
    return (
        str(Path(scenario).absolute())
        if "/" in scenario or scenario.endswith((".yaml", ".yml"))
        else scenario
    )


def _parameter_file(text: str) -> Path:
    path = Path(text).absolute() if text else share() / "config" / "hoal.yaml"
    if not path.is_file():
        raise BoaError(f"launch argument params_file: '{path}' does not exist")
    return path


def _number(values: Mapping[str, str], name: str) -> float:
    try:
        number = float(values[name])
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        word = FASTEST if name == "speed" else OF_THE_SCENARIO
        raise BoaError(
            f"launch argument {name} is '{values[name]}'; expected a number from 0 up, or '{word}'"
        )
    return number


def _whole(values: Mapping[str, str], name: str) -> int:
    if not values[name].isdecimal():
        raise BoaError(
            f"launch argument {name} is '{values[name]}'; expected a whole number from 0 up"
        )
    return int(values[name])


HOAL = Bringup("Plant, controller and recorder: Boa in simulation or on the robot.", ARGS, nodes)
