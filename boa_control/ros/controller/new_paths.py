# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How new paths reach the controller node: a latched topic, and a service that takes the newest.

Another process, which waits for a path since `~/hold`, makes its tables and checks it by them at
once when it comes; `~/follow` then takes it between two ticks.
"""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from boa_control.controllers.following import FollowingController
from boa_control.controllers.new_path import NewPath, read_new_path
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.path_check import NEEDED, Preparation
from boa_control.interface import FOLLOWING_SERVICES
from boa_control.messages.answers import BEING_CHECKED, not_ready
from boa_control.messages.cdr import deserialize
from boa_control.messages.topics import NEW_PATH
from boa_control.ros.controller.operator import Operator
from boa_control.ros.controller.workshop import Work, Workshop
from boa_control.ros.endpoints import subscribe
from boa_control.ros.services import offer
from boa_control.safety.frame_guard import FrameGuard
from boa_description.errors import BoaError
from boa_description.scene import Circle

BENT = "boa_control.compiled.chain"  # kernels that only chains beside their path load

Guard = Callable[[Callable[[bytes], None]], Callable[[bytes], None]]


class NewPaths:
    """The topic new_path and the services ~/hold and ~/follow of the controller."""

    def __init__(
        self,
        node: Node,
        controller: FrameGuard,
        operator: Operator,
        experiment: Experiment,
        guard: Guard,
    ) -> None:
        """Make them. `guard` turns refused messages into warnings."""
        self._controller = controller
        self._operator = operator
        self._experiment = experiment
        self._new: tuple[NewPath, Work] | None = None
        self._workshop = Workshop(*NEEDED, BENT)
        subscribe(node, NEW_PATH, guard(self._on_path))
        offer(node, FOLLOWING_SERVICES, self)

    def hold(self) -> str:
        """Stop for a new path. Raises BoaError where the controller takes no set-points."""
        answer = self._operator.hold()
        self._workshop.prepare()
        return answer

    def follow(self) -> str:
        """Go over to the newest path, at rest.

        Raises:
            BoaError: there is none, it is not prepared yet, or the controller refuses it.
        """
        controller = self._following()
        if self._new is None:
            raise BoaError(f"no new path has come on {NEW_PATH.name}; set a goal first")
        if controller.unrest:
            raise BoaError(not_ready(controller.unrest).text)
        new, work = self._new
        if not work.done:
            raise BoaError(BEING_CHECKED.text)
        return self._operator.follow(new, work.result())

    def close(self) -> None:
        """End what is under way."""
        self._give_up_work()
        self._workshop.close()

    def _give_up_work(self) -> None:
        if self._new is not None:
            self._new[1].close()
            self._new = None

    def _following(self) -> FollowingController:
        if not isinstance(self._controller, FollowingController):
            name = self._experiment.scenario.controller.name
            raise BoaError(f"controller {name} cannot go over to another path")
        return self._controller

    def _on_path(self, raw: bytes) -> None:
        controller = self._following()
        new = read_new_path(deserialize(raw, NEW_PATH.msgtype).data)
        path = controller.planned(new)
        self._give_up_work()
        others = tuple(item for item in self._experiment.obstacles if not isinstance(item, Circle))
        task = Preparation(controller.tables(path), path, new.progress, self._experiment, others)
        self._new = new, self._workshop.begin(task)
