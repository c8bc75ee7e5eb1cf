# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The largest load that something bears, where it bears all smaller ones, too."""

from collections.abc import Callable


def largest(carries: Callable[[float], bool], top: float, halvings: int) -> float:
    """Largest x in [0, top] that is carried, to top / 2**halvings; 0 when none is."""
    if carries(top):
        return top
    low, high = 0.0, top
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if carries(middle) else (low, middle)
    return low
