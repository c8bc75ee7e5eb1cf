# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The curve that keeps every contact: gaps, derivatives, mirror symmetry of the rig, and where it
must end.
"""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.contact_geometry import ObstacleMap
from boa_control.model.contact_manifold import ContactManifold, closure_margin, trace_manifold
from boa_description.errors import BoaError

EXPERIMENT = prepare(load_scenario("rocking_on_manifold"))


@pytest.fixture(scope="module")
def manifold() -> ContactManifold:
    return traced(margin=0.1)


def traced(margin: float) -> ContactManifold:
    posts = ObstacleMap.of(EXPERIMENT.obstacles)
    return trace_manifold(
        EXPERIMENT.robot, EXPERIMENT.start_base, EXPERIMENT.start_joints, posts, margin=margin
    )


def test_all_gaps_stay_closed(manifold: ContactManifold) -> None:
    for s in np.linspace(manifold.lower, manifold.upper, 41):
        contacts, _ = manifold.contacts(manifold.at(s).q)
        np.testing.assert_allclose(contacts.gap, 0.0, atol=1e-7)


def test_tangent_and_curvature_are_derivatives_and_s_is_arc_length(
    manifold: ContactManifold,
) -> None:
    step = 1e-4
    for s in np.linspace(0.9 * manifold.lower, 0.9 * manifold.upper, 15):
        before, now, after = (manifold.at(s + shift) for shift in (-step, 0, step))
        np.testing.assert_allclose(now.tangent, (after.q - before.q) / (2 * step), atol=1e-5)
        np.testing.assert_allclose(
            now.curvature, (after.tangent - before.tangent) / (2 * step), atol=1e-2
        )
        assert np.linalg.norm(now.tangent[3:]) == pytest.approx(1.0, abs=1e-3)
        _, jacobian = manifold.contacts(now.q)
        np.testing.assert_allclose(jacobian @ now.tangent, 0.0, atol=1e-5)


def test_the_rig_is_symmetric_and_the_joints_are_no_mirror_images(
    manifold: ContactManifold,
) -> None:
    """Mirroring the rig swaps the joints, so phi(-s) = swapped phi(s); but phi_1 + phi_2 is not
    constant.
    """
    reach = min(manifold.upper, -manifold.lower)
    for s in (0.3 * reach, reach):
        np.testing.assert_allclose(manifold.at(-s).q[3:], manifold.at(s).q[[4, 3]], atol=1e-6)
        assert manifold.at(s).q[3:].sum() < -np.pi / 2 - 0.1 * s**2  # the arch closes as it rocks


def test_nearest_inverts_at(manifold: ContactManifold) -> None:
    for s in np.linspace(0.9 * manifold.lower, 0.9 * manifold.upper, 7):
        assert manifold.nearest(manifold.at(s).q[3:], s + 0.02) == pytest.approx(s, abs=1e-4)
    start = manifold.at(0.0)
    assert manifold.nearest(start.q[3:] + start.tangent[3:], 0.0) == manifold.upper


def test_it_ends_where_one_contact_could_no_longer_press() -> None:
    wide, narrow = traced(margin=0.02), traced(margin=0.4)
    assert wide.lower < narrow.lower < 0 < narrow.upper < wide.upper
    _, jacobian = wide.contacts(wide.at(wide.upper).q)
    assert 0.02 <= closure_margin(jacobian[:, :3]) < 0.1


def test_closure_margin_by_hand() -> None:
    """Two pairs of opposite contacts, no lever: equal forces balance, margin one. Without the
    fourth: none.
    """
    rows = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0]])
    assert closure_margin(rows) == pytest.approx(1.0)
    assert closure_margin(rows[:3]) == pytest.approx(0.0, abs=1e-9)  # the third cannot press at all
    assert closure_margin(np.array([[1.0, 0, 0], [1.0, 0, 0]])) < 0


def test_wrong_number_of_contacts_is_named() -> None:
    posts = ObstacleMap.of(EXPERIMENT.obstacles[:3])
    with pytest.raises(BoaError, match="3 contacts at the start, but 3 links need 4"):
        trace_manifold(EXPERIMENT.robot, EXPERIMENT.start_base, EXPERIMENT.start_joints, posts)
