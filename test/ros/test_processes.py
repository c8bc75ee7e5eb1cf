# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What only separate processes can show: a whole launch, its determinism, and how nodes end."""

from __future__ import annotations

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


def launched(out: Path, *more: str) -> subprocess.Popen[str]:
    """A launch without plots and picture."""
    quick = out.with_suffix(".yaml")
    quick.write_text(yaml.safe_dump({"/**/recorder": {"ros__parameters": {"report": False}}}))
    words = [f"duration:={DURATION}", "speed:=max", f"out:={out}", f"params_file:={quick}", *more]
    command = [sys.executable, "-m", "boa_tools.cli", "launch", "hoal.launch.py", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ended(process: subprocess.Popen[str]) -> None:
    said, _ = process.communicate(timeout=900)
    assert process.returncode == 0, said


def recorded(out: Path) -> dict[str, list[tuple[int, bytes]]]:
    found: dict[str, list[tuple[int, bytes]]] = {topic.name: [] for topic in DETERMINED}
    for message in bag_messages(out / "bag", DETERMINED):
        found[message.topic].append((message.time_ns, message.raw))
    return found


def without_ros(out: Path, scenario: str, frame_prefix: str = "") -> Path:
    """The same run, recorded by itself."""
    from boa_control.ros.chosen import chosen_experiment

    experiment = chosen_experiment(scenario, DURATION, frame_prefix=frame_prefix)
    with bag_sink(out / "bag", experiment) as sinks:
        run_experiment(experiment, seed=0, sinks=sinks)
    return out


def same(launch: Path, inside: Path) -> None:
    """Bit for bit, topic by topic."""
    there, here = recorded(launch), recorded(inside)
    assert there.keys() == here.keys()
    for topic, messages in there.items():
        assert messages == here[topic], f"{topic} differs between nodes and a run without ROS"


def test_launches_equal_runs_without_ros_bit_for_bit(tmp_path: Path) -> None:
    """Whatever runs beside them: two robots in one domain, and a program that takes a core. Plant
    and controller of the left one share a process, those of the right one do not.
    """
    robots = {"left": (SCENARIO, "", "true"), "right": ("thesis_5_1_1", "right/", "false")}
    burner = subprocess.Popen([sys.executable, "-I", "-c", "while True: pass"])
    try:
        launches = [
            launched(
                tmp_path / name,
                f"scenario:={scenario}",
                f"namespace:={name}",
                f"frame_prefix:={prefix}",
                f"use_composition:={composed}",
            )
            for name, (scenario, prefix, composed) in robots.items()
        ]
        for process in launches:
            ended(process)
    finally:
        burner.kill()
        burner.wait()
    ticks = round(DURATION * load_scenario(SCENARIO).plant.control_rate)
    for name, (scenario, prefix, _) in robots.items():
        same(tmp_path / name, without_ros(tmp_path / f"{name}_alone", scenario, prefix))
        summary = bag_summary(tmp_path / name / "bag")
        assert summary.namespace == f"/{name}"
        assert all(topic.name.startswith(f"/{name}/") for topic in summary.topics)
        counts = Counter(m.topic for m in bag_messages(tmp_path / name / "bag", EVERY_TICK))
        assert counts == {topic.name: ticks for topic in EVERY_TICK}, name
        assert (tmp_path / name / "metrics.json").is_file()


def test_a_plant_node_leaves_disarmed_and_clean_on_two_ctrl_c() -> None:
    """One of the node with a controller in its process: test_composed."""
    plant = start("boa_sim.node", f"scenario:={SCENARIO}", "lockstep:=false", "duration:=0.0")
    try:
        wait_for(plant, "progress")
        for _ in range(2):
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


def test_a_controller_waits_for_nothing_that_only_plans_at_its_start() -> None:
    """The check of new paths, which another process does, takes half a second to load."""
    code = (
        "import sys, boa_control.ros.controller.node\n"
        "print([name for name in sys.modules if 'scipy' in name or 'planning' in name])"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


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
