# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scripts that are no part of any package, as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def loaded(path: Path) -> ModuleType:
    """The script, run as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
