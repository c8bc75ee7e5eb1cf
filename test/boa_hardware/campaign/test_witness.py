# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The witness: sees what arrives, ignores what is destroyed, and the audit finds what should not
have come.
"""

from __future__ import annotations

import struct

import numpy as np
import pytest

from boa_hardware.emulator.script import FaultScript
from boa_hardware.servo.protocol import sync_write, write
from test.boa_hardware.campaign.trial import Case, Trial
from test.boa_hardware.witness import WatchedBoa

NM_PER_COUNT = 2.69e-3 * 2.667


def test_it_reads_sync_and_single_writes() -> None:
    witness = WatchedBoa().witness
    witness.record_bytes(
        sync_write({1: struct.pack("<h", 100), 12: struct.pack("<h", -50)}, 102), 1.0
    )
    witness.record_bytes(b"\x00\x17" + write(3, 102, struct.pack("<h", 7)), 2.0)
    seen = [(item.time, item.joint, item.torque / NM_PER_COUNT) for item in witness.seen]
    assert seen == [
        (1.0, 0, pytest.approx(100)),
        (1.0, 11, pytest.approx(-50)),
        (2.0, 2, pytest.approx(7)),
    ]


def test_it_ignores_damaged_packets_and_other_registers() -> None:
    witness = WatchedBoa().witness
    good = sync_write({1: struct.pack("<h", 100)}, 102)
    for at in range(4, len(good)):
        witness.record_bytes(good[:at] + bytes((good[at] ^ 0x10,)) + good[at + 1 :], 1.0)
    witness.record_bytes(good[:-1], 1.0)
    witness.record_bytes(sync_write({1: struct.pack("<h", 100)}, 104), 1.0)
    assert witness.seen == []


def test_it_reads_the_spine() -> None:
    witness = WatchedBoa().witness
    witness.record_frame(0x09 << 6 | 2, struct.pack("<h", 1500), 1.0)  # link 2 carries joint 1
    assert witness.seen == []
    witness.record_frame(0x06 << 6, b"\0", 1.1)
    assert witness.seen[0].torque == pytest.approx(1.5)
    assert [item.torque for item in witness.seen[1:]] == [0.0] * 11


@pytest.mark.parametrize(
    ("torque", "armed", "complaint"),
    [(0.05, True, "not commanded"), (9.0, True, "above the limit"), (0.05, False, "not armed")],
)
def test_the_audit_finds_a_torque_from_elsewhere(
    torque: float, armed: bool, complaint: str
) -> None:
    """Somebody else writes Goal Current on the line: the campaign must notice."""

    def act(trial: Trial) -> None:
        if not armed:
            trial.supervisor.disarm()
            trial._drive(0.2)
        commanded = trial.commands[-1].torque
        joint = int(
            np.abs(commanded).argmax()
        )  # for which the direction has been the same for long
        count = int(-np.sign(commanded[joint]) * torque / NM_PER_COUNT)
        trial.robot.line.receive(sync_write({joint + 1: struct.pack("<h", count)}, 102))

    trial = Trial(
        Case("intruder", "somebody else", lambda _: FaultScript(), act, stops=False, duration=0.05)
    )
    outcome = trial.run()
    assert any(complaint in text for text in outcome.violations), outcome.violations


def test_the_audit_is_content_with_an_undisturbed_run() -> None:
    trial = Trial(Case("nothing", "nothing", stops=False, duration=0.1))
    outcome = trial.run()
    assert outcome.went_on
    assert trial.audit() == ()
    assert outcome.torques_seen > 100
    assert np.abs([seen.torque for seen in trial.boa.witness.seen]).max() < 0.61
