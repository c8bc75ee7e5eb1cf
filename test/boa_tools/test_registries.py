# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every shipped controller and engine is where its registry says."""

from __future__ import annotations

import pytest

from boa_control.controllers import REGISTRY as CONTROLLERS
from boa_sim.engines import REGISTRY as ENGINES
from boa_sim.engines import SPATIAL_REGISTRY as SPATIAL_ENGINES

SHIPPED = [
    pytest.param(registry, entry.name, id=f"{registry.kind} {entry.name}")
    for registry in (CONTROLLERS, ENGINES, SPATIAL_ENGINES)
    for entry in registry.entries()
    if entry.origin == "boa"
]


@pytest.mark.parametrize(("registry", "name"), SHIPPED)
def test_it_loads(registry, name):
    assert isinstance(registry.load(name), type)
