# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile all kernels of the control step and keep them (`boa_sim.compiled`: of simulations too).

python -m boa_control.compiled
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from boa_control import compiled


def main() -> None:
    """Import every file of kernels, which compiles those that are not kept yet."""
    for module in iter_modules(compiled.__path__, f"{compiled.__name__}."):
        if not module.name.endswith(".__main__"):
            import_module(module.name)


if __name__ == "__main__":
    main()
