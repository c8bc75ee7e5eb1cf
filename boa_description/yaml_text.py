# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""YAML text to Python values: read by libyaml where it is there (ten times as fast), and no key
given twice.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from boa_description.errors import BoaError

if TYPE_CHECKING:
    from yaml import SafeLoader as _FastLoader
else:
    _FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

LONGEST = 16_000_000  # characters
DEEPEST = 100  # levels; the recursive readers of YAML give up at some thousands, or crash
_BRACKETS = re.compile(r"[][{}]")
# every level of a block takes two columns as a rule: of spaces, or of the dash of a list
_INDENTED = re.compile(rf"^[- ?]{{{2 * DEEPEST}}}", re.MULTILINE)


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
    _refuse_size(text, where)
    try:
        try:
            return yaml.load(text, Loader=_FastUniqueKeyLoader)
        except yaml.YAMLError:  # libyaml says less about where the error began
            return yaml.load(text, Loader=_UniqueKeyLoader)
    except yaml.YAMLError as error:
        raise _explain(error, text, where) from error
    except ValueError as error:  # of the constructors: a date that is none, thousands of digits
        raise BoaError(f"{where}: not valid YAML: {str(error).partition(';')[0]}") from error


def _refuse_size(text: str, where: str) -> None:
    """Refuse what is so large, or nested so deeply, that reading it would take for ever, or all of
    the stack.

    Raises:
        BoaError: more than `LONGEST`, or deeper than `DEEPEST`, by brackets or by indentation.
    """
    if len(text) > LONGEST:
        raise BoaError(
            f"{where}: {len(text) / 1e6:.0f} million characters; {LONGEST / 1e6:.0f} million are "
            "the most that is read: split it"
        )
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        if depth > DEEPEST:
            line = text.count("\n", 0, bracket.start()) + 1
            raise _too_deep(f"{where}, line {line}")
    indented = _INDENTED.search(text)
    if indented is not None:
        raise _too_deep(f"{where}, line {text.count(chr(10), 0, indented.start()) + 1}")


def _too_deep(place: str) -> BoaError:
    return BoaError(f"{place}: nested deeper than {DEEPEST} levels; no file of Boa needs more")


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


def item_lines(text: str, key: str) -> list[int]:
    """In which lines of `text`, a mapping that can be read, the items of the list at `key` begin;
    none where there is no such list.
    """
    mapping = yaml.compose(text, Loader=_FastLoader)
    for name, value in mapping.value if isinstance(mapping, yaml.MappingNode) else ():
        if name.value == key and isinstance(value, yaml.SequenceNode):
            return [item.start_mark.line + 1 for item in value.value]
    return []


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
