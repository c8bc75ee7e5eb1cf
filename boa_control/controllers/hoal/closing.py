"""How fast the body comes to posts, as far as its reference says: with its leading end to those
before it, and with the flank of a link to a post that the link beside it touches.

The speed along the path is that of the joints. A body that keeps posts in touch which stand off the
map may go faster at its leading end. And a post is handed over from link to link: where it stands
as on the map, the joint is nearly straight as it passes; where it stands in a bend, the next flank
sweeps into it.
"""

from __future__ import annotations

import math

from boa_control.controllers.hoal.deformation import leading_end
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.model.reference import ReferenceTable
from boa_description.arrays import Array


def leading_speed(chain: PlanarChain, state: PathState, travel: Array, direction: int) -> complex:
    """Of the leading end, along itself and across itself (imaginary), per speed along the path,
    where the body moves by `travel`, (n + 2,), per metre. `direction`: 1: the head leads; -1: the
    tail.
    """
    along = state.along_rows[-1 if direction > 0 else 0].dot(travel)
    return direction * complex(along, leading_end(chain, state, direction).dot(travel))


def handover_limit(
    reference: ReferenceTable,
    state: PathState,
    held: ContactSet,
    direction: int,
    closing: float,
    braking: float,
) -> float:
    """Speed along the path, m/s, at which the flank of the next link meets no post faster than
    `closing`, m/s: in a joint bent by phi towards the post it comes with sin phi of that speed.

    Args:
        reference: of the path, which tells how the joints bend on the way to the posts.
        state: of the bent chain. held: contacts that are felt.
        direction: 1: the head leads; -1: the tail.
        braking: m/s2, with which the robot slows down before.
    """
    limit, now = math.inf, reference.at(state.s).phi
    joints = held.link if direction > 0 else held.link + 1
    ways = held.offset if direction > 0 else reference.pitch - held.offset
    for joint, way, side, reach in zip(
        joints.tolist(), ways.tolist(), held.side.tolist(), held.reach.tolist(), strict=True
    ):
        if not 0 < joint < reference.links:
            continue
        then = reference.at(state.s + direction * way).phi
        bend = side * (state.q[2 + joint] + then[joint - 1] - now[joint - 1])
        if bend > 0.0:  # both flanks touch the post that far before the joint
            way = max(way - reach * math.tan(bend / 2), 0.0)
            limit = min(limit, math.hypot(closing / math.sin(bend), math.sqrt(2 * braking * way)))
    return limit
