# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hybrid position and force control along the one motion that keeps all contacts.

The rig has one degree of freedom left (`boa_control.model.contact_manifold`) and contact forces
with some internal freedom. Motion: the coordinate s follows a sine. Force: the contact forces
follow the attainable ones nearest to a uniform reference. Dynamic hybrid control after Yoshikawa
(thesis 3.3.3) with the base rows kept:
  M(q) qdd + h(q, qd) = S' tau + J' lam,  q = q(s),  qdd = q' sdd + q'' sd^2,
  base rows:  J_b' lam = M_b qdd + h_b      -> lam = reference projected onto these, plus N u,  N =
  null(J_b'), joint rows: tau = M_phi qdd + h_phi - J_phi' lam.
u is a PI controller of the internal forces. See docs/mathematics_thesis.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import seconds
from boa_control.estimation.chain_sample import noise_of, sample_from_frame
from boa_control.estimation.contact_forces import ContactForceEstimator
from boa_control.estimation.contact_observer import contact_estimates
from boa_control.model.contact_geometry import LinkContacts, ObstacleMap
from boa_control.model.contact_manifold import ManifoldPoint, trace_manifold
from boa_control.model.dynamics import PlanarChain
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, Newton, NewtonMetre, RadianPerSecond, Ratio, Second


class ManifoldRocking:
    """Rocks to and fro with every contact pressing."""

    class Parameters(Block):
        """Motion, force and gains."""

        amplitude: Ratio = Field(
            default=0.9, gt=0, le=1, description="share of the usable range of s"
        )
        frequency: RadianPerSecond = Field(default=1.0, gt=0)
        margin: Ratio = Field(
            default=0.25,
            gt=0,
            lt=1,
            description="smallest of the forces with mean one: usable range",
        )
        force: Newton = Field(
            default=10.0, gt=0, description="uniform reference, before projection"
        )
        ramp: Second = Field(
            default=1.0, gt=0, description="force first, then motion, each within this time"
        )
        bandwidth: RadianPerSecond = Field(default=20.0, gt=0, description="of the motion along s")
        force_kp: float = Field(default=0.2, ge=0, description="N/N")
        force_ki: float = Field(default=2.0, ge=0, description="1/s")
        integral_limit: Newton = Field(default=5.0, ge=0)
        torque_uncertainty: NewtonMetre = Field(default=0.02, gt=0)

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        if briefing.start_base is None or briefing.start_joints is None:
            raise BoaError(
                "controller manifold_rocking needs the start pose; give the scenario initial: "
                "{base, joints}"
            )
        robot = briefing.robot
        self._parameters = parameters
        self._period = briefing.period
        self._manifold = trace_manifold(
            robot,
            briefing.start_base,
            briefing.start_joints,
            ObstacleMap.of(briefing.obstacles),
            margin=parameters.margin,
        )
        self._chain = PlanarChain(robot)
        self._estimator = ContactForceEstimator(
            robot, noise_of(robot, parameters.torque_uncertainty)
        )
        self.reset()

    def reset(self) -> None:
        """Back to s = 0, unloaded."""
        self._start_ns: int | None = None
        self._s = 0.0
        self._integral = np.zeros(len(self._manifold.pairs))

    def step(self, frame: SensorFrame) -> ControlOutput:
        """One step of the law."""
        if self._start_ns is None:
            self._start_ns = frame.stamp_ns
        time = seconds(frame.stamp_ns, self._start_ns)
        self._s = s = self._manifold.nearest(frame.position, self._s)
        point = self._manifold.at(s)
        speed = float(point.tangent[3:] @ frame.velocity)
        desired = self._reference_at(time)
        omega = self._parameters.bandwidth
        acceleration = (
            desired.acceleration
            + 2 * omega * (desired.speed - speed)
            + omega**2 * (desired.position - s)
        )
        qd = point.tangent * speed
        qdd = point.tangent * acceleration + point.curvature * speed**2
        contacts, jacobian = self._manifold.contacts(point.q)
        needed = self._generalised_force(point, qd, qdd)
        balanced, internal = _split(jacobian[:, :3], needed[:3])
        reference = balanced + internal @ (internal.T @ np.full(len(contacts), desired.force))
        measured, std = self._measured(frame, contacts)
        force = reference + self._force_correction(internal, reference - measured)
        return ControlOutput(
            needed[3:] - jacobian[:, 3:].T @ force,
            contacts=contact_estimates(contacts, measured, std, reference),
            debug={
                "s_rad": s,
                "s_reference_rad": desired.position,
                "reference_rad": self._manifold.at(desired.position).q[3:],
                "base_model": point.q[:3],
            },
        )

    def _reference_at(self, time: float) -> _Reference:
        """Force rises within the first ramp, motion within the second."""
        parameters = self._parameters
        force = parameters.force * min(time / parameters.ramp, 1.0)
        moving = time - parameters.ramp
        if moving <= 0:
            return _Reference(0.0, 0.0, 0.0, force)
        amplitude = parameters.amplitude * min(self._manifold.upper, -self._manifold.lower)
        grown, rate, curve = _smooth_step(moving / parameters.ramp)
        rate, curve = rate / parameters.ramp, curve / parameters.ramp**2
        omega = parameters.frequency
        sine, cosine = math.sin(omega * moving), math.cos(omega * moving)
        return _Reference(
            amplitude * grown * sine,
            amplitude * (rate * sine + grown * omega * cosine),
            amplitude * (curve * sine + 2 * rate * omega * cosine - grown * omega**2 * sine),
            force,
        )

    def _generalised_force(self, point: ManifoldPoint, qd: Array, qdd: Array) -> Array:
        """M qdd + h with the viscous friction of the joints, shape (n + 2,)."""
        posture = self._chain.posture(point.q)
        force: Array = self._chain.mass_matrix(posture) @ qdd + self._chain.bias(posture, qd)
        force[3:] += self._chain.damping * qd[3:]
        return force

    def _measured(self, frame: SensorFrame, contacts: LinkContacts) -> tuple[Array, Array]:
        sample = sample_from_frame(frame)
        if sample is None:
            return np.full(len(contacts), np.nan), np.full(len(contacts), np.inf)
        estimate = self._estimator.forces(sample, contacts)
        return estimate.force, estimate.std

    def _force_correction(self, internal: Array, error: Array) -> Array:
        """PI control of what torques can change at rest: the internal part of the force error."""
        if np.isnan(error).any():
            return np.zeros(len(error))
        error = internal @ (internal.T @ error)
        limit = self._parameters.integral_limit
        integral = self._integral + self._parameters.force_ki * self._period * error
        self._integral = np.minimum(np.maximum(internal @ (internal.T @ integral), -limit), limit)
        correction: Array = self._parameters.force_kp * error + self._integral
        return correction


@dataclass(frozen=True, slots=True)
class _Reference:
    """References at one time: s (rad), its derivatives, and the uniform contact force (N)."""

    position: float
    speed: float
    acceleration: float
    force: float


def _smooth_step(x: float) -> tuple[float, float, float]:
    """Rise from 0 to 1 over [0, 1] with continuous curvature; value and both derivatives."""
    if x >= 1:
        return 1.0, 0.0, 0.0
    return x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)


def _split(base_jacobian: Array, needed: Array) -> tuple[Array, Array]:
    """Shortest contact forces with J_b' lam = needed, shape (nc,), and an orthonormal basis of the
    internal ones.
    """
    basis, triangle = np.linalg.qr(base_jacobian, mode="complete")
    balanced: Array = basis[:, :3] @ np.linalg.solve(triangle[:3].T, needed)
    return balanced, basis[:, 3:]
