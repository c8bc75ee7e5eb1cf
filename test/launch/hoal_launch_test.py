# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""hoal.launch.py, included by another launch file, under the real `launch`: `launch_test
test/launch/hoal_launch_test.py`. launch_testing comes with a ROS distribution, and with
`.ci/ros2_tools`; pytest leaves this file alone.
"""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

import launch_testing
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import assertExitCodes

FILE = Path(__file__).resolve().parents[2] / "launch" / "hoal.launch.py"
OUT = Path(tempfile.mkdtemp()) / "run"
ARGUMENTS = {"scenario": "thesis_5_1_1", "duration": "1.0", "speed": "max", "out": str(OUT)}
PATIENCE = 300.0  # s; only a test that fails waits for so long


def generate_test_description() -> LaunchDescription:
    """Called by `launch_test`."""
    source = PythonLaunchDescriptionSource(str(FILE))
    included = IncludeLaunchDescription(source, launch_arguments=ARGUMENTS.items())
    return LaunchDescription([included, ReadyToTest()])


class Running(unittest.TestCase):
    """Beside the run, before the launch ends with it."""

    def test_the_run_ends_by_itself(self, proc_output: Any) -> None:
        proc_output.assertWaitFor("run ended: duration; disarmed", timeout=PATIENCE)


@launch_testing.post_shutdown_test()
class Ended(unittest.TestCase):
    """After all processes have ended."""

    def test_no_node_failed(self, proc_info: Any) -> None:
        assertExitCodes(proc_info)

    def test_results_are_written(self) -> None:
        assert (OUT / "metrics.json").is_file()
        assert (OUT / "report.html").is_file()
