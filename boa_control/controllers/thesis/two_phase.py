# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The two-phase hybrid position and force controller of the thesis (section 4.3.2).

tau = P_motion tau_pd + tau_force with
  tau_pd    = K_P (theta_r - theta) + K_D (theta_r_dot - theta_dot),
  P_motion  = I - J_N' (J_N J_N' + r I)^-1 J_N                                (r = 1 in the thesis),
  tau_force = -sum_i J_N,i' (K_P,i e_i + K_I,i int e_i dt),  e_i = k F_base - F_i.
Our normals point from the obstacle to the link, so pressing takes the minus sign; the thesis's
point the other way. J_N holds the columns of the actuated joints only, as there: the base, which
nothing drives, is left out, so force and motion stay coupled and a contact on link 1 gets no torque
at all. Phase A brings the robot into its contacts, phase B is the experiment; each may use any part
of the law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import check_gait, per_joint, seconds
from boa_control.controllers.gaits import (
    Activation,
    ConstantActivation,
    Hold,
    JointReference,
    PlanarGait,
    activation_level,
    joint_reference,
)
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.projection import (
    attainable_forces,
    regularised_projector,
    static_forces,
)
from boa_control.estimation.contact_observer import ContactObserver, Observation, ObserverSettings
from boa_control.estimation.low_pass import LowPass
from boa_control.events import Event, EventKind
from boa_control.model.contact_geometry import Pair
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Block, Newton, NewtonMetre, NewtonMetreSecond, Second


class ForceLoop(Block):
    """PI control of every contact's normal force. The integral is kept within
    +-`integral_limit`.
    """

    reference: Newton = Field(default=0.5, ge=0, description="F_base; the reference is k F_base")
    kp: float = Field(default=0.5, ge=0, description="N/N")
    ki: float = Field(default=0.0, ge=0, description="1/s")
    integral_limit: Newton = Field(default=1.0, ge=0)


class Phase(Block):
    """One phase. Without gains it gives no motion torque, without `force` it controls no force."""

    gait: PlanarGait = Hold()
    kp: float = Field(default=0.0, ge=0, description="N m/rad")
    kd: NewtonMetreSecond = Field(default=0.0, ge=0)
    motion_limit: NewtonMetre | None = Field(
        default=None, gt=0, description="cut of the PD torque per joint"
    )
    project: bool = Field(default=False, description="apply P_motion")
    contact_torque: NewtonMetre | tuple[NewtonMetre, ...] = Field(
        default=0.0, description="k times this is held: the scalable torque vector of thesis 3.3"
    )
    force: ForceLoop | None = None
    activation: Activation = ConstantActivation()


