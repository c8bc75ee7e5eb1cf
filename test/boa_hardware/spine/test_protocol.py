# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Identifiers and frames of the Spine Protocol, and the DBC file made from them."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from typing import Literal

import cantools
import pytest
from cantools.database.can import Database
from hypothesis import given
from hypothesis import strategies as st

from boa_description.errors import BoaError
from boa_hardware.spine.protocol import (
    MAX_LINK,
    Opcode,
    arbitration_id,
    database,
    dbc_text,
    frames,
    message,
    shipped_dbc,
    split,
)
from boa_hardware.spine.settings import SpineSettings

# What the Boa manual says each frame holds, as struct formats; PANIC's payload is ignored.
MANUAL = {
    Opcode.PANIC: "",
    Opcode.FATAL_ERROR: "B",
    Opcode.WARNING: "B",
    Opcode.SYNC_SENSOR: "B",
    Opcode.SYNC_CONTROL: "B",
    Opcode.SET_JOINT_ANGLE: "i",
    Opcode.SET_JOINT_ANGVEL: "i",
    Opcode.SET_JOINT_TORQUE: "h",
    Opcode.ACC: "ff",
    Opcode.IMU: "ff",
    Opcode.SERVO: "hhHb",
    Opcode.CFS: "ii",
}
ORDERS: tuple[Literal["little", "big"], ...] = ("little", "big")


@pytest.fixture(scope="module")
def shipped() -> Database:
    return cantools.database.load_file(str(shipped_dbc()))


def test_identifiers_of_the_manual() -> None:
    assert arbitration_id(Opcode.PANIC) == 0x040
    assert arbitration_id(Opcode.SYNC_SENSOR) == 0x140
    assert arbitration_id(Opcode.SET_JOINT_TORQUE, 13) == 0x24D
    assert arbitration_id(Opcode.ACC, 1) == 0x2C1
    assert arbitration_id(Opcode.CFS, 63) == 0x3BF


@given(st.integers(0, 31), st.integers(0, MAX_LINK))
def test_identifier_round_trip_fits_eleven_bits(opcode: int, link: int) -> None:
    identifier = arbitration_id(opcode, link)
    assert 0 <= identifier < 2**11
    assert split(identifier) == (opcode, link)


@pytest.mark.parametrize("link", [-1, 64, 100])
def test_links_beyond_six_bits_are_refused(link: int) -> None:
    with pytest.raises(BoaError, match=f"link {link} has no identifier"):
        arbitration_id(Opcode.ACC, link)


def test_shipped_dbc_is_current() -> None:
    assert shipped_dbc().read_text(encoding="cp1252") == dbc_text(SpineSettings()), (
        "run `python -m boa_hardware.spine.protocol` and commit boa_spine.dbc"
    )


def test_shipped_dbc_has_the_frames_of_every_link(shipped: Database) -> None:
    for opcode, layout in MANUAL.items():
        spec = frames(SpineSettings())[opcode]
        for link in spec.links:
            found = shipped.get_message_by_frame_id(arbitration_id(opcode, link))
            assert found.length == struct.calcsize("<" + layout), found.name
            assert not found.is_fd and not found.is_extended_frame
    for link in range(1, MAX_LINK + 1):
        assert shipped.get_message_by_name(f"LINK_{link:02d}_ALL_SENSORS").is_fd
    assert (
        len({found.frame_id for found in shipped.messages})
        == len(shipped.messages)
        == 3 * 64 + 2 + 8 * 63
    )


@given(st.data())
def test_shipped_dbc_decodes_what_the_manual_packs(shipped: Database, data: st.DataObject) -> None:
    opcode = data.draw(st.sampled_from([op for op, layout in MANUAL.items() if layout]))
    payload = data.draw(
        st.binary(min_size=(size := struct.calcsize("<" + MANUAL[opcode])), max_size=size)
    )
    spec = frames(SpineSettings())[opcode]
    link = data.draw(st.sampled_from(list(spec.links)))
    decoded = shipped.decode_message(arbitration_id(opcode, link), payload, decode_choices=False)
    packed = struct.unpack("<" + MANUAL[opcode], payload)
    for signal, raw in zip(spec.signals, packed, strict=True):
        physical = raw * signal.scale + signal.offset
        assert decoded[signal.name] == pytest.approx(physical, rel=1e-12, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("order", ORDERS)
@given(payload=st.binary(min_size=8, max_size=8))
def test_byte_order_is_a_setting(order: Literal["little", "big"], payload: bytes) -> None:
    spec = frames(SpineSettings(byte_order=order))[Opcode.CFS]
    decoded = message(spec, 5, order).decode_simple(payload)
    x, y = struct.unpack(("<" if order == "little" else ">") + "ii", payload)
    assert decoded == {"cfs_x": x, "cfs_y": y}


def test_a_link_in_one_can_fd_frame_is_the_single_frames_in_a_row() -> None:
    settings = SpineSettings(fd_frame=True)
    layout = message(frames(settings)[Opcode.ALL_SENSORS], 1, "little")
    assert layout.length == 32
    data = struct.pack("<ffffiihhHbx", 1.5, -2.5, 3.25, 4.0, 100, -200, 2048, 3, 32768, -7)
    decoded = layout.decode_simple(data)
    assert decoded["acceleration_y"] == -2.5
    assert decoded["yaw"] == 4.0
    assert (decoded["cfs_x"], decoded["cfs_y"]) == (100, -200)
    assert decoded["current"] == pytest.approx(33.0)
    assert decoded["angle"] == pytest.approx(0.0)
    assert decoded["temperature"] == -7


def test_low_opcodes_win_arbitration() -> None:
    urgent = [
        arbitration_id(op, MAX_LINK)
        for op in (Opcode.PANIC, Opcode.FATAL_ERROR, Opcode.SYNC_CONTROL)
    ]
    assert max(urgent) < arbitration_id(Opcode.ACC, 1)


def test_dbc_of_other_settings_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "robot.yaml").write_text("spine: {byte_order: big, imu: {angle_unit: rad}}")
    out = tmp_path / "other.dbc"
    command = [sys.executable, "-m", "boa_hardware.spine.protocol"]
    subprocess.run(
        [*command, "--settings", str(tmp_path / "robot.yaml"), "--out", str(out)], check=True
    )
    other: Database = cantools.database.load_file(str(out))
    decoded = other.decode_message(arbitration_id(Opcode.IMU, 2), struct.pack(">ff", 1.0, 2.0))
    assert decoded == {"yaw_rate": 1.0, "yaw": 2.0}
    assert other.get_message_by_name("LINK_02_IMU").get_signal_by_name("yaw").unit == "rad"


def test_database_of_few_links_has_only_theirs() -> None:
    links = {split(found.frame_id)[1] for found in database(SpineSettings(), links=3).messages}
    assert links == {0, 1, 2, 3}
