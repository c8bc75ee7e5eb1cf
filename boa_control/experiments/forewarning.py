# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What can be said before a run about set-points and a start that its servos do not carry: some
samples of what `boa plan check` studies, in tenths of a second.
"""

from typing import NamedTuple

import numpy as np

from boa_control.controllers import checked_parameters
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.scenario import ControllerChoice
from boa_control.planning.checks import findings
from boa_control.planning.checks.along_path import PathScan
from boa_control.planning.checks.doubted_map import of_map_error
from boa_control.planning.checks.findings import Finding
from boa_control.planning.checks.limits import creeping_speed, load_limits

SPACING = 0.5  # of the samples, pitches


def forewarnings(experiment: Experiment) -> tuple[str, ...]:
    """A line for each; none for a scenario without a path.

    Raises:
        BoaError: the chain does not fit on the path, or its controller takes no such parameters.
    """
    path, robot, scenario = experiment.path, experiment.robot, experiment.scenario
    if path is None or not path.contacts or experiment.start_progress is None:
        return ()
    given = references(scenario.controller)
    ground, posts = scenario.scene.ground, scenario.scene.contact.friction
    scan = PathScan(path, robot, ground, posts, spacing=SPACING * robot.link.pitch)
    samples = list(scan.samples)
    angles = np.array([sample.state.q[3:] for sample in samples])
    limits = load_limits(scan)
    told = (
        _of_start(scan, experiment.start_progress),
        findings.of_angles(limits.s, angles, robot),
        findings.of_floor(limits, scan.ground) or findings.of_balance(limits, scan),
        findings.of_speed(limits, given.speed),
        findings.of_force(limits, given.force),
        of_map_error(scan, given.map_error),
    )
    return tuple(finding.text for finding in told if finding and finding.level != "note")


class References(NamedTuple):
    """What a controller is given; 0 where it is not: constant speed, m/s, contact force, N, and by
    how much posts may stand off the map, standard deviation, m.
    """

    speed: float
    force: float
    map_error: float


def references(controller: ControllerChoice) -> References:
    """Of the parameters of a scenario.

    Raises:
        BoaError: unknown controller, or wrong parameters for it.
    """
    parameters = checked_parameters(controller.name, controller.parameters)
    follows_profile = getattr(parameters, "profile", 0.0) > 0
    speed = 0.0 if follows_profile else getattr(parameters, "speed", 0.0)
    return References(
        speed, getattr(parameters, "force", 0.0), getattr(parameters, "map_error", 0.0)
    )


def _of_start(scan: PathScan, s: float) -> Finding | None:
    """Whether the servos carry the robot where it starts."""
    if creeping_speed(scan, scan.at(s)) > 0:
        return None
    return Finding(
        "error",
        f"at its start, s = {s:.3f} m, no contact forces balance the robot within the torques "
        "of the servos; start it elsewhere (initial.progress), or stand more posts there",
    )