class TwoPhase:
    """Phase A for `switch_time`, then phase B."""

    class Parameters(Block):
        """Both phases and what they share."""

        phase_a: Phase
        phase_b: Phase
        switch_time: Second = Field(ge=0, description="duration of phase A")
        regularisation: float = Field(default=1.0, gt=0, description="r in P_motion, m2")
        contact_fade: Second = Field(
            default=0.02,
            ge=0,
            description="a contact enters and leaves J_N within this time; 0: at once",
        )
        force_filter: Second = Field(
            default=0.01, ge=0, description="time constant of the force feedback"
        )
        observer: ObserverSettings = ObserverSettings()

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        joints = briefing.robot.joints
        for name, phase in (("phase_a", parameters.phase_a), ("phase_b", parameters.phase_b)):
            check_gait(phase.gait, briefing.robot, f"controller two_phase: {name}.gait")
            per_joint(phase.contact_torque, joints, f"controller two_phase: {name}.contact_torque")
        self._parameters = parameters
        self._period = briefing.period
        self._briefed_start = briefing.start_joints
        self._friction = briefing.contact_friction
        self._observer = ContactObserver(briefing, parameters.observer)
        self.reset()

    def reset(self) -> None:
        """Start again with phase A."""
        self._observer.reset()
        self._start_ns: int | None = None
        self._start_joints = np.zeros(0)
        self._loops: dict[Pair, _ContactLoop] = {}

    def step(self, frame: SensorFrame) -> ControlOutput:
        """One step of the law."""
        if self._start_ns is None:
            self._start_ns = frame.stamp_ns
            self._start_joints = (
                frame.position.copy() if self._briefed_start is None else self._briefed_start
            )
        time = seconds(frame.stamp_ns, self._start_ns)
        in_b = time >= self._parameters.switch_time
        phase = self._parameters.phase_b if in_b else self._parameters.phase_a
        since = time - self._parameters.switch_time if in_b else time
        begins_b = in_b and since < self._period
        seen = self._observer.observe(frame)
        level = activation_level(phase.activation, since)
        reference = joint_reference(phase.gait, since, self._start_joints)
        loops = self._update_loops(seen, phase.force, level)
        pressing = level * per_joint(phase.contact_torque, frame.position.size, "contact_torque")
        torque = (
            self._motion(frame, phase, reference, seen, loops)
            + pressing
            + _force_torque(seen, loops)
        )
        return ControlOutput(
            torque,
            contacts=seen.estimates(self._feasible_reference(seen, phase, level, pressing)),
            events=(Event(kind=EventKind.PHASE, state="b"),) if begins_b else (),
            debug={
                "reference_rad": reference.position,
                "activation": level,
                "force_sum_n": float(seen.force[seen.touching].sum()),
                "base_estimate": seen.pose.base,
            },
        )

    def _feasible_reference(
        self, seen: Observation, phase: Phase, level: float, pressing: Array
    ) -> Array | None:
        """Contact forces of the commanded force part at rest, N; NaN without contact.

        None where statics does not say: fewer than four frictionless contacts balance no force, and
        friction leaves open how much of it the contacts share out between them.
        """
        commanded = phase.force is not None or pressing.any()
        if seen.touching.sum() < 4 or self._friction > 0 or not commanded:
            return None
        rows = seen.jacobian[seen.touching]
        uniform = np.full(
            len(rows), level * phase.force.reference if phase.force is not None else 0.0
        )
        reference = np.full(len(seen.contacts), np.nan)
        reference[seen.touching] = attainable_forces(rows, uniform) + static_forces(rows, pressing)
        return reference

    def _motion(
        self,
        frame: SensorFrame,
        phase: Phase,
        reference: JointReference,
        seen: Observation,
        loops: list[_ContactLoop],
    ) -> Array:
        torque = pd_torque(
            phase.kp,
            phase.kd,
            reference.position - frame.position,
            reference.velocity - frame.velocity,
            phase.motion_limit,
        )
        if not phase.project:
            return torque
        fade = np.array([loop.fade for loop in loops])
        rows = fade[:, None] * seen.jacobian[:, 3:]
        projected: Array = regularised_projector(rows, self._parameters.regularisation) @ torque
        return projected

    def _update_loops(
        self, seen: Observation, force: ForceLoop | None, level: float
    ) -> list[_ContactLoop]:
        """Advance fade, filter and integral of every contact in reach; drop those out of reach."""
        pairs = seen.contacts.pairs
        loops = [self._loops.get(pair, _ContactLoop()) for pair in pairs]
        updated = [
            loop.advanced(self._parameters, force, level, measured, touches, self._period)
            for loop, measured, touches in zip(loops, seen.force, seen.touching, strict=True)
        ]
        self._loops = dict(zip(pairs, updated, strict=True))
        return updated


@dataclass(frozen=True, slots=True)
class _ContactLoop:
    """State of the force loop of one contact.

    Attributes:
        fade: 0 (out of the law) to 1. filtered: force feedback, N. integral: K_I int e dt, N.
            effort: u_F, N.
    """

    fade: float = 0.0
    filtered: float = 0.0
    integral: float = 0.0
    effort: float = 0.0

    def advanced(
        self,
        parameters: TwoPhase.Parameters,
        force: ForceLoop | None,
        level: float,
        measured: float,
        touches: bool,
        dt: float,
    ) -> _ContactLoop:
        """The state one period later."""
        share = dt / parameters.contact_fade if parameters.contact_fade > dt else 1.0
        fade = min(max(self.fade + (share if touches else -share), 0.0), 1.0)
        if fade == 0.0:
            return _ContactLoop()
        filtered = LowPass(dt, parameters.force_filter).follow(self.filtered, measured)
        if force is None:
            return _ContactLoop(fade, filtered)
        error = level * force.reference - filtered
        integral = self.integral + force.ki * error * dt
        integral = min(max(integral, -force.integral_limit), force.integral_limit)
        return _ContactLoop(fade, filtered, integral, fade * (force.kp * error + integral))


def _force_torque(seen: Observation, loops: list[_ContactLoop]) -> Array:
    effort = np.array([loop.effort for loop in loops])
    torque: Array = -seen.jacobian[:, 3:].T @ effort
    return torque
