# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Coulomb friction between links and obstacles, as a force of our own.

MuJoCo's friction cones (condim 3) relax the complementarity: a sliding contact is pushed open and
chatters. So contacts stay frictionless in the engine, and friction here follows the engine's normal
forces, smoothed a little.
"""

from collections.abc import Sequence

from boa_sim.engines.mujoco.contacts import PointKey

FILTER_TIME = 0.004  # s; normal forces are smoothed by this much before friction follows them
SLIP_SPEED = 0.005  # m/s; friction is viscous below
STEP_SHARE = 0.5  # of one link's sliding momentum that friction may take within a physics step


class SmoothedForces:
    """Normal forces of contact points, smoothed.

    A new contact starts at zero; a lost one is gone at once.
    """

    def __init__(self, step: float) -> None:
        """`step` is the physics step, s."""
        self._blend = step / (FILTER_TIME + step)
        self._forces: dict[PointKey, float] = {}

    def follow(self, keys: Sequence[PointKey], forces: Sequence[float]) -> None:
        """Add the normal forces (N) of one physics step."""
        known, self._forces = self._forces, {}
        for key, force in zip(keys, forces, strict=True):
            before = known.get(key, 0.0)
            self._forces[key] = before + self._blend * (force - before)

    def at(self, key: PointKey) -> float:
        """Smoothed normal force at a point, N."""
        return self._forces.get(key, 0.0)

    def reset(self) -> None:
        """Forget all contacts."""
        self._forces.clear()


def tangential_force(
    mu: float, normal_force: float, sliding: float, mass: float, step: float
) -> float:
    """Coulomb friction -mu N v / max(|v|, slip speed), N, but never enough to turn the sliding
    round in one step.

    Args:
        mu: friction coefficient.
        normal_force: N.
        sliding: tangential velocity of the link at the contact point, m/s.
        mass: of one link, kg.
        step: physics step, s.
    """
    strongest = STEP_SHARE * mass * abs(sliding) / step
    size = min(mu * normal_force * min(abs(sliding) / SLIP_SPEED, 1.0), strongest)
    return -size if sliding > 0 else size
