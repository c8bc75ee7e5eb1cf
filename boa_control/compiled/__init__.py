# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the control step as compiled loops, where numpy's calls cost more than the sums.

A tick has two hundred arrays of 5 to 20 numbers, and a call of numpy takes as long as all the sums
in it. numba compiles the loops once per machine and keeps them beside the package, or in the user's
cache. They are compiled for the types of their signatures when a module here is imported, never in
a tick; arrays of other types are refused. Loading takes a third of a second; those of a bent chain
are loaded only where there is one. Sums run in a fixed order: the same numbers on every run.

A kernel here calls only kernels of its own file: numba compiles it anew when that file has changed,
and looks at no other. What runs outside of ticks, as a simulation, is `compiled_when_called`.
"""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from time import process_time
from typing import Any

import numba

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
# time of the processor, which other programs change least, for all kernels of the main controller,
# of that for the first: 40 s of 0.34 s
ALL_OF_FIRST = 120
KEPT = "once per machine"
NOT_KEPT = (
    "in every process, for there is no folder to keep it in, or no room there; set NUMBA_CACHE_DIR "
    "to one that can be written"
)


def compiled(signature: str) -> Decorator:
    """Decorator: compile a function for one signature, in numba's notation."""

    def compile_it(function: Callable[..., Any]) -> Callable[..., Any]:
        begin = process_time()
        try:
            kernel = _compile(function, signature, keep=True)
            how_often = KEPT
        except (RuntimeError, OSError):  # no folder to keep it in, or no room there
            kernel = _compile(function, signature, keep=False)
            how_often = NOT_KEPT
        stats = getattr(kernel, "stats", None)  # none where NUMBA_DISABLE_JIT is set
        if stats is not None and stats.cache_misses:
            _tell(how_often, process_time() - begin)
        return kernel

    return compile_it


def compiled_when_called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: compile a function for the types that it is first called with; for those who wait
    anyway, not for a tick.
    """
    try:
        kernel: Callable[..., Any] = numba.njit(cache=True)(function)
    except RuntimeError:  # no folder to keep it in
        kernel = numba.njit(function)
        _tell(NOT_KEPT, math.nan)
    return kernel


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: a function that only kernels of its file call, compiled together with them; to
    load it alone would cost as much as a kernel.
    """
    part: Callable[..., Any] = numba.njit(error_model="numpy")(function)
    return part


def _compile(function: Callable[..., Any], signature: str, keep: bool) -> Any:
    """As numpy does it, a division by 0 gives an infinity."""
    with _without_scipy():
        return numba.njit(signature, cache=keep, error_model="numpy")(function)


@contextmanager
def _without_scipy() -> Iterator[None]:
    """With its first kernel numba looks for a BLAS and loads `scipy.linalg` for it, a tenth of a
    second. No kernel here has matrix products; for one that has, numba looks again.
    """
    if "scipy.linalg" in sys.modules:
        yield
        return
    # None forbids an import, as Python's documentation says; the type of this dict does not know it
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["scipy.linalg"]


def _tell(how_often: str, first: float) -> None:
    """Once per process, after the first kernel, which took so many seconds; NaN: not known. Without
    logging set up, Python writes a warning to stderr.
    """
    if not _logged.cache_info().currsize:
        _logged(how_often, first)


@cache
def _logged(how_often: str, first: float) -> None:
    known = math.isfinite(first)
    long = f" up to about {ALL_OF_FIRST * first:.0f} s," if known else ""
    logging.getLogger(__name__).warning("boa: compiles its inner loops,%s %s", long, how_often)
