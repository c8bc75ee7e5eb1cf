# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`pytest test/boa_hardware/campaign --write-table` writes the campaign's table into the manual."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option exists where this folder is named on the command line."""
    parser.addoption(
        "--write-table", action="store_true", help="write what happened into docs/safety.md"
    )
