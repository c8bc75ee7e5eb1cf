"""Bounds on the contact forces that the QP of a tick may choose."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.controller import HoalController
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario


@pytest.mark.parametrize(
    ("name", "half", "unheld"),
    [("boa_moved_20mm", 5.0, 2.0), pytest.param("boa_circle", 10.0, 10.0, id="exact map")],
)
def test_where_displaced_posts_hold_the_body_badly_corrections_are_weak(
    name: str, half: float, unheld: float
) -> None:
    controller = build_controller(prepare(load_scenario(name)))._controller
    assert isinstance(controller, HoalController)
    most = [
        controller._qp._largest_correction(controller._startup, hold) for hold in (1.0, 0.5, 0.02)
    ]
    assert most == [10.0, half, unheld]  # N
