# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read and write one parameter block as a YAML file."""

from pathlib import Path
from typing import TypeVar

import yaml

from boa_description.robot import Block
from boa_description.validation import validated
from boa_description.yaml_text import parse_yaml, read_text

B = TypeVar("B", bound=Block)


def load_block(model: type[B], path: str | Path, key: str | None = None) -> B:
    """Read a block from a YAML file: its content, or that of `key` if it is there.

    Raises:
        BoaError: the file is missing, is not YAML, or has a wrong key or value; one line.
    """
    path = Path(path)
    content = parse_yaml(read_text(path), str(path))
    if key is not None and isinstance(content, dict) and key in content:
        content = content[key]
    return validated(model, {} if content is None else content, str(path))


def save_block(block: Block, path: str | Path) -> None:
    """Write a block as YAML; the file is replaced at once, never half written."""
    path = Path(path)
    draft = path.with_name(path.name + ".tmp")
    draft.write_text(
        yaml.safe_dump(block.model_dump(mode="json"), sort_keys=False, default_flow_style=None)
    )
    draft.replace(path)
