# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces of posts from the balance of links sideways."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.sideways_balance import measured_deviations, measured_forces
from test.boa_control.controllers.hoal.offset_circle import BOA, CHAIN, MODEL, SCHEDULE, frame


@pytest.mark.parametrize("pressing", [0.0, 6.0])
def test_a_swinging_head_does_not_feel_its_own_inertia(pressing: float) -> None:
    """The head link alone accelerates sideways at 2 m/s2, pushed by its joint, and by a post or
    not.
    """
    state = MODEL.at(0.25)
    contacts = SCHEDULE.at(state)
    head = np.flatnonzero(contacts.link == BOA.links - 1)
    contacts = contacts.select(np.isin(np.arange(contacts.contact.size), head))
    assert contacts.contact.size == 1 and 0.03 < contacts.offset[0] < 0.1
    acceleration = np.zeros((BOA.links, 2))
    acceleration[-1, 1] = 2.0
    force = np.zeros((BOA.joints, 2))
    # of the head on its neighbour
    force[-1, 1] = -(2.0 * BOA.link.mass + contacts.side[0] * pressing)
    sample = frame(state.q[3:], force, acceleration)
    found = measured_forces(sample, contacts, CHAIN, state.sideways(0.0, 0.0))
    assert found is not None
    np.testing.assert_allclose(found, pressing, atol=1e-9)


def test_felt_forces_are_unbiased_and_as_uncertain_as_they_say() -> None:
    """Noise of 0.2 N on every axis of the force sensors and of 0.03 m/s2 on the IMUs; posts at
    flanks and at joints.
    """
    rng = np.random.default_rng(0)
    for s in (0.25, 0.31):
        state = MODEL.at(s)
        contacts = SCHEDULE.at(state)
        shape, rest = state.q[3:], state.sideways(0.0, 0.0)
        still, nothing = np.zeros((BOA.links, 2)), np.zeros((BOA.joints, 2))
        clean = measured_forces(frame(shape, nothing, still), contacts, CHAIN, rest)
        found = np.array(
            [
                measured_forces(
                    frame(
                        shape,
                        rng.normal(0.0, 0.2, nothing.shape),
                        rng.normal(0.0, 0.03, still.shape),
                    ),
                    contacts,
                    CHAIN,
                    rest,
                )
                for _ in range(2000)
            ]
        )
        said = measured_deviations(shape, contacts, CHAIN, 0.2, 0.03)
        np.testing.assert_allclose(found.std(axis=0), said, rtol=0.06)
        np.testing.assert_allclose(found.mean(axis=0), clean, atol=0.03)
        assert said.max() < 0.3
