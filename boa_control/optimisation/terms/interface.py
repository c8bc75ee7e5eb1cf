# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a QP is made of: terms of its cost, and limits.

Unknowns are z = [lam, delta], the contact forces, shape (nc,), and the deviation from the
acceleration of the path, shape (n + 2,), the base first. A new term or limit is a class in a file
of its own.
"""

import math
from abc import ABC, abstractmethod
from typing import NamedTuple, Self

import numpy as np

from boa_control.optimisation.contact_qp import Problem, Solution
from boa_description.arrays import Array


class Cost(NamedTuple):
    """1/2 z'H z + c'z; H is symmetric, of no negative eigenvalue."""

    H: Array
    c: Array

    @classmethod
    def of_error(cls, problem: Problem, first: int, weight: Array, desired: Array) -> Self:
        """1/2 (x - desired)' W (x - desired) of the unknowns x from `first` on.

        Args:
            weight: W, shape (m, m). desired: shape (m,).
        """
        size = sum(problem.push.shape)
        part = slice(first, first + desired.size)
        H, c = np.zeros((size, size)), np.zeros(size)
        H[part, part] = weight
        c[part] = -weight @ desired
        return cls(H, c)


class Rows(NamedTuple):
    """lower <= G z <= upper, shapes (m,), (m, nc + n + 2), (m,).

    Attributes:
        price: a violation costs this times half its square; infinite: there is none.
    """

    lower: Array
    G: Array
    upper: Array
    price: float = math.inf


class Term(ABC):
    """A wish: a part of the cost."""

    @abstractmethod
    def cost(self, problem: Problem) -> Cost:
        """Of one instance."""


class Limit(ABC):
    """What must be, or what a price is to be paid for."""

    @abstractmethod
    def rows(self, problem: Problem) -> Rows | None:
        """Of one instance; None where there are none."""

    def cut(self, problem: Problem, solution: Solution) -> Rows | None:  # noqa: ARG002
        """Rows that cut off an optimum beyond a limit that no fixed rows describe; None where it is
        within, as always where `rows` says everything.
        """
        return None
