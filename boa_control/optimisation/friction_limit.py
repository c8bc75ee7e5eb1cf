# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much posts may rub for contacts to balance the robot where it is."""

import numpy as np

from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.optimisation.balance import TorqueRange, balanced_forces
from boa_control.optimisation.bisection import largest
from boa_description.robot import Robot

LEAST_FORCE = 0.5  # N on every contact
LARGEST_FRICTION = 0.5  # of posts, up to which balance is tried
BISECTIONS = 7  # of the friction that contacts bear: to 0.004


def friction_limit(
    robot: Robot, chain: PlanarChain, state: PathState, contacts: ContactSet
) -> float:
    """Largest friction of all posts with which these contacts balance the robot on its path within
    the torques of its servos, on a smooth floor, up to `LARGEST_FRICTION`; -1 where they do not
    without any.
    """
    most = np.full(robot.joints, robot.limits.torque)
    load = np.zeros(state.dq.size)

    def balances(friction: float) -> bool:
        if not contacts.link.size:
            return False
        _, push = contacts.rows(chain, state, friction)
        torques, fault = TorqueRange(-most, most), robot.limits.joint_force_fault
        return balanced_forces(push, load, torques, LEAST_FORCE, fault) is not None

    return largest(balances, LARGEST_FRICTION, BISECTIONS) if balances(0.0) else -1.0
