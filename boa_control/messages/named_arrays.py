# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scalars and small arrays as named numbers, and back: the debug record of a controller."""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array, Indices


@functools.lru_cache(maxsize=1000)
def element_names(key: str, shape: tuple[int, ...]) -> list[str]:
    """Names of the elements of an array `k`: k[0], k[1], ...; with two axes k[0,0], ..."""
    return [f"{key}[{','.join(map(str, index))}]" for index in np.ndindex(*shape)]


def unflatten(names: Sequence[str], values: Array) -> dict[str, Array]:
    """Undo the naming of array elements; elements that are missing are NaN.

    Args:
        values: shape (T, len(names)).

    Returns:
        scalars (T,), and then arrays (T, ...).
    """
    column = {name: k for k, name in enumerate(names)}
    layout = _layout(tuple(column))
    record: dict[str, Array] = {name: values[:, column[name]] for name in layout.scalars}
    for key, part in layout.arrays.items():
        array = np.full((len(values), math.prod(part.shape)), np.nan)
        array[:, part.places] = values[:, [column[name] for name in part.names]]
        record[key] = array.reshape(-1, *part.shape)
    return record


class _Elements(NamedTuple):
    """Elements of one array: their names, and their places in it laid flat."""

    names: tuple[str, ...]
    places: Indices
    shape: tuple[int, ...]


class _Layout(NamedTuple):
    """Names of scalars, and the arrays, of a record of named numbers."""

    scalars: tuple[str, ...]
    arrays: Mapping[str, _Elements]


@functools.lru_cache(maxsize=1000)
def _layout(names: tuple[str, ...]) -> _Layout:
    scalars: list[str] = []
    elements: dict[str, dict[str, tuple[int, ...]]] = {}
    for name in names:
        key, bracket, index = name.removesuffix("]").partition("[")
        if bracket:
            elements.setdefault(key, {})[name] = tuple(map(int, index.split(",")))
        else:
            scalars.append(name)
    arrays = {}
    for key, places in elements.items():
        place = np.array(list(places.values()))
        shape: tuple[int, ...] = tuple((place.max(axis=0) + 1).tolist())
        flat = np.ravel_multi_index(tuple(place.T), shape)
        arrays[key] = _Elements(tuple(places), flat, shape)
    return _Layout(tuple(scalars), arrays)
