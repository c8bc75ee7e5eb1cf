# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a recording has that was cut off is saved: every whole message, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_control.messages.topics import CLOCK, JOINT_STATES
from boa_description.errors import BoaError
from boa_tools.bags.recovery import recover
from boa_tools.bags.rosbag import BagWriter, bag_messages, bag_summary, check_bag

TICKS = 4000


def recorded(directory: Path, namespace: str = "/boa") -> Path:
    """The file of a bag with messages that do not compress to nothing."""
    with BagWriter(directory, (CLOCK, JOINT_STATES), "name: mine\n", namespace) as bag:
        for k in range(TICKS):
            raw = (k * 2654435761 % 2**64).to_bytes(8, "little") * 40
            bag.write(JOINT_STATES, k * 2_000_000, raw)
            if k % 10 == 0:
                bag.write(CLOCK, k * 2_000_000, raw[:8])
    (file,) = directory.glob("*.mcap")
    return file


@pytest.mark.parametrize("namespace", ["/boa", "/lab/snake"])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.999])
def test_the_messages_before_the_cut_are_saved(
    tmp_path: Path, share: float, namespace: str
) -> None:
    file = recorded(tmp_path / "bag", namespace)
    whole = list(bag_messages(tmp_path / "bag", (CLOCK, JOINT_STATES)))
    content = file.read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(content[: round(share * len(content))])
    saved = recover(cut, tmp_path / "saved", "name: mine\n")
    check_bag(tmp_path / "saved")
    messages = list(bag_messages(tmp_path / "saved", (CLOCK, JOINT_STATES)))
    assert messages == whole[: len(messages)]
    assert saved.messages == len(messages) > 0.5 * share * len(whole)
    summary = bag_summary(tmp_path / "saved")
    assert summary.scenario == "name: mine\n"
    assert summary.namespace == namespace
    assert saved.seconds == pytest.approx(summary.duration_s)


def test_a_damaged_chunk_ends_what_is_saved(tmp_path: Path) -> None:
    file = recorded(tmp_path / "bag")
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    damaged = tmp_path / "damaged.mcap"
    damaged.write_bytes(content)
    saved = recover(damaged, tmp_path / "saved")
    check_bag(tmp_path / "saved")
    assert saved.messages > 0


def test_a_file_without_a_message_of_boa_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.mcap"
    empty.write_bytes(b"")
    with pytest.raises(BoaError, match="has no message of Boa"):
        recover(empty, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_nothing_is_left_of_a_file_that_ends_before_its_first_message(tmp_path: Path) -> None:
    file = recorded(tmp_path / "bag")
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(BoaError, match="has no message of Boa"):
        recover(cut, tmp_path / "deep" / "saved")
    assert not (tmp_path / "deep").exists()
