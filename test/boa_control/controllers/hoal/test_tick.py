"""The record of a tick: what a later stage finds out cannot be read before, nor anything else be
written into it.
"""

from __future__ import annotations

from dataclasses import fields

import pytest

from boa_control.controllers.hoal.tick import Tick
from test.boa_control.controllers.hoal.offset_circle import MODEL
from test.boa_control.controllers.hoal.ticks import tick


@pytest.mark.parametrize("name", [field.name for field in fields(Tick) if not field.init])
def test_nothing_is_known_before_its_stage(name: str) -> None:
    with pytest.raises(AttributeError):
        getattr(tick(MODEL.at(1.0)), name)


def test_there_is_no_place_for_anything_else() -> None:
    with pytest.raises(AttributeError):
        tick(MODEL.at(1.0), plam=None)
