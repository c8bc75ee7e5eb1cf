# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark runs and reports what it promises; its numbers are for `boa bench`, not for a
test.
"""

from __future__ import annotations

import pytest

from boa_hardware.timing import bench_cycle
from test.boa_hardware.servo.conftest import PATIENCE

pytestmark = pytest.mark.realtime


def test_the_benchmark_reports_software_beside_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    # a busy machine gets time to answer
    monkeypatch.setattr("boa_hardware.servo.sdk.CONFIGURATION_MARGIN", PATIENCE)
    result = bench_cycle(servos=2, seconds=0.1, reply_margin=1.0)
    assert (result.baud, result.software_us.size, result.wall_us.size) == (3_000_000, 20, 20)
    assert result.wire_us == (20 + 16 + 8 + 2 * 26) * 10 / 3
    assert result.incomplete == 0
    assert (result.software_us > 0).all() and (result.wall_us > 0).all()
