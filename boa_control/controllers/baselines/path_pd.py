# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plain joint PD control along the path: follows the shape, regulates no force. A baseline."""

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.baselines.path_following import PathFollower, PathParameters
from boa_control.controllers.joint_pd import pd_torque
from boa_control.plant import SensorFrame


class PathPd:
    """tau = K_P (phi_ref(s_r) - phi) + K_D (phi_ref'(s_r) s_r_dot - phi_dot), s_r running ahead of
    the robot.
    """

    Parameters = PathParameters

    def __init__(self, briefing: Briefing, parameters: PathParameters) -> None:
        self._parameters = parameters
        self._follower = PathFollower(briefing, parameters, "path_pd")

    def reset(self) -> None:
        """The next frame starts at the beginning."""
        self._follower.reset()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques towards the reference.

        Contacts are neither estimated nor regulated, so none are reported.
        """
        now = self._follower.follow(frame)
        p = self._parameters
        torque = pd_torque(p.kp, p.kd, now.phi - frame.position, now.phi_dot - frame.velocity)
        return ControlOutput(torque, events=now.events, debug=now.debug)
