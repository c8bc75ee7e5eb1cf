"""Kernels of the control step as compiled loops, where numpy's calls cost more than the sums.

A tick has two hundred arrays of 5 to 20 numbers, and a call of numpy takes as long as all the sums
in it. numba compiles the loops once per machine and keeps them beside the package, or in the user's
cache. They are compiled for the types of their signatures when a module here is imported, never in
a tick; arrays of other types are refused. Loading takes a third of a second, so a controller
imports them only where it needs them. Sums run in a fixed order: the same numbers on every run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def compiled(signature: str) -> Decorator:
    """Decorator: compile a function for one signature, in numba's notation."""

    def compile_it(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return _compile(function, signature, cache=True)
        except RuntimeError:  # no folder to keep it in: compiled anew by every process
            return _compile(function, signature, cache=False)

    return compile_it


def _compile(function: Callable[..., Any], signature: str, cache: bool) -> Callable[..., Any]:
    """As numpy does it, a division by 0 gives an infinity."""
    decorate: Decorator = numba.njit(signature, cache=cache, error_model="numpy")
    return decorate(function)
