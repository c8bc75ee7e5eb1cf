# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests of services that perhaps nobody offers, or answers."""

from __future__ import annotations

from time import monotonic
from typing import Any

from rclpy.client import Client
from std_srvs.srv import Trigger

from boa_control.messages.answers import Answer, Outcome, read_answer

OFFERED = 10.0  # s for which the service may not be there yet
ANSWERED = 30.0  # s for which an answer may take


class TriggerRequest:
    """One request of a std_srvs/srv/Trigger; implements `Request`."""

    def __init__(self, client: Client) -> None:
        """Send it as soon as the service is there."""
        self._client = client
        self._name = client.srv_name
        self._future: Any = None
        self._until = monotonic() + OFFERED

    @property
    def answer(self) -> Answer | None:
        """None while there is none; refused after some time."""
        if self._future is None:
            return self._send()
        if self._future.done():
            answer = self._future.result()
            return read_answer(answer.success, answer.message)
        if monotonic() < self._until:
            return None
        self._client.remove_pending_request(self._future)
        return Answer(Outcome.REFUSED, f"{self._name} has not answered for {ANSWERED:.0f} s")

    def _send(self) -> Answer | None:
        if self._client.service_is_ready():
            self._future = self._client.call_async(Trigger.Request())
            self._until = monotonic() + ANSWERED
        elif monotonic() >= self._until:
            text = f"nobody offers {self._name}; is the controller running?"
            return Answer(Outcome.REFUSED, text)
        return None
