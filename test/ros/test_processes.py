# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What only separate processes can show: a whole launch, its determinism, and how nodes end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import yaml

from boa_control.experiments.library import load_scenario
from boa_control.messages.topics import (
    CLOCK,
    CONTACTS,
    DEBUG,
    IMUS,
    JOINT_FORCES,
    JOINT_STATES,
    SIM_CONTACTS,
    SIM_JOINT_STATES,
    SIM_ODOMETRY,
    TORQUE_APPLIED,
    TORQUE_COMMAND,
)
from boa_tools.bags.rosbag import bag_messages, bag_summary
from boa_tools.bags.ticks import bag_sink
from boa_tools.runs.drive import run_experiment
from test.ros.processes import start, wait_for

pytestmark = [pytest.mark.ros, pytest.mark.realtime]

SCENARIO = "thesis_5_2_3"
DURATION = 0.4
DETERMINED = (JOINT_STATES, JOINT_FORCES, IMUS, TORQUE_COMMAND, TORQUE_APPLIED, CONTACTS)
EVERY_TICK = (
    *DETERMINED[:2],
    *DETERMINED[3:],
    DEBUG,
    SIM_ODOMETRY,
    SIM_JOINT_STATES,
    SIM_CONTACTS,
    CLOCK,
)


def launch(out: Path, quick: Path, *more: str) -> None:
    words = [
        "launch",
        "hoal.launch.py",
        f"scenario:={SCENARIO}",
        f"duration:={DURATION}",
        "speed:=max",
        f"out:={out}",
        *more,
    ]
    command = [sys.executable, "-m", "boa_tools.cli", *words, f"params_file:={quick}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def recorded(out: Path) -> dict[str, list[tuple[int, bytes]]]:
    found: dict[str, list[tuple[int, bytes]]] = {topic.name: [] for topic in DETERMINED}
    for message in bag_messages(out / "bag", DETERMINED):
        found[message.topic].append((message.time_ns, message.raw))
    return found


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    """Node parameters that leave out plots and picture."""
    path = tmp_path / "quick.yaml"
    path.write_text(yaml.safe_dump({"/boa/recorder": {"ros__parameters": {"report": False}}}))
    return path


def test_a_launch_repeats_bit_for_bit_under_load_and_equals_a_run_without_ros(
    tmp_path: Path, quick: Path
) -> None:
    launch(tmp_path / "calm", quick)
    launch(tmp_path / "apart", quick, "use_composition:=false")
    burner = "while True: pass"
    burners = [
        subprocess.Popen([sys.executable, "-I", "-c", burner]) for _ in range(os.cpu_count() or 2)
    ]
    try:
        launch(tmp_path / "loaded", quick)
    finally:
        for process in burners:
            process.kill()
            process.wait()
    calm, apart, loaded = (recorded(tmp_path / name) for name in ("calm", "apart", "loaded"))

    from boa_control.ros.chosen import chosen_experiment

    experiment = chosen_experiment(SCENARIO, DURATION)
    with bag_sink(tmp_path / "inside" / "bag", experiment) as sinks:
        run_experiment(experiment, seed=0, sinks=sinks)
    inside = recorded(tmp_path / "inside")
    for topic in DETERMINED:
        assert calm[topic.name] == loaded[topic.name], (
            f"{topic.name} depends on the load of the machine"
        )
        assert calm[topic.name] == apart[topic.name], (
            f"{topic.name} depends on whether plant and controller share a process"
        )
        assert calm[topic.name] == inside[topic.name], (
            f"{topic.name} differs between nodes and a run without ROS"
        )

    ticks = round(DURATION * load_scenario(SCENARIO).plant.control_rate)
    for name in ("loaded", "apart"):
        counts = Counter(m.topic for m in bag_messages(tmp_path / name / "bag", EVERY_TICK))
        assert counts == {topic.name: ticks for topic in EVERY_TICK}, name
    assert (tmp_path / "loaded" / "metrics.json").is_file()


def test_two_robots_in_one_domain_run_as_if_alone(tmp_path: Path) -> None:
    quick = tmp_path / "quick.yaml"
    quick.write_text(yaml.safe_dump({"/**/recorder": {"ros__parameters": {"report": False}}}))
    robots = {"left": (SCENARIO, ""), "right": ("thesis_5_1_1", "right/")}
    words = ("duration:=0.4", "speed:=max", f"params_file:={quick}")
    command = [sys.executable, "-m", "boa_tools.cli", "launch", "hoal.launch.py", *words]
    launches = [
        subprocess.Popen(
            [
                *command,
                f"namespace:={name}",
                f"frame_prefix:={prefix}",
                f"scenario:={scenario}",
                f"out:={tmp_path / name}",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for name, (scenario, prefix) in robots.items()
    ]
    for process in launches:
        said, _ = process.communicate(timeout=900)
        assert process.returncode == 0, said

    from boa_control.ros.chosen import chosen_experiment

    for name, (scenario, prefix) in robots.items():
        experiment = chosen_experiment(scenario, DURATION, frame_prefix=prefix)
        with bag_sink(tmp_path / f"{name}_alone" / "bag", experiment) as sinks:
            run_experiment(experiment, seed=0, sinks=sinks)
        assert recorded(tmp_path / name) == recorded(tmp_path / f"{name}_alone")
        summary = bag_summary(tmp_path / name / "bag")
        assert summary.namespace == f"/{name}"
        assert all(topic.name.startswith(f"/{name}/") for topic in summary.topics)


@pytest.mark.parametrize("presses", [1, 2])
def test_a_plant_node_leaves_disarmed_and_clean_on_ctrl_c(presses: int) -> None:
    plant = start("boa_sim.node", f"scenario:={SCENARIO}", "lockstep:=false", "duration:=0.0")
    try:
        wait_for(plant, "progress")
        for _ in range(presses):
            plant.send_signal(signal.SIGINT)
        output, _ = plant.communicate(timeout=600)
    finally:
        plant.kill()
    assert plant.returncode == 0
    assert "run ended: stopped; disarmed" in output and "Traceback" not in output


def test_a_killed_controller_is_noticed_and_the_torque_ends() -> None:
    plant = start(
        "boa_sim.node", f"scenario:={SCENARIO}", "lockstep:=false", "arm:=true", "duration:=0.0"
    )
    controller = start("boa_control.ros.controller.node", f"scenario:={SCENARIO}")
    try:
        wait_for(plant, "armed")
        time.sleep(0.5)
        controller.kill()
        output, _ = plant.communicate(timeout=600)
    finally:
        for process in (plant, controller):
            process.kill()
            process.communicate()
    assert plant.returncode == 1
    assert "command_lost" in output and "disarmed" in output


@pytest.mark.parametrize(
    ("module", "parameter", "what"),
    [
        ("boa_sim.node", "scenario:=boa_cirle", "did you mean 'boa_circle'"),
        ("boa_control.ros.controller.node", "scenari:=boa_circle", "unknown parameter 'scenari'"),
    ],
)
def test_a_node_with_wrong_parameters_says_so_in_one_line(
    module: str, parameter: str, what: str
) -> None:
    node = start(module, parameter)
    output, _ = node.communicate(timeout=600)
    assert node.returncode == 2
    assert output.startswith("error: ") and what in output and output.count("\n") == 1
