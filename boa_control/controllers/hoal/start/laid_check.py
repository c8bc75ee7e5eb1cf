# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the robot lies where the run begins: one that lies elsewhere would press the posts of a
place where it is not, and strike those that are there.

Joint angles repeat along a path, and resemble each other, so a shape that fits somewhere tells
nothing: it has to fit near the start.
"""

import math

import numpy as np

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.events import Event, EventKind, Refused
from boa_control.model.reference import ReferenceTable
from boa_description.arrays import Array
from boa_description.robot import Robot

SPACING = 1e-3  # m, of the places that are compared: a joint turns by half a degree between them
TOLD_EVERY = 1.0  # s, while somebody lays the robot and looks at what is told


class LaidCheck:
    """Compares the joint angles with the shapes of the path near the start: the first sample,
    before any torque is asked for, then the mean of the first `start.samples`; of the last ones,
    for as long as no torque has acted.

    Attributes:
        refused: the robot lies elsewhere. It may be laid better for as long as it is not armed;
            the run of one that is armed ends.
    """

    def __init__(
        self, robot: Robot, reference: ReferenceTable, place: float, parameters: Parameters
    ) -> None:
        """`place`: path coordinate at which the run begins, m."""
        tuning = parameters.tuning
        way = tuning.start.laid_way
        self._places = place + np.linspace(-way, way, 2 * round(way / SPACING) + 1)
        self._shapes = reference.shapes(self._places)
        self._names = robot.joint_names
        self._samples = parameters.start.samples
        self._way, self._noise = way, tuning.start.laid_noise
        # by so much posts that stand off the map turn the links between them
        bent = parameters.map_error / robot.link.pitch
        self._limit = math.hypot(tuning.supervision.stop_shape, bent)
        self.reset()

    def reset(self) -> None:
        """Nothing has been measured."""
        self.refused = False
        self._tell_ns = 0
        self._count = 0  # of samples, up to those that are averaged
        self._position: Array = np.zeros(len(self._names))  # their mean, rad

    def judge(self, stamp_ns: int, position: Array, acted: bool) -> tuple[Event, ...]:
        """Judge the joint angles of a tick, shape (n - 1,), rad; what is told of it. `acted`:
        torque has.
        """
        if acted and self._count in (0, self._samples):
            return ()
        self._count = min(self._count + 1, self._samples)
        self._position = self._position + (position - self._position) / self._count
        rms = np.sqrt(np.mean((self._position - self._shapes) ** 2, axis=1))
        best = int(rms.argmin())
        limit = math.hypot(self._limit, self._noise / math.sqrt(self._count))
        self.refused = bool(rms[best] > limit)
        if not self.refused or stamp_ns < self._tell_ns:
            return ()
        self._tell_ns = stamp_ns + round(TOLD_EVERY * 1e9)
        return (self._event(best, float(rms[best]), limit),)

    def _event(self, best: int, rms: float, limit: float) -> Event:
        shape = self._shapes[self._places.size // 2]
        worst = int(np.abs(self._position - shape).argmax())
        measured, expected = np.degrees([self._position[worst], shape[worst]])
        note = (
            f"the robot lies elsewhere: {self._names[worst]} is at {measured:.0f} deg, where the "
            f"scenario begins at {expected:.0f} deg; even {1e3 * self._way:.0f} mm on or back all "
            f"joints are {math.degrees(rms):.1f} deg off (rms), at most {math.degrees(limit):.1f}; "
            "lay it as `boa plan check` says"
        )
        return Event(
            kind=EventKind.START_REFUSED,
            reason=Refused.LAID_ELSEWHERE,
            value=rms,
            s=float(self._places[best]),
            note=note,
        )
