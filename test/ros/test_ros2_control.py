# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""ros2_control drives Boa through the hardware description that the plant publishes: examples in
examples/ros2_control, with a stand-in for the C++ programs (topic_based.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml

rclpy = pytest.importorskip("rclpy", reason="rclpy is not installed (requirements/ros.in)")

from boa_control.messages.topics import JOINT_STATES, TORQUE_COMMAND
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.runtime import use_discovery_profile
from boa_description.load import load_robot
from boa_description.urdf import HARDWARE_PARAMETERS
from boa_tools.bags.ticks import read_run

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "ros2_control"
STAND_IN = Path(__file__).with_name("topic_based.py")
NAMESPACE = ("-r", "__ns:=/boa")
FREE = """
name: free
summary: Boa on a smooth floor without posts
robot: {name: boa13}
initial: {base: [0, 0, 0]}
plant: {control_rate: 200}
controller: {name: joint_pd}
duration: 3
"""
TARGET = 0.2  # rad, of the joint in the middle, which a second may take
GOAL = (
    "import rclpy, time\n"
    "from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint\n"
    "rclpy.init(); node = rclpy.create_node('operator', namespace='/boa')\n"
    "topic = 'joint_trajectory_controller/joint_trajectory'\n"
    "to = node.create_publisher(JointTrajectory, topic, 1)\n"
    f"point = JointTrajectoryPoint(positions=[{TARGET}]); point.time_from_start.sec = 1\n"
    "while not to.get_subscription_count(): time.sleep(0.05)\n"
    "to.publish(JointTrajectory(joint_names=['joint_06'], points=[point])); time.sleep(1)\n"
)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[object]:
    """Starts programs, and ends them after the test."""
    monkeypatch.setenv("FASTRTPS_DEFAULT_PROFILES_FILE", "")
    monkeypatch.delenv("FASTRTPS_DEFAULT_PROFILES_FILE")
    use_discovery_profile()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    processes = []

    def start(words: Sequence[object]) -> None:
        processes.append(
            subprocess.Popen([sys.executable, *map(str, words)], env=environment, cwd=tmp_path)
        )

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.ros
@pytest.mark.realtime
@pytest.mark.parametrize("sim_time", [True, False], ids=["simulation", "as on the robot"])
def test_a_joint_trajectory_controller_bends_the_robot(
    started, tmp_path: Path, sim_time: bool
) -> None:
    """In a simulation commands carry its time and go straight to the plant. With stamps of the
    wall, as on the robot, answer.py gives them those of the joint states.
    """
    words = ["--params-file", EXAMPLE / "controllers.yaml", "-p", f"use_sim_time:={sim_time}"]
    if not sim_time:
        words += ["-r", "torque_command:=effort_command"]
        started([EXAMPLE / "answer.py", "--ros-args", *NAMESPACE])
    started([STAND_IN, "--ros-args", *NAMESPACE, *words])
    started(["-c", GOAL])
    scenario, quick, out = tmp_path / "free.yaml", tmp_path / "quick.yaml", tmp_path / "run"
    scenario.write_text(FREE)
    quick.write_text(yaml.safe_dump({"/boa/recorder": {"ros__parameters": {"report": False}}}))
    words = [f"scenario:={scenario}", "controller:=none", "lockstep:=false", "speed:=0.3"]
    words.append(f"params_file:={quick}")
    launch = [sys.executable, "-m", "boa_tools.cli", "launch", "hoal.launch.py"]
    done = subprocess.run(
        [*launch, *words, f"out:={out}"], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_run(out / "bag", chosen_experiment(str(scenario), 3))
    angles = log.position[-1]
    assert angles[5] == pytest.approx(TARGET, abs=0.02)
    assert np.abs(np.delete(angles, 5)).max() < 0.02
    assert np.nanmax(np.abs(log.applied)) > 0.05


def test_the_description_binds_the_plant_s_topics() -> None:
    bound = {HARDWARE_PARAMETERS[f"joint_{what}_topic"] for what in ("states", "commands")}
    assert bound == {JOINT_STATES.relative, TORQUE_COMMAND.relative}
    assert JOINT_STATES.msgtype == TORQUE_COMMAND.msgtype == "sensor_msgs/msg/JointState"
    assert float(HARDWARE_PARAMETERS["trigger_joint_command_threshold"]) < 0


def test_the_controllers_of_the_example_have_boa_s_joints() -> None:
    """ROS's reader of parameter files, which the test above uses, knows no aliases."""
    robot = load_robot("boa13")
    files = yaml.safe_load((EXAMPLE / "controllers.yaml").read_text(encoding="utf-8"))
    for name in ("joint_trajectory_controller", "effort_controller"):
        parameters = files[f"/**/{name}"]["ros__parameters"]
        assert parameters["joints"] == list(robot.joint_names)
        assert name in files["/**/controller_manager"]["ros__parameters"]
    gains = files["/**/joint_trajectory_controller"]["ros__parameters"]["gains"]
    assert list(gains) == list(robot.joint_names)
