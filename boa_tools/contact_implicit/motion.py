# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One period of a chain's motion with all its forces, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of a chain.

    Attributes:
        knots: of one period.
        step: between two, s.
        distance: to be gone in one period, m.
        joint_limit: largest joint angle to either side, rad. speed_limit: of joints, rad/s.
        effort_limit: largest effort of any actuator.
    """

    knots: int
    step: float
    distance: float
    joint_limit: float
    speed_limit: float
    effort_limit: float


@dataclass(frozen=True, slots=True)
class Motion(Generic[Scalar]):
    """One period, of numbers or of their places in a vector; all arrays have a row for each knot.

    Attributes:
        x, z, theta: of the bodies, (N, B), m, rad.
        force_x, force_z: at each joint on the body towards the head, (N, B - 1), N.
        effort: (N, A).
        gap: (N, C), m.
        ahead, behind: a = mu f_n + f_t and b = mu f_n - f_t of every sphere, (N, C), N.
        forward, back: way that a sphere slid to either side, (N, C), m.
    """

    x: NDArray[Scalar]
    z: NDArray[Scalar]
    theta: NDArray[Scalar]
    force_x: NDArray[Scalar]
    force_z: NDArray[Scalar]
    effort: NDArray[Scalar]
    gap: NDArray[Scalar]
    ahead: NDArray[Scalar]
    behind: NDArray[Scalar]
    forward: NDArray[Scalar]
    back: NDArray[Scalar]

    def rolled(self, knots: int) -> Motion[Scalar]:
        """Of each knot what belongs to the one so many earlier, in turn."""
        return Motion(*(np.roll(part, knots, axis=0) for part in self.parts))

    @property
    def parts(self) -> tuple[NDArray[Scalar], ...]:
        """All arrays in their order."""
        return tuple(getattr(self, field.name) for field in fields(self))
