# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From one path to another under a robot at rest: whether it is, and whether the body lies on
both.
"""

import numpy as np

from boa_control.controllers.hoal.law.standstill import Standstill
from boa_control.controllers.hoal.law.torque_loss import TorqueLoss
from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.start.initial_place import StartPlace
from boa_control.controllers.hoal.supervision.interface import Supervision
from boa_control.model.reference import ReferenceTable
from boa_description.errors import BoaError


def unrest_of(
    start: StartPlace,
    outage: TorqueLoss,
    startup: ContactAcquisition,
    supervision: Supervision,
    rest: Standstill,
) -> str:
    """Why a robot can take no other path now; empty while it stands, held by its posts."""
    if not start.located or start.on_trial:
        return "where on its path the robot starts is not known yet"
    if outage.present:
        return "the joints do not give the torque that is commanded; arm the robot"
    if not startup.complete:
        return "the robot still takes hold of its posts; wait until it holds them"
    if supervision.lost:
        return "the robot does not know what it touches; free it and start again"
    if not rest.standing:
        return f"the robot moves faster than {rest.still_rate:g} m/s; stop it, wait until it stands"
    return ""


def require_same_body(
    former: ReferenceTable, s_former: float, new: ReferenceTable, s_new: float, within: float
) -> None:
    """Refuse a new path that does not run where the robot lies.

    Args:
        s_former, s_new: arc lengths of the middle joint on both, m. within: by which a joint axis
            may lie elsewhere, m.

    Raises:
        BoaError: says how far off the body would lie, and which joint.
    """
    start, end = new.extent
    if not new.curve.closed and not start <= s_new <= end:
        raise BoaError(
            f"new path: the robot would lie at {s_new:.3f} m of it, but the whole robot is on it "
            f"from {start:.3f} to {end:.3f} m only; plan from where the robot lies"
        )
    axes = former.curve.position(former.at(s_former).sigma)
    others = new.curve.position(new.at(s_new).sigma)
    apart = np.hypot(*(others - axes).T)
    worst = int(apart.argmax())
    if not apart[worst] <= within:
        raise BoaError(
            f"new path: the robot does not lie on it; joint axis {worst} is {apart[worst]:.3f} m "
            f"from where it would be, at most {within:g} m can be rounding; plan from where the "
            "robot lies"
        )
