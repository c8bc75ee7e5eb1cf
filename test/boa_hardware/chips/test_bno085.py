# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""BNO085: SHTP cargo of SH-2 input reports."""

from __future__ import annotations

import math
import struct

import pytest
from bno085 import REPORTS, MalformedCargoError, decode_cargo
from hypothesis import given
from hypothesis import strategies as st


def cargo(*reports: bytes, channel: int = 3) -> bytes:
    body = b"".join(reports)
    return struct.pack("<HBB", len(body) + 4, channel, 7) + body


def report(identifier: int, *words: int, status: int = 3, delay: int = 0) -> bytes:
    return struct.pack(
        f"<BBBB{len(words)}h", identifier, 9, status | (delay >> 8) << 2, delay & 0xFF, *words
    )


def test_acceleration_and_rate() -> None:
    """1 g is 2510 in Q8; 1 rad/s is 512 in Q9."""
    gravity, rate = decode_cargo(cargo(report(0x01, 0, 0, 2510), report(0x02, 512, -512, 256)))
    assert gravity.kind == "acceleration"
    assert gravity.values == pytest.approx((0, 0, 9.805), abs=1e-3)
    assert rate.values == (1.0, -1.0, 0.5)
    assert rate.sequence == 9 and rate.accuracy == 3


def test_rotation_vector_is_already_in_the_order_of_ros() -> None:
    """i, j, k, real; a turn by 90 deg about z."""
    half = round(math.sqrt(0.5) * 2**14)
    for identifier, words in ((0x05, (0, 0, half, half, 2048)), (0x08, (0, 0, half, half))):
        (vector,) = decode_cargo(cargo(report(identifier, *words)))
        x, y, z, w = vector.orientation
        assert (x, y) == (0, 0)
        assert (z, w) == pytest.approx((math.sqrt(0.5),) * 2, abs=1e-4)
        assert vector.orientation.yaw == pytest.approx(math.pi / 2, abs=1e-4)
    # accuracy, rad, Q12
    assert decode_cargo(cargo(report(0x05, 0, 0, 0, 1 << 14, 2048)))[0].values[4] == 0.5


def test_magnetic_field_is_in_tesla() -> None:
    (field,) = decode_cargo(cargo(report(0x03, 160, 0, -320)))
    assert field.values == pytest.approx((10e-6, 0, -20e-6))


def test_time_base_shifts_the_delay_of_what_follows() -> None:
    base = struct.pack("<Bi", 0xFB, 120)  # the cargo's time base lies 12 ms before the interrupt
    rebase = struct.pack("<Bi", 0xFA, 50)
    first, second = decode_cargo(
        cargo(base, report(0x02, 0, 0, 0, delay=17), rebase, report(0x02, 0, 0, 0, delay=300))
    )
    assert first.delay == pytest.approx(-0.012 + 0.0017)
    assert second.delay == pytest.approx(-0.012 + 0.005 + 0.03)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\0\0", "header has 4"),
        (cargo(report(0x01, 1, 2, 3))[:-1], "the header says"),
        (cargo(report(0x01, 1, 2, 3), channel=2), "channel 2"),
        (cargo(b"\x77\0\0\0"), "unknown report 0x77"),
        (cargo(report(0x01, 1, 2)), "truncated report of acceleration"),
        (cargo(b"\xfb\0"), "truncated time base"),
        (struct.pack("<HBB", 0x8004, 3, 0), "continues"),
    ],
)
def test_malformed_cargo_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(MalformedCargoError, match=says):
        decode_cargo(data)


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    for candidate in (data, cargo(data)):
        try:
            reports = decode_cargo(candidate)
        except MalformedCargoError:
            continue
        sizes = {kind.name: len(kind.q_points) for kind in REPORTS.values()}
        assert all(len(item.values) == sizes[item.kind] for item in reports)


@given(st.lists(st.tuples(st.sampled_from(sorted(REPORTS)), st.data()), max_size=5))
def test_every_word_is_scaled_by_its_q_point(drawn: list[tuple[int, st.DataObject]]) -> None:
    expected, body = [], []
    for identifier, data in drawn:
        q_points = REPORTS[identifier].q_points
        words = data.draw(st.tuples(*[st.integers(-32768, 32767)] * len(q_points)))
        body.append(report(identifier, *words))
        unit = 1e-6 if identifier == 0x03 else 1.0
        expected.append(
            tuple(math.ldexp(word, -q) * unit for word, q in zip(words, q_points, strict=True))
        )
    assert [r.values for r in decode_cargo(cargo(*body))] == expected


def test_only_rotation_vectors_hold_an_orientation() -> None:
    with pytest.raises(ValueError, match="acceleration holds no orientation"):
        _ = decode_cargo(cargo(report(0x01, 0, 0, 0)))[0].orientation
