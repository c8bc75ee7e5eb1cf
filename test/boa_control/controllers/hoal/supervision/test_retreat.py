# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that goes back to where posts hold it is not sent forward again from outside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boa_control.controllers.hoal.controller import HoalController
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario


@pytest.fixture
def going_back(monkeypatch: pytest.MonkeyPatch) -> HoalController:
    controller = build_controller(prepare(load_scenario("boa_missing_post")))._controller
    assert isinstance(controller, HoalController)
    monkeypatch.setattr(type(controller._supervision), "turned", True)
    monkeypatch.setattr(controller._steering, "_retreat", -1)
    return controller


@pytest.mark.parametrize("speed", [0.1, 0.05, -0.1])
def test_a_new_speed_counts_in_the_direction_back(going_back: HoalController, speed: float) -> None:
    going_back.steer(replace(going_back.set_point, speed=0.0))
    going_back.steer(replace(going_back.set_point, speed=speed))
    for _ in range(2000):
        going_back._speed.advance(1.5, 1.0)
    assert going_back._speed.speed == pytest.approx(-abs(speed), rel=0.2)
