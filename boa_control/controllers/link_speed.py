# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speed of links, and how much of the drive of the joints it leaves.

A body that posts hold back from its shape springs to it when it slips off one of them, faster than
its gait runs, and strikes the next post. The blow grows with the closing speed, and is over before
a force sensor shows it. So the drive of the joints towards their references fades while a link
moves fast across itself, and their damping remains:

    share = 1 - clip((v / limit - EASY) / (1 - EASY), 0, 1)

with v the largest speed across itself of any end of a link. A head that surges ahead strikes posts
straight on, so its speed along itself may have a limit of its own. Both are keys of `gait_limits`.
"""

import numpy as np

from boa_control.controllers.base_estimate import BaseMotion
from boa_control.controllers.pace import EASY
from boa_control.model.dynamics import PlanarChain


def speed_across(chain: PlanarChain, motion: BaseMotion) -> float:
    """Largest speed across itself of either end of any link, m/s."""
    tailward = chain.across_rows(motion.posture) @ motion.qd
    headward = tailward + chain.pitch * np.cumsum(motion.qd[2:])
    return float(max(np.abs(tailward).max(), np.abs(headward).max()))


def head_speed(chain: PlanarChain, motion: BaseMotion) -> float:
    """Speed of the head along itself, either way, m/s."""
    return float(abs(chain.along_rows(motion.posture)[-1] @ motion.qd))


def drive_share(load: float) -> float:
    """Share of the drive that is left, from the share `load` of the limit that the speed has
    reached.
    """
    return 1.0 - min(max((load - EASY) / (1.0 - EASY), 0.0), 1.0)
