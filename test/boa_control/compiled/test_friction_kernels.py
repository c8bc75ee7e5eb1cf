# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of what joint forces tell of friction, against numpy."""

from __future__ import annotations

import numpy as np

from boa_control.compiled import friction

CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def test_forces_along_the_links_come_from_their_sums() -> None:
    rng = np.random.default_rng(3)
    force, link = rng.normal(size=(5, 2)) @ [1, 1j], np.exp(1j * rng.normal(size=5))
    headward = np.cumsum(force[::-1])[::-1]  # on every link and all beyond it
    total, beyond = np.array([headward[0].real, headward[0].imag, 9.0]), headward[1:]
    along = np.empty(5)
    friction.along_links(along, total, np.array([beyond.real, beyond.imag]), link)
    np.testing.assert_allclose(along, (force * link.conj()).real, **CLOSE)
