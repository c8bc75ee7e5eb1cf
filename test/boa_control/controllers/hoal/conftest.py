# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of hoal."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.supervision.supervisor import MapSupervisor
from test.boa_control.controllers.hoal.supervision.watched import supervisor


@pytest.fixture
def supervision() -> MapSupervisor:
    return supervisor()
