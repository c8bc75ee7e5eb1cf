# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic hybrid control after West and Asada (thesis 3.3.4), with a joint-level loop.

A desired joint motion is filtered against driving into contacts (eq. 3.52, `projection_filter`),
and a PD loop follows what is left:
    dtheta_d = F (theta_r - theta_d),   tau = K_P (theta_d - theta) + K_D (theta_d_dot - theta_dot)
    - J_phi' lam*,
where lam* are the contact forces at rest nearest to the uniform reference. The contact Jacobian of
the filter has the base eliminated: a joint motion is allowed when some motion of the free base
keeps all gaps.
"""

from collections.abc import Callable

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import check_gait, seconds
from boa_control.controllers.gaits import PlanarGait, joint_reference
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.projection import (
    attainable_forces,
    eliminate_base,
    projection_filter,
    shortened,
)
from boa_control.estimation.contact_observer import ContactObserver, Observation, ObserverSettings
from boa_control.events import Event, EventKind
from boa_control.model.reference import ReferenceTable
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import (
    Block,
    Newton,
    NewtonMetre,
    NewtonMetreSecond,
    RadianPerSecond,
    Second,
)


class WestAsada:
    """Motion filtered by the contacts that are established, plus internal contact forces."""

    class Parameters(Block):
        """Reference, task and gains."""

        gait: PlanarGait | None = Field(
            default=None, description="joint reference; none: along the scenario's path"
        )
        speed: float = Field(default=0.1, description="m/s along the path, where there is no gait")
        essential_joints: tuple[int, ...] = Field(
            default=(),
            description="numbers (1 = tail side) of joints whose motion must be kept; none: "
            "nearest motion",
        )
        kp: float = Field(default=60.0, ge=0, description="N m/rad")
        kd: NewtonMetreSecond = Field(default=3.0, ge=0)
        torque_limit: NewtonMetre | None = Field(default=None, gt=0)
        largest_rate: RadianPerSecond = Field(
            default=2.0, gt=0, description="of the filtered reference, of any joint"
        )
        force: Newton = Field(default=5.0, ge=0, description="uniform reference, before projection")
        ramp: Second = Field(default=0.5, gt=0, description="within which the force rises")
        observer: ObserverSettings = ObserverSettings()

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        joints = briefing.robot.joints
        wrong = [number for number in parameters.essential_joints if not 1 <= number <= joints]
        if wrong:
            raise BoaError(
                f"controller west_asada: essential_joints {wrong} do not exist; valid: 1 to "
                f"{joints}"
            )
        if parameters.gait is not None:
            check_gait(parameters.gait, briefing.robot, "controller west_asada: gait")
        self._parameters = parameters
        self._period = briefing.period
        self._essential = np.eye(joints)[
            :, sorted({number - 1 for number in parameters.essential_joints})
        ]
        self._observer = ContactObserver(briefing, parameters.observer)
        self._reference = _reference(briefing, parameters)
        self.reset()

    def reset(self) -> None:
        """The next frame starts the motion anew."""
        self._observer.reset()
        self._start_ns: int | None = None
        self._start = np.zeros(0)
        self._desired = np.zeros(0)
        self._blocked = False

    def step(self, frame: SensorFrame) -> ControlOutput:
        """One step of the law."""
        if self._start_ns is None:
            self._start_ns = frame.stamp_ns
            self._start, self._desired = frame.position.copy(), frame.position.copy()
        time = seconds(frame.stamp_ns, self._start_ns)
        seen = self._observer.observe(frame)
        active = seen.jacobian[seen.established | seen.touching]
        filtered = projection_filter(eliminate_base(active), self._essential)
        planned = self._reference(time, self._start)
        largest = self._parameters.largest_rate * self._period
        step = shortened(filtered.matrix @ (planned - self._desired), largest)
        self._desired = self._desired + step
        torque = pd_torque(
            self._parameters.kp,
            self._parameters.kd,
            self._desired - frame.position,
            step / self._period - frame.velocity,
            self._parameters.torque_limit,
        )
        pressing = self._pressing(seen, min(time / self._parameters.ramp, 1.0))
        newly_blocked = not filtered.attainable and not self._blocked
        self._blocked = not filtered.attainable
        return ControlOutput(
            torque - seen.jacobian[:, 3:].T @ np.nan_to_num(pressing),
            contacts=seen.estimates(pressing),
            events=(Event(kind=EventKind.MOTION_BLOCKED),) if newly_blocked else (),
            debug={
                "reference_rad": self._desired,
                "planned_rad": planned,
                "task_error": filtered.task_error,
            },
        )

    def _pressing(self, seen: Observation, share: float) -> Array:
        """Contact forces at rest nearest to the uniform reference, N; NaN without contact."""
        active = seen.established | seen.touching
        force = np.full(len(seen.contacts), np.nan)
        force[active] = attainable_forces(
            seen.jacobian[active], np.full(active.sum(), share * self._parameters.force)
        )
        return force


def _reference(
    briefing: Briefing, parameters: WestAsada.Parameters
) -> Callable[[float, Array], Array]:
    """Joint angles over time: of the gait, or of the path at constant speed.

    Raises:
        BoaError: neither a gait nor a path with a known start.
    """
    gait = parameters.gait
    if gait is not None:
        return lambda time, start: joint_reference(gait, time, start).position
    if briefing.path is None or briefing.start_progress is None:
        raise BoaError(
            "controller west_asada needs parameters.gait, or a scenario with a path and a "
            "known start"
        )
    table = ReferenceTable(briefing.path.curve, briefing.robot.links, briefing.robot.link.pitch)
    begin, speed = briefing.start_progress, parameters.speed
    return lambda time, _: table.at(begin + speed * time).phi
