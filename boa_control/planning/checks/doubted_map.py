# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a path is strong enough for posts that may stand off their places on the map: what the
search among such posts demands, of the path as it is.
"""

from typing import NamedTuple

import numpy as np

from boa_control.optimisation.kept_travel import effective_mass
from boa_control.planning.checks.along_path import PathScan, Sample
from boa_control.planning.checks.displaced import PUSH_MASS, SLIDE, most_over_least
from boa_control.planning.checks.findings import Finding
from boa_control.planning.checks.limits import Load, feasible
from boa_control.planning.search.balance import LEAST, slide_per_shape
from boa_description.arrays import Array, Flags
from boa_description.scene import GRAVITY


class Weakness(NamedTuple):
    """What bodies along a path lack for such posts, over its samples, shape (N,) each.

    Attributes:
        slide: along themselves per change of their shape, m/rad.
        mass: norm of contact forces per acceleration along the path, kg.
        uneven: some contact must carry more, over the least, than `most_over_least` allows.
    """

    slide: Array
    mass: Array
    uneven: Flags


def weakness(scan: PathScan, map_error: float) -> Weakness:
    """Study a path; `map_error`: standard deviation of the places, m, of posts that give none."""
    std = [map_error if post.std is None else post.std for post in scan.path.contacts]
    most = np.minimum(scan.robot.limits.joint_force_fault, LEAST * most_over_least(np.array(std)))
    rows = [_sample(scan, sample, most[sample.contacts.contact]) for sample in scan.samples]
    slide, mass, uneven = np.array(rows).T
    return Weakness(slide, mass, uneven > 0)


def of_map_error(scan: PathScan, map_error: float) -> Finding | None:
    """Where a path is too weak for posts that stand off their places by `map_error`, m."""
    if map_error == 0.0 or not scan.path.contacts:
        return None
    weak = weakness(scan, map_error)
    bad = (weak.slide > SLIDE) | (weak.mass > PUSH_MASS) | weak.uneven
    if not bad.any():
        return None
    why = []
    if (weak.slide > SLIDE).any():
        why.append(f"the body slides by up to {weak.slide.max():.1f} m/rad of shape ({SLIDE:g})")
    if (weak.mass > PUSH_MASS).any():
        why.append(f"posts brake it like up to {weak.mass.max():.0f} kg ({PUSH_MASS:g})")
    if weak.uneven.any():
        why.append("some contacts carry too little beside others to be felt")
    return Finding(
        "warning",
        f"too weak for posts that stand off by map_error, {1e3 * map_error:.1f} mm, on "
        f"{bad.mean():.0%} of the path, first at s = {scan.positions()[bad.argmax()]:.3f} m: "
        f"{'; '.join(why)}. hoal may stand there or lose its hold; plan a path on a map that "
        "gives std",
    )


def _sample(scan: PathScan, sample: Sample, most: Array) -> tuple[float, float, float]:
    """`Weakness` at one sample, where contacts may carry `most`, N."""
    state = sample.state
    if not most.size:
        return np.inf, np.inf, 1.0
    _, push = sample.contacts.rows(scan.chain, state, 0.0)
    pull = state.ground / (scan.robot.link.mass * GRAVITY)
    held = push[None, :, :3], push[None, :, 3:].swapaxes(1, 2)
    slide = slide_per_shape(*held, pull[None, :3], pull[None, 3:])
    load = Load(friction=scan.ground.coefficient_at(0.0), least=LEAST, most=most)
    mass = effective_mass(push[:, :3], state.mass[:3] @ state.dq)
    return float(slide[0]), mass, float(not feasible(scan, sample, load))
