# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fast decoder says what cantools says, for every frame, unit and byte order."""

from __future__ import annotations

from typing import Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_hardware.spine.decoder import Decoder
from boa_hardware.spine.protocol import Opcode, frames, message
from boa_hardware.spine.settings import SpineSettings

KINDS = (Opcode.ACC, Opcode.IMU, Opcode.CFS, Opcode.SERVO, Opcode.ALL_SENSORS)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@given(content=st.binary(min_size=64, max_size=64))
def test_it_agrees_with_cantools(
    kind: Opcode, order: Literal["little", "big"], content: bytes
) -> None:
    layout = message(frames(SpineSettings(servo_frames=True))[kind], 3, order)
    data = content[: layout.length]
    decoded = cast(dict[str, float], layout.decode_simple(data, decode_choices=False))
    decoder = Decoder(layout)
    expected = [decoded[name] for name in decoder.names]
    found = decoder.values(data)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_names_are_in_the_order_of_the_protocol(kind: Opcode) -> None:
    spec = frames(SpineSettings())[kind]
    assert list(Decoder(message(spec, 1, "little")).names) == [
        signal.name for signal in spec.signals
    ]


def test_a_wrong_length_is_no_frame() -> None:
    decoder = Decoder(message(frames(SpineSettings())[Opcode.CFS], 1, "little"))
    assert decoder.values(bytes(7)) is None
    assert decoder.values(bytes(9)) is None
    assert decoder.values(bytes(8)) == [0.0, 0.0]
