# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""YAML text to Python values: read by libyaml where it is there (ten times as fast), and no key
given twice.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from boa_description.errors import BoaError

if TYPE_CHECKING:
    from yaml import SafeLoader as _FastLoader
else:
    _FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_text(path: Path) -> str:
    """Text of a YAML file that exists. Raises BoaError when it cannot be read, or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BoaError(
            f"{path}: cannot be read ({error.strerror}); give an existing YAML file"
        ) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BoaError(
            f"{path}, line {line}: not valid YAML: not UTF-8; save the file in that encoding"
        ) from error


def parse_yaml(text: str, where: str) -> Any:
    """Values in `text`; None where there are none.

    Raises:
        BoaError: not YAML, or a key given twice; one line that begins with `where` and names the
            line in the text.
    """
    try:
        try:
            return yaml.load(text, Loader=_FastUniqueKeyLoader)
        except yaml.YAMLError:  # libyaml says less about where the error began
            return yaml.load(text, Loader=_UniqueKeyLoader)
    except yaml.YAMLError as error:
        raise _explain(error, text, where) from error


def parse_mapping(text: str, where: str) -> dict[str, Any]:
    """The same where keys are expected.

    Raises BoaError as `parse_yaml`, and for anything but a mapping.
    """
    data = parse_yaml(text, where)
    if data is None:
        raise BoaError(f"{where}: is empty; a mapping of keys is expected")
    if not isinstance(data, dict):
        raise BoaError(f"{where}: expected a mapping of keys, got {type(data).__name__}")
    return data


def _explain(error: yaml.YAMLError, text: str, where: str) -> BoaError:
    """One line: the line in the text, what is wrong there, and what it is part of."""
    line, problem, context = None, str(error), ""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        line, problem = error.problem_mark.line, error.problem or "wrong"
        if error.context is not None:
            began = (
                f" that begins in line {error.context_mark.line + 1}"
                if error.context_mark is not None
                else ""
            )
            context = f" ({error.context}{began})"
    elif isinstance(error, yaml.reader.ReaderError):
        line, problem = text.count("\n", 0, error.position), str(error).splitlines()[0]
    place = where if line is None else f"{where}, line {line + 1}"
    tab = "; indent with spaces, not tabs" if "'\\t'" in problem else ""
    return BoaError(f"{place}: not valid YAML: {' '.join(problem.split())}{tab}{context}")


class _UniqueKeys(yaml.constructor.SafeConstructor):
    """The safe constructor would silently let the last of two equal keys win; this one refuses
    them.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        first: dict[Hashable, int] = {}
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue  # refused by the safe constructor
            if key in first:
                problem = f"key '{key}' is given twice, first in line {first[key]}"
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            first[key] = key_node.start_mark.line + 1
        return super().construct_mapping(node, deep)


class _FastUniqueKeyLoader(_UniqueKeys, _FastLoader):
    """Reads with libyaml."""


class _UniqueKeyLoader(_UniqueKeys, yaml.SafeLoader):
    """Reads in Python alone."""
