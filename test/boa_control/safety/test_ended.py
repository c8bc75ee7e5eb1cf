# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ends of runs as values, in run.json, of this version and of old ones, and as events."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.event_text import brief_of, text_of
from boa_control.safety.ended import Ended, Reason
from boa_control.safety.faults import Fault, FaultName

FAULTS = st.builds(Fault, st.sampled_from(FaultName), st.text(), st.text())
ENDS = st.one_of(
    st.builds(Ended.by, FAULTS),
    st.sampled_from([Ended(reason) for reason in Reason if reason is not Reason.FAULT]),
)
OVERLOAD = Fault(FaultName.JOINT_FORCE, "joint_02", "joint_02: joint force 51.6 N; unload it")


@given(ENDS)
def test_record_and_event_are_read_back_whole(ended: Ended) -> None:
    assert Ended.of(json.loads(json.dumps(ended.record()))) == ended
    event = ended.event()
    assert Ended.of_event(event) == ended and "\n" not in text_of(event)
    assert brief_of(event) == f"end {ended}"


@pytest.mark.parametrize(
    ("old", "ended"),
    [
        ("duration", Ended(Reason.DURATION)),
        ("stopped", Ended(Reason.STOPPED)),
        ("fault: joint_force: joint_02: joint force 51.6 N; unload it", Ended.by(OVERLOAD)),
        ("fault: bus: gone", Ended.by(Fault(FaultName.PLANT, "bus", "bus: gone"))),
    ],
)
def test_old_results_are_read(old: str, ended: Ended) -> None:
    assert Ended.of({"scenario": "boa_circle", "ended": old}) == ended


def test_a_record_says_the_reason_and_the_whole_fault() -> None:
    assert Ended(Reason.DISTANCE).record() == {"ended": "distance", "fault": None}
    assert Ended.by(OVERLOAD).record() == {
        "ended": "fault",
        "fault": {
            "name": "joint_force",
            "subject": "joint_02",
            "message": "joint_02: joint force 51.6 N; unload it",
        },
    }
    assert str(Ended.by(OVERLOAD)) == f"fault: joint_force: {OVERLOAD.message}"


def test_a_fault_and_its_reason_go_together() -> None:
    with pytest.raises(ValueError, match="do not go together"):
        Ended(Reason.FAULT)
    with pytest.raises(ValueError, match="do not go together"):
        Ended(Reason.DURATION, OVERLOAD)
    with pytest.raises(ValueError, match="nonsense"):
        Ended.of({"ended": "nonsense"})
