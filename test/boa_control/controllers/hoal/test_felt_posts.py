"""What sensors tell of posts: of which contacts the places may be read."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from boa_control.controllers.hoal.felt_posts import FeltPosts
from test.boa_control.controllers.hoal.offset_circle import MODEL, SCHEDULE


@pytest.mark.parametrize("lacking", [False, True])
def test_no_place_is_read_from_the_flank_of_a_link_whose_tip_is_struck(
    lacking, monkeypatch
) -> None:
    """On the map alone the tip belongs to a post that is planned on the flank."""
    felt = FeltPosts(MODEL.chain, lacking)
    contacts = SCHEDULE.at(MODEL.at(0.2))
    touching = np.ones(contacts.link.size, bool)
    tick = SimpleNamespace(
        contacts=contacts, touching=touching, frame=SimpleNamespace(joint_force=1)
    )
    foremost = int(contacts.link.max())
    monkeypatch.setattr(felt._points, "struck_ends", lambda _: [foremost])
    np.testing.assert_array_equal(felt.telling(tick), contacts.link != foremost)
    monkeypatch.setattr(felt._points, "struck_ends", lambda _: [])
    assert felt.telling(tick).all()
