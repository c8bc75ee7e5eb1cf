# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a simulation that may change while it runs."""

from __future__ import annotations

import pytest

from boa_control.ros.plant.options import MOST_STEPS, Intervention
from boa_description.errors import BoaError


def test_others_parameters_are_left_to_others() -> None:
    assert Intervention().changed({"seed": 3, "step_count": 5}) == Intervention(0.1, 5)
    assert Intervention(0.2, 7).changed({"wrench_duration": 1}) == Intervention(1.0, 7)


@pytest.mark.parametrize("name", ["wrench_duration", "step_count"])
@pytest.mark.parametrize("bad", [0, -1, float("nan"), MOST_STEPS + 1, "much", True])
def test_values_out_of_range_are_refused(name, bad) -> None:
    with pytest.raises(BoaError, match=f"parameter {name} is"):
        Intervention().changed({name: bad})
