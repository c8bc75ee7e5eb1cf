# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How hardly contacts can push a body along its path."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.optimisation.kept_travel import effective_mass


def test_push_mass_is_the_least_norm_of_forces_that_give_the_momentum():
    wrenches = np.random.default_rng(7).normal(size=(4, 3))
    momentum = np.array([3.0, -1.0, 0.5])
    forces = np.linalg.lstsq(wrenches.T, momentum, rcond=None)[0]
    assert effective_mass(wrenches, momentum) == pytest.approx(np.linalg.norm(forces))


def test_push_mass_without_contacts_that_span_the_plane_is_infinite():
    assert effective_mass(np.zeros((0, 3)), np.ones(3)) == np.inf
