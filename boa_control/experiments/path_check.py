# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Before a controller takes a new path: does it hold the robot?"""

from dataclasses import dataclass

from boa_control.experiments.experiment import Experiment
from boa_control.paths.path import PlannedPath
from boa_control.planning.friction import FrictionRange
from boa_control.planning.limits import least_loads
from boa_control.planning.plan import check
from boa_description.errors import BoaError
from boa_description.scene import Obstacle


@dataclass(frozen=True, slots=True)
class PathCheck:
    """The check of a new path. A task that another process may do.

    Attributes:
        path, since: to check, and from which arc length of the middle joint on, m.
        experiment: of the run. others: walls and boxes.
    """

    path: PlannedPath
    since: float
    experiment: Experiment
    others: tuple[Obstacle, ...]

    def __call__(self) -> None:
        """Raises BoaError for a path that does not hold the robot."""
        scene = self.experiment.scenario.scene
        # how much more it might be costs most of the check, and would only be noted
        as_it_is = FrictionRange.of(scene.contact.friction, scene.ground.coefficient)
        report = check(
            self.path,
            self.experiment.robot,
            scene.ground,
            scene.contact.friction,
            self.others,
            since=self.since,
            study=least_loads,
            friction=as_it_is,
        )
        for finding in report.findings:
            if finding.level == "error":
                raise BoaError(f"new path: {finding.text}")
