# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loops of the controller `hoal` once it holds its posts: speed along the path, shape across
it.
"""

import math

import numpy as np

from boa_control.compiled.on_path import ShapeGains, shape_loop
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.speed_reference import SpeedReference
from boa_control.estimation.low_pass import LowPass
from boa_control.model.path_model import PathState
from boa_description.arrays import Array


class Tracking:
    """Joint accelerations in addition to those that the path itself demands.

    The speed integral compares the speed with that of a model which moves as the QP decided, s_qp''
    = p.delta_phi / p'p, and follows the robot at the rate k_v:
        v_m' = s_qp'' - i_path + k_v (s_dot - v_m),  |v_m| <= |v_ref|,    i' = k_vi (v_m - s_dot).
    What the QP does not give, because contacts can hardly push along the path, is not taken for
    resistance. Where it gives what is desired, v_m' = k_v (v_ref - v_m).

    Attributes:
        integral: i, m/s2: the unknown resistance per inertia of the motion along the path. What
            resists turns round with the motion, and the integral with it.
        correction: acceleration along the path that corrects the speed, in the last target, m/s2.
    """

    def __init__(
        self, parameters: Parameters, joints: int, period: float, shape_limit: float = math.inf
    ) -> None:
        """`period`: of the control ticks, s. `shape_limit`: of the accelerations that a shape error
        asks for, norm over the joints, rad/s2.
        """
        self._p = parameters
        self._gains = ShapeGains(parameters.stiffness, parameters.damping, shape_limit)
        self._joints = joints
        self._period = period
        self._filter = LowPass(period, parameters.error_filter)
        self.reset()

    def reset(self) -> None:
        """Forget the errors so far."""
        self._resisted, self._resisting = 0.0, 1.0
        self._model_speed = self._rate = 0.0
        self._filtered = np.zeros(self._joints)
        self.correction = 0.0

    @property
    def integral(self) -> float:
        return self._resisting * self._resisted

    @property
    def resistance_on_path(self) -> float:
        """The part of the integral that contacts carry, m/s2."""
        return self.integral if self._p.integral_space == "path" else 0.0

    def record(self, delta: Array, state: PathState) -> None:
        """Let the model move as the QP decided: with the deviation `delta`, shape (n + 2,)."""
        p, before = state.dphi, self._model_speed
        given = p.dot(delta[3:]) / p.dot(p) - self.resistance_on_path
        follow = self._p.speed_gain * (self._rate - before)
        self._model_speed = before + self._period * (given + follow)

    def target(
        self,
        tick: Tick,
        reference: SpeedReference,
        startup: ContactAcquisition,
        resisting: float = 1.0,
    ) -> Array:
        """Desired deviation of the joint accelerations, shape (n - 1,), rad/s2.

        The shape loop is K_p e + K_d e', e = phi_ref(s) - phi = phi_ref' (s - s_predicted) -
        deviation, of which |K_p e| is limited.

        Args:
            reference: desired speed along the path.
            startup: knows the shape in which the robot has taken hold, and starts to move.
            resisting: factor of what resists the motion, see `Steering`.
        """
        self._resisting = resisting
        p, state, progress = self._p, tick.state, tick.progress
        dphi = state.dphi
        along = self._along(reference, progress.rate)
        ahead = progress.s - state.s
        deviation = progress.deviation
        if startup.settling:
            deviation = deviation - startup.ease(dphi * ahead - deviation)
        caught_up = p.stiffness * ahead + p.damping * progress.rate
        shape = np.empty(self._joints)
        whole = p.error_filter == 0
        ahead_too = along + caught_up if whole else caught_up
        shape_loop(shape, ahead_too, (dphi, deviation, tick.velocity, ahead), self._gains)
        if whole:
            return shape
        self._filtered = self._filter.follow(self._filtered, shape)
        return dphi * along + self._filtered

    def _along(self, reference: SpeedReference, rate: float) -> float:
        """Desired acceleration along the path, m/s2."""
        p, desired = self._p, reference.speed
        limit, most = p.tuning.law.integral, p.tuning.law.acceleration
        self._rate = rate
        self._model_speed = min(max(self._model_speed, -abs(desired)), abs(desired))
        missing = self._model_speed - rate
        self._resisted += self._resisting * p.speed_integral * missing * self._period
        self._resisted = min(max(self._resisted, -limit), limit)
        resistance = self.resistance_on_path
        along = p.speed_gain * (desired - rate) + resistance
        along = min(max(along, -most), most)
        self.correction = along - resistance
        return along + reference.acceleration

    def resistance(self, state: PathState) -> float:
        """Resistance in the joints by the integral, as a force along the path, N."""
        return state.path_inertia * self.integral if self._p.integral_space == "joint" else 0.0

    def transfer_to_feedforward(self, force: float, state: PathState) -> None:
        """Take resistance along the path, N, out of the integral: the feedforward compensates it
        from now on.
        """
        self._resisted -= self._resisting * force / state.path_inertia
