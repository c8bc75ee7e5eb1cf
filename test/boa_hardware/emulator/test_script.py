# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fault scripts: read, refused, in force at their time."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_description.errors import BoaError
from boa_hardware.block_file import load_block
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.script import FaultScript

SCRIPT = """
servo_line:
  - {kind: lose, rate: 0.01}
  - {kind: unplug, start: 5.0, stop: 6.0}
servos:
  - {kind: silent, id: 3, start: 2.0, stop: 2.5}
  - {kind: overheat, id: 4, start: 1.0, amount: 77.0}
spine:
  - {kind: silence, link: 4, start: 3.0}
"""


def test_a_script_does_what_it_says_when_it_says(tmp_path: Path) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text(SCRIPT)
    boa = EmulatedBoa(script=load_block(FaultScript, file))
    assert [rule.rate for rule in boa.line_faults.rules] == [0.01]
    assert [boa.line_unplugged(now) for now in (4.9, 5.0, 5.9, 6.0)] == [False, True, True, False]
    silent, hot = [], []
    for now in (0.5, 1.0, 2.0, 2.4, 2.6):
        boa.apply_faults(now)
        silent.append(boa.chain.servo(3).silent)
        hot.append(boa.body.joint(3, 0.0)[3])
    assert silent == [False, False, True, True, False]
    assert hot[0] == 25.0
    assert hot[1] == 77.0
    assert boa.spine_faults.active("silence", 4, 3.1) is not None
    assert boa.spine_faults.active("silence", 5, 3.1) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("servos: [{kind: explode}]", "kind"),
        ("servo_line: [{kind: lose, rate: 2.0}]", "rate"),
        ("servos: [{kind: silent, start: 2.0, stop: 1.0}]", "later than start"),
        ("engine: []", "engine"),
    ],
)
def test_wrong_scripts_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text(text)
    with pytest.raises(BoaError, match=complaint):
        load_block(FaultScript, file)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        (
            {"servos": [{"kind": "silent", "id": 13}]},
            "servo 13, robot boa13 has servos 1, 2, .*12$",
        ),
        (
            {"spine": [{"kind": "silence", "link": 14}]},
            "link 14, robot boa13 has links 1, 2, .*13$",
        ),
    ],
)
def test_faults_of_what_is_not_there_are_refused(script: dict[str, object], complaint: str) -> None:
    with pytest.raises(BoaError, match=complaint):
        EmulatedBoa(script=FaultScript.model_validate(script))


def test_an_empty_script_is_no_fault() -> None:
    boa = EmulatedBoa(script=FaultScript())
    boa.apply_faults(1.0)
    assert not boa.line_unplugged(1.0)
    assert not any(servo.silent for servo in boa.chain.servos)
