# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint PD control along the path with inverse dynamics and internal contact forces fed forward. A
baseline.

tau = K_P (phi_ref(s_r) - phi) + K_D (phi_ref'(s_r) s_r_dot - phi_dot) + M_phi qdd + h_phi - P_phi'
lam*(s), where lam*(s) are the forces nearest to the uniform reference that balance the base, M_b
qdd + h_b = P_b' lam*. They come from the QP of `hoal` with nothing to track.
Unlike there, the PD torque also acts in the directions that the contacts block: an error of the map
becomes a force.
"""

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.baselines.path_following import Following, PathFollower, PathParameters
from boa_control.controllers.contact_report import ContactReport
from boa_control.controllers.joint_pd import pd_torque
from boa_control.optimisation import contact_qp as qp
from boa_control.optimisation.compiled_solver import CompiledSolver
from boa_control.plant import SensorFrame
from boa_description.robot import Newton

# forces give way to the motion, not the other way round
EXACT_MOTION = qp.Weights(acceleration=100.0, travel=100.0, base=100.0)


class PathFeedforward:
    """PD with inverse dynamics and internal force feedforward."""

    class Parameters(PathParameters):
        """Those of every path follower, and the contact forces."""

        force: Newton = Field(
            default=5.0, ge=0, description="desired contact force, before equilibrium"
        )
        force_floor: Newton = Field(default=1.0, ge=0, description="least contact force")

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        self._parameters = parameters
        self._follower = PathFollower(briefing, parameters, "path_feedforward")
        self._solver = CompiledSolver(EXACT_MOTION)
        limit = np.full(briefing.robot.joints, briefing.robot.limits.torque)
        self._limits = np.stack([-limit, limit])
        self._friction = briefing.contact_friction

    def reset(self) -> None:
        """The next frame starts at the beginning."""
        self._follower.reset()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """One step of the law."""
        p, now = self._parameters, self._follower.follow(frame)
        feedforward = self._solver.solve(self._at_rest_on_the_path(now))
        feedback = pd_torque(p.kp, p.kd, now.phi - frame.position, now.phi_dot - frame.velocity)
        return ControlOutput(
            feedback + feedforward.torque,
            contacts=ContactReport(
                now.contacts, now.contacts.activation, feedforward.lam, feedforward.lam
            ),
            events=now.events,
            debug=now.debug,
        )

    def _at_rest_on_the_path(self, now: Following) -> qp.Problem:
        """The QP whose optimum moves exactly with the reference: no deviation is desired."""
        p, state, chain = self._parameters, now.state, self._follower.chain
        bias = state.inertial * now.rate**2 + state.mass @ state.dq * now.acceleration
        bias[3:] += chain.damping * state.dphi * now.rate
        gap, push = now.contacts.rows(chain, state, self._friction)
        desired, floor = now.contacts.preload(
            now.contacts.activation, p.force * now.share, p.force_floor
        )
        return qp.Problem(
            mass=state.mass,
            bias=bias,
            gap=gap,
            push=push,
            slip=None,
            redundant=now.contacts.left_out,
            target=np.zeros(chain.links - 1),
            along=state.dphi,
            desired=desired,
            floor=floor,
            torque_bounds=self._limits,
        )
