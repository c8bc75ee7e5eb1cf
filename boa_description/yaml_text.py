"""YAML text to Python values: read by libyaml where it is there (ten times as fast), and no key given twice."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import yaml

from boa_description.errors import BoaError

if TYPE_CHECKING:
    from yaml import SafeLoader as _FastLoader
else:
    _FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_yaml(text: str, where: str) -> Any:
    """Values in `text`; None where there are none.

    Raises:
        BoaError: not YAML, or a key given twice; one line that begins with `where` and names the line in the text.
    """
    try:
        try:
            return yaml.load(text, Loader=_FastUniqueKeyLoader)
        except yaml.YAMLError:  # libyaml says less about where the error began
            return yaml.load(text, Loader=_UniqueKeyLoader)
    except yaml.YAMLError as error:
        raise BoaError(f"{where}: not valid YAML: {' '.join(str(error).split())}") from error


def parse_mapping(text: str, where: str) -> dict[str, Any]:
    """The same where keys are expected. Raises BoaError as `parse_yaml`, and for anything but a mapping."""
    data = parse_yaml(text, where)
    if not isinstance(data, dict):
        raise BoaError(f"{where}: expected a mapping of keys, got {type(data).__name__}")
    return data


class _UniqueKeys(yaml.constructor.SafeConstructor):
    """The safe constructor would silently let the last of two equal keys win; this one refuses them."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key '{key}' is given twice", node.start_mark)
        return super().construct_mapping(node, deep)


class _FastUniqueKeyLoader(_UniqueKeys, _FastLoader):
    """Reads with libyaml."""


class _UniqueKeyLoader(_UniqueKeys, yaml.SafeLoader):
    """Reads in Python alone."""
