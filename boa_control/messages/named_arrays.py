# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scalars and small arrays as named numbers, and back: the debug record of a controller."""

import functools
import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array

ELEMENT = re.compile(r"(?P<key>[^[]+)\[(?P<index>(0|[1-9]\d{0,8})(,(0|[1-9]\d{0,8}))*)\]", re.ASCII)


@functools.lru_cache(maxsize=1000)
def element_names(key: str, shape: tuple[int, ...]) -> list[str]:
    """Names of the elements of an array `k`: k[0], k[1], ...; with two axes k[0,0], ..."""
    return [f"{key}[{','.join(map(str, index))}]" for index in np.ndindex(*shape)]


def unflatten(names: Sequence[str], values: Array) -> dict[str, Array]:
    """Undo the naming of array elements. Any other name is that of a scalar: another controller may
    have a `gain[left]`, or some elements only.

    Args:
        values: shape (T, len(names)).

    Returns:
        scalars (T,), and then arrays (T, ...).
    """
    column = {name: k for k, name in enumerate(names)}
    layout = _layout(tuple(column))
    record: dict[str, Array] = {name: values[:, column[name]] for name in layout.scalars}
    for key, shape in layout.arrays.items():
        array = values[:, [column[name] for name in element_names(key, shape)]]
        record[key] = array.reshape(-1, *shape)
    return record


class _Layout(NamedTuple):
    """Names of scalars, and the shapes of arrays, of a record of named numbers."""

    scalars: tuple[str, ...]
    arrays: Mapping[str, tuple[int, ...]]


@functools.lru_cache(maxsize=1000)
def _layout(names: tuple[str, ...]) -> _Layout:
    places: dict[str, list[tuple[int, ...]]] = {}
    for name in names:
        if found := ELEMENT.fullmatch(name):
            places.setdefault(found["key"], []).append(tuple(map(int, found["index"].split(","))))
    arrays: dict[str, tuple[int, ...]] = {}
    scalars = dict.fromkeys(names)
    for key, indices in places.items():
        if key in names or len({len(index) for index in indices}) > 1:
            continue
        shape = tuple(max(along) + 1 for along in zip(*indices, strict=True))
        if math.prod(shape) == len(set(indices)) == len(indices):
            arrays[key] = shape
            for name in element_names(key, shape):
                del scalars[name]
    return _Layout(tuple(scalars), arrays)
