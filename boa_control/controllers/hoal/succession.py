"""From one path to another under a robot at rest: whether it is, and what of the body and its
contacts is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_control.controllers.hoal.caution import Caution
from boa_control.controllers.hoal.outage import Outage
from boa_control.controllers.hoal.rest import Rest
from boa_control.controllers.hoal.start import StartPlace
from boa_control.controllers.hoal.startup import StartUp
from boa_control.model.contact_set import ContactSet
from boa_control.model.reference import ReferenceTable
from boa_description.arrays import Indices
from boa_description.errors import BoaError

SAME_BODY = 3e-3  # m by which a joint axis may lie elsewhere on the new path
SAME_CONTACT = 0.02  # m along a link between two contacts that are one


class SameContacts(NamedTuple):
    """Contacts along the former path and along the new one that are the same, in pairs: indices
    in `PlannedPath.obstacles`, shape (k,) each.
    """

    former: Indices
    new: Indices


def unrest_of(
    start: StartPlace, outage: Outage, startup: StartUp, caution: Caution, rest: Rest
) -> str:
    """Why a robot can take no other path now; empty while it stands, held by its posts."""
    if not start.located or start.on_trial:
        return "where on its path the robot starts is not known yet"
    if outage.present:
        return "the joints do not give the torque that is commanded; arm the robot"
    if not startup.complete:
        return "the robot still takes hold of its posts; wait until it holds them"
    if caution.lost:
        return "the robot does not know what it touches; free it and start again"
    if not rest.standing:
        return f"the robot moves at {rest.rate:.3f} m/s; stop it (speed 0) and wait until it stands"
    return ""


def require_same_body(
    former: ReferenceTable, s_former: float, new: ReferenceTable, s_new: float
) -> None:
    """Refuse a new path that does not run where the robot lies.

    Args:
        s_former, s_new: arc lengths of the middle joint on both, m.

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
    if not apart[worst] <= SAME_BODY:
        raise BoaError(
            f"new path: the robot does not lie on it; joint axis {worst} is {apart[worst]:.3f} m "
            f"from where it would be, at most {SAME_BODY:g} m can be rounding; plan from where the "
            "robot lies"
        )


def same_contacts(former: ContactSet, new: ContactSet) -> SameContacts:
    """Pairs of contacts at the same place of the body, from both sets of a robot at rest."""
    pairs = [
        (int(former.post[i]), int(new.post[j]))
        for j in range(new.post.size)
        for i in range(former.post.size)
        if former.side[i] == new.side[j]
        and former.link[i] == new.link[j]
        and abs(former.offset[i] - new.offset[j]) <= SAME_CONTACT
    ]
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return SameContacts(first, second)
