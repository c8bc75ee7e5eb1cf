# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The hybrid law of the thesis (4.3.2) for the whole snake on its path. A baseline.

tau = P_motion tau_pd - sum_i J_N,i' (K_P e_i + K_I int e_i dt),  e_i = k F_base - F_i,
P_motion = I - J_N' (J_N J_N' + r I)^-1 J_N, r = 1. As in `two_phase`, pressing takes the minus sign
(the printed one pulls the links off the posts), and J_N has the columns of the actuated joints
only: nothing makes the desired forces balance the base. F_i come from the joint force sensors, the
reference F_base is the same for all contacts.
"""

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.baselines.path_following import PathFollower, PathParameters
from boa_control.controllers.contact_report import ContactReport
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.projection import regularised_projector
from boa_control.estimation.low_pass import LowPass
from boa_control.estimation.sideways_balance import measured_forces
from boa_control.model.contact_set import ContactSet
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Newton, Second


class PathThesis:
    """Projected PD plus PI control of every contact force."""

    class Parameters(PathParameters):
        """Those of every path follower, and the force loop."""

        force: Newton = Field(default=5.0, ge=0, description="F_base")
        force_kp: float = Field(default=0.5, ge=0, description="N/N")
        force_ki: float = Field(default=5.0, ge=0, description="1/s")
        integral_limit: Newton = Field(default=8.0, ge=0)
        force_filter: Second = Field(
            default=0.01, ge=0, description="time constant of the force feedback"
        )
        regularisation: float = Field(default=1.0, gt=0, description="r in P_motion, m2")

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        self._parameters = parameters
        self._period = briefing.period
        self._follower = PathFollower(briefing, parameters, "path_thesis")
        assert briefing.path is not None  # the follower has checked
        self._posts = len(briefing.path.contacts)
        self.reset()

    def reset(self) -> None:
        """The next frame starts at the beginning."""
        self._follower.reset()
        self._measured, self._integral = np.zeros(self._posts), np.zeros(self._posts)

    def step(self, frame: SensorFrame) -> ControlOutput:
        """One step of the law."""
        p, now, chain = self._parameters, self._follower.follow(frame), self._follower.chain
        sensed = measured_forces(
            frame, now.contacts, chain, now.state.sideways(now.progress.rate, 0.0)
        )
        desired = p.force * now.share * now.contacts.activation
        effort = self._effort(now.contacts, desired, sensed)
        rows = now.contacts.rows(chain, now.state, 0.0)[0][:, 3:]
        motion = pd_torque(p.kp, p.kd, now.phi - frame.position, now.phi_dot - frame.velocity)
        projected = (
            regularised_projector(now.contacts.activation[:, None] * rows, p.regularisation)
            @ motion
        )
        return ControlOutput(
            projected - rows.T @ effort,
            contacts=self._report(now.contacts, desired),
            events=now.events,
            debug=now.debug,
        )

    def _report(self, contacts: ContactSet, desired: Array) -> ContactReport:
        measured = self._measured[contacts.contact]
        return ContactReport(contacts, contacts.activation, measured, desired)

    def _effort(self, contacts: ContactSet, desired: Array, sensed: Array | None) -> Array:
        """u_F of the planned contacts, shape (nc,), N; the state of all others is forgotten."""
        p, post = self._parameters, contacts.contact
        measured, integral = self._measured[post], self._integral[post]
        if sensed is not None:
            measured = LowPass(self._period, p.force_filter).follow(measured, sensed)
        error = desired - measured
        integral = np.clip(
            integral + p.force_ki * self._period * error, -p.integral_limit, p.integral_limit
        )
        self._measured, self._integral = np.zeros(self._posts), np.zeros(self._posts)
        self._measured[post], self._integral[post] = measured, integral
        effort: Array = contacts.activation * (p.force_kp * error + integral)
        return effort
