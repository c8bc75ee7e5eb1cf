# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The terms and limits of the QP of `contact_qp`, one a file."""

from boa_control.optimisation.contact_qp import Weights
from boa_control.optimisation.terms.base_balance import BaseBalance
from boa_control.optimisation.terms.base_motion import BaseMotion
from boa_control.optimisation.terms.contact_force import ContactForce
from boa_control.optimisation.terms.force_bounds import ForceBounds
from boa_control.optimisation.terms.interface import Limit, Term
from boa_control.optimisation.terms.joint_force import JointForce
from boa_control.optimisation.terms.kept_contacts import KeptContacts
from boa_control.optimisation.terms.servo_torque import ServoTorque
from boa_control.optimisation.terms.shape_tracking import ShapeTracking


def terms_of(weights: Weights) -> tuple[Term, ...]:
    """The cost of `contact_qp`."""
    return (
        ShapeTracking(weights.acceleration, weights.travel),
        ContactForce(weights.force),
        BaseMotion(weights.base),
    )


def limits_of(weights: Weights) -> tuple[Limit, ...]:
    """The limits of `contact_qp`."""
    price = weights.violation
    return BaseBalance(), KeptContacts(), ForceBounds(price), ServoTorque(), JointForce(price)
