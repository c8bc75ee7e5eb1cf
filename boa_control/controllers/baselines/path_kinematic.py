# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic hybrid control after West and Asada (thesis 3.3.4) along the path, with a joint-level
loop. A baseline.

    dtheta_d = F (phi_ref(s_r) - theta_d)          (3.52; only motions that the contacts allow)
    tau = K_P (theta_d - phi) + K_D (theta_d_dot - phi_dot) - J_phi' lam*
with lam* the forces at rest nearest to the uniform reference. The contact Jacobian has the base
eliminated; contacts come from the map. Dynamics are neglected, as in the thesis. `west_asada` is
the same law for measured contacts.
"""

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.baselines.path_following import PathFollower, PathParameters
from boa_control.controllers.contact_report import ContactReport
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.projection import (
    attainable_forces,
    eliminate_base,
    motion_projector,
    shortened,
)
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Newton, RadianPerSecond


class PathKinematic:
    """Reference filtered by the planned contacts, plus internal contact forces at rest."""

    class Parameters(PathParameters):
        """Those of every path follower, and the contact forces."""

        force: Newton = Field(default=5.0, ge=0, description="uniform reference, before projection")
        largest_rate: RadianPerSecond = Field(
            default=2.0, gt=0, description="of the filtered reference, of any joint"
        )

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        self._parameters = parameters
        self._period = briefing.period
        self._follower = PathFollower(briefing, parameters, "path_kinematic")
        self.reset()

    def reset(self) -> None:
        """The next frame starts at the beginning."""
        self._follower.reset()
        self._desired: Array | None = None

    def step(self, frame: SensorFrame) -> ControlOutput:
        """One step of the law."""
        p, now = self._parameters, self._follower.follow(frame)
        desired = frame.position if self._desired is None else self._desired
        rows = now.contacts.rows(self._follower.chain, now.state, 0.0)[0]
        allowed = motion_projector(eliminate_base(rows[now.contacts.activation >= 1.0]))
        step = shortened(allowed @ (now.phi - desired), p.largest_rate * self._period)
        self._desired = desired + step
        # in units of the activation, forces of contacts that come or go stay small by themselves
        share = now.contacts.activation
        force = share * attainable_forces(
            share[:, None] * rows, np.full(share.size, p.force * now.share)
        )
        torque = pd_torque(
            p.kp, p.kd, self._desired - frame.position, step / self._period - frame.velocity
        )
        return ControlOutput(
            torque - rows[:, 3:].T @ force,
            contacts=ContactReport(now.contacts, share, force, force),
            events=now.events,
            debug={**now.debug, "reference_rad": self._desired},
        )
