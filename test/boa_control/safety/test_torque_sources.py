# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One source of torques while armed: the decision, without ROS."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.plant import PlantError
from boa_control.safety.faults import FaultName
from boa_control.safety.torque_sources import (
    SourceState,
    TorqueSource,
    claim,
    second_appeared,
    sources_fault,
)

OURS, RIVAL = TorqueSource(b"\x01", "/boa/controller"), TorqueSource(b"\x02", "/teleop")


def test_arming_claims_the_plant_for_the_one_that_publishes() -> None:
    assert claim((OURS,), 1, 1) == SourceState(OURS, 1)
    assert claim((OURS,), 1, 5) == SourceState(OURS, 5), "others have come and gone before"
    assert claim((), 0, 3) == SourceState(None, 3)


def test_arming_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(
        PlantError, match="2 publishers of torque_command: /boa/controller and /teleop; stop all"
    ):
        claim((RIVAL, OURS), 2, 2)


def test_arming_is_refused_while_more_are_connected_than_are_known_by_name() -> None:
    with pytest.raises(PlantError, match="2 publishers of torque_command: /boa/controller and one"):
        claim((OURS,), 2, 2)


def test_two_nodes_of_one_name_are_told_apart() -> None:
    """The identity is one that Fast DDS 2.14 gave a publisher of process 18577."""
    fast = bytes.fromhex("010f78fd9148240c0000000000001303")
    with pytest.raises(
        PlantError,
        match=r"/boa/controller \(GID 01\) and /boa/controller \(GID 01.0f.78.fd.91.48.24.0c."
        r"00.00.00.00.00.00.13.03, host 78fd, process 18577\); stop all",
    ):
        claim((OURS, TorqueSource(fast, OURS.node)), 2, 2)


@pytest.mark.parametrize("node", ["/rosbag2_player", "/boa/rosbag2_player"])
def test_arming_is_refused_for_a_player_of_bags(node: str) -> None:
    with pytest.raises(PlantError, match=f"cannot arm, {node} plays the torque_command of a bag"):
        claim((TorqueSource(b"\x04", node),), 1, 1)


@given(before=st.integers(0, 1000), arrivals=st.integers(0, 1000))
def test_whoever_connects_besides_the_owner_is_a_second_source(before: int, arrivals: int) -> None:
    assert second_appeared(SourceState(OURS, before), before + arrivals) == (arrivals > 0)
    assert second_appeared(SourceState(None, before), before + arrivals) == (arrivals > 1)


@pytest.mark.parametrize(
    ("owner", "present", "names"),
    [
        (OURS, (OURS, RIVAL), "/boa/controller and /teleop"),
        (OURS, (RIVAL,), "/boa/controller and /teleop"),
        (OURS, (OURS,), "/boa/controller and a publisher that has gone again"),
        (OURS, (), "/boa/controller and a publisher that has gone again"),
        (None, (RIVAL, OURS), "/boa/controller and /teleop"),
        (
            OURS,
            (TorqueSource(b"\x03", OURS.node),),
            "/boa/controller (GID 01) and /boa/controller (GID 03)",
        ),
        (TorqueSource(OURS.identity, "?"), (OURS, RIVAL), "? and /teleop"),
    ],
)
def test_the_fault_has_the_names_of_both(
    owner: TorqueSource | None, present: tuple[TorqueSource, ...], names: str
) -> None:
    fault = sources_fault(SourceState(owner, 1), present)
    assert fault.name is FaultName.TWO_TORQUE_SOURCES and fault.subject == "command"
    assert fault.message == f"{names} command torques; stop all but one, reset the fault, arm again"
