# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Refusals of the nodes of hoal.launch.py, said once and before they start."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.identified import with_identified
from boa_control.experiments.journey.planned_journey import first_path
from boa_control.experiments.library import at_control_rate, load_scenario
from boa_description.errors import BoaError
from boa_hardware.config import load_robot_settings
from boa_tools.bringup.hoal_arguments import OF_THE_SCENARIO, number
from boa_tools.runs.results import results_directory


def check_experiment(values: Mapping[str, str]) -> None:
    """Raise BoaError for a wrong scenario, controller parameter, control rate, identified
    gearboxes, or results folder, for a planner without a path to go on from, and for an RViz that
    is not there.

    Args:
        values: all arguments of hoal.launch.py.
    """
    scenario = load_scenario(values["scenario"])
    if values["control_rate"] != OF_THE_SCENARIO:
        scenario = at_control_rate(scenario, number(values, "control_rate"))
    if values["identified"]:
        scenario = with_identified(scenario, Path(values["identified"]))
    if values["sim"] == "false":
        load_robot_settings(values["hardware"] or None).control_rate(scenario.plant.control_rate)
    build_controller(prepare(scenario))
    if values["planner"] == "true":
        first_path(scenario)
    if values["rviz"] == "true" and shutil.which("rviz2") is None:
        raise BoaError(
            "launch argument rviz is true, but there is no rviz2 on the PATH; install "
            "ros-jazzy-rviz2 and source ROS, or open the bag in Foxglove (docs/views.md)"
        )
    if values["record"] == "true":
        results_directory(values["out"], scenario.name)
