"""Compiling loops on numbers with numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from boa_description.errors import BoaError

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """The function, compiled when it is first called and kept on disk for the next process.

    Raises:
        BoaError: numba is not installed.
    """
    try:
        import numba
    except ImportError:
        raise BoaError(
            "the closed form of the duct is compiled by numba, which is not installed; "
            "pip install numba"
        ) from None
    return cast(Function, numba.njit(cache=True)(function))
