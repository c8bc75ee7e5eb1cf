# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Before a controller takes a new path: its tables, and does the path hold the robot?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boa_control.experiments.experiment import Experiment
from boa_control.paths.path import PlannedPath
from boa_description.errors import BoaError
from boa_description.scene import Obstacle

# loaded where the work is done, and not where it is only ordered: a controller would start half a
# second later
NEEDED = ("boa_control.controllers.hoal.tables", "boa_control.planning.checks.plan")


@dataclass(frozen=True, slots=True)
class Preparation:
    """The slow part of a change of path. A task that another process may do.

    Attributes:
        tables: the controller's task for the path, see `Follower`.
        path, since: to check, and from which arc length of the middle joint on, m.
        experiment: of the run. others: walls and boxes.
    """

    tables: Callable[[], Any]
    path: PlannedPath
    since: float
    experiment: Experiment
    others: tuple[Obstacle, ...]

    def __call__(self) -> Any:
        """The tables. Raises BoaError for a path that the controller cannot follow, or that does
        not hold the robot.
        """
        from boa_control.controllers.hoal.tables import PathTables
        from boa_control.planning.checks.along_path import PathScan
        from boa_control.planning.checks.limits import least_loads
        from boa_control.planning.checks.plan import decisive

        tables = self.tables()
        scene = self.experiment.scenario.scene
        scan = PathScan(
            self.path,
            self.experiment.robot,
            scene.ground,
            scene.contact.friction,
            since=self.since,
            model=tables.model if isinstance(tables, PathTables) else None,
        )
        for finding in decisive(scan, least_loads(scan), self.others):
            if finding.level == "error":
                raise BoaError(f"new path: {finding.text}")
        return tables
