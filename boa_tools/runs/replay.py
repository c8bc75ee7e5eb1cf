# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Feed the recorded sensor data of a run to a fresh controller and compare its torques with the
recorded ones.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from boa_control.controller import Controller, is_steerable
from boa_control.controllers.following import FollowingController
from boa_control.controllers.new_path import recorded_new_path
from boa_control.controllers.set_points import recorded_set_point
from boa_description.errors import BoaError
from boa_tools.runs.loop import Tick

TOLERANCE = 1e-6  # N m; a bag keeps every number whole, headings to rounding


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first tick at which the torques differ by more than the tolerance.

    Attributes:
        time_s: since the first tick.
        joint: index from 0, of the joint with the largest difference.
        recorded, replayed: its torques, N m.
        tick: its number, from 0, of those that the bag has.
    """

    time_s: float
    joint: int
    recorded: float
    replayed: float
    tick: int

    def missing(self, period: float) -> int:
        """Ticks before this one, of a plant that makes one every `period`, s, that the bag lacks:
        what the controller remembers of them a replay does not have.
        """
        return round(self.time_s / period) - self.tick


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of a replay.

    Attributes:
        ticks: all ticks of the bag.
        compared: those with a recorded command.
        largest: largest difference of any joint's torque, N m.
        first: first divergence above the tolerance; None when there is none.
    """

    ticks: int
    compared: int
    largest: float
    first: Divergence | None


def replay(
    ticks: Iterable[Tick],
    controller: Controller,
    tolerance: float = TOLERANCE,
    progress: Callable[[float], None] = lambda _: None,
) -> Comparison:
    """Step the controller through the frames of all ticks, with the set-points and new paths that
    the record has at them; `progress` gets the time of each, s since the first.

    Raises:
        BoaError: the run was steered, and this controller takes no set-points, or not these.
    """
    controller.reset()
    count = compared = 0
    largest = 0.0
    first: Divergence | None = None
    start_ns: int | None = None
    for tick in ticks:
        start_ns = tick.frame.stamp_ns if start_ns is None else start_ns
        time = (tick.frame.stamp_ns - start_ns) * 1e-9
        _steer(controller, tick, time)
        torque, recorded = controller.step(tick.frame).torque, tick.output.torque
        count += 1
        progress(time)
        if np.isnan(recorded).all():
            continue
        compared += 1
        difference = np.abs(torque - recorded)
        joint = int(np.argmax(difference))
        largest = max(largest, float(difference[joint]))
        if first is None and not difference[joint] <= tolerance:
            first = Divergence(time, joint, float(recorded[joint]), float(torque[joint]), count - 1)
    return Comparison(count, compared, largest, first)


def _steer(controller: Controller, tick: Tick, time: float) -> None:
    """Give the controller what was new at this tick: set-points and paths, in their order."""
    for event in tick.output.events:
        set_point, path = recorded_set_point(event), recorded_new_path(event)
        if set_point is not None:
            if not is_steerable(controller):
                raise BoaError(
                    f"the run was steered at {time:.3f} s; this controller takes no set-points, "
                    f"replay with the one of the run"
                )
            controller.steer(set_point)
        elif path is not None:
            if not isinstance(controller, FollowingController):
                raise BoaError(
                    f"the run took a new path at {time:.3f} s; this controller takes none, replay "
                    f"with the one of the run"
                )
            controller.follow(path)
