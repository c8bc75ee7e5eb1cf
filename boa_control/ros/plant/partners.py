# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The other nodes of a run, as the plant sees them: do they listen, and how far is the recorder?"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter

from rclpy.node import Node

from boa_control.messages.cdr import stamp_of
from boa_control.messages.topics import RECORDED, TORQUE_COMMAND
from boa_control.ros.endpoints import subscribe
from boa_control.ros.plant.options import PlantOptions
from boa_control.ros.plant.report import PARTNER_PATIENCE, PlantReport
from boa_control.ros.plant.topics import PlantTopics
from boa_control.ros.plant.torque_sources import TorqueSources
from boa_control.ros.runtime import Spin

# s after connecting until DDS keeps the order of messages (its first handshake takes 0.1 s)
SETTLING = 0.3


class Partners:
    """Controller and recorder. Also the subscription to torque commands: its publishers are the
    controllers.

    Attributes:
        torque_sources: who they are.
    """

    def __init__(
        self,
        node: Node,
        topics: PlantTopics,
        report: PlantReport,
        options: PlantOptions,
        on_command: Callable[[bytes], None],
    ) -> None:
        self._topics = topics
        self._report = report
        self._options = options
        self.torque_sources = TorqueSources(node, subscribe(node, TORQUE_COMMAND, on_command))
        self._recorder = (
            subscribe(node, RECORDED, self._on_recorded) if options.wait_for_recorder else None
        )
        self._recorded_ns = -1

    def reset(self) -> None:
        """Time starts again."""
        self._recorded_ns = -1

    def wait_until_they_listen(self, spin: Spin, stopped: Callable[[], bool]) -> None:
        """Wait until everybody who has to get the first tick is connected, and stays so while
        connections settle.
        """
        begin = perf_counter()
        settled = begin
        while not stopped() and perf_counter() - settled < SETTLING:
            if missing := self._missing():
                settled = perf_counter()
                if settled - begin > PARTNER_PATIENCE:
                    self._report.waiting(missing)
            spin(0.01)

    def wait_for_recorder(
        self, until_ns: int, spin: Spin, stopped: Callable[[], bool], patience: float = math.inf
    ) -> None:
        """In lockstep: wait until everything up to `until_ns` is in the bag, for at most `patience`
        seconds.
        """
        if self._recorder is None or not self._options.lockstep:
            return
        begin = perf_counter()
        while self._recorded_ns < until_ns and not stopped():
            waited = perf_counter() - begin
            if waited > patience:
                return
            if waited > PARTNER_PATIENCE:
                self._report.waiting("the recorder, which is behind")
            spin(0.01)

    def _missing(self) -> str:
        controller, recorder = self._options.wait_for_controller, self._options.wait_for_recorder
        if controller and self.torque_sources.connected == 0:
            return f"a controller that publishes {TORQUE_COMMAND.name}, reliable; is one running?"
        if self._recorder is not None and self._recorder.get_publisher_count() == 0:
            return f"a recorder that publishes {RECORDED.name}; is /boa/recorder running?"
        unconnected = self._topics.unconnected(controller, recorder)
        return f"subscribers of {unconnected[0]}" if unconnected else ""

    def _on_recorded(self, raw: bytes) -> None:
        self._recorded_ns = stamp_of(raw)
