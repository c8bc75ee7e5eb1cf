# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The topic table."""

from __future__ import annotations

from boa_control.messages.cdr import typestore
from boa_control.messages.topics import RECORDED_TOPICS, TOPICS


def test_names_are_unique_and_types_are_standard() -> None:
    assert len({topic.name for topic in TOPICS}) == len(TOPICS)
    for topic in TOPICS:
        assert topic.msgtype in typestore().types, topic


def test_ground_truth_is_kept_apart() -> None:
    for topic in TOPICS:
        assert topic.simulation_only == (
            topic.name.startswith("/boa/sim/") or topic.name == "/clock"
        )


def test_everything_but_bookkeeping_is_recorded() -> None:
    assert {topic.name for topic in TOPICS} - {topic.name for topic in RECORDED_TOPICS} == {
        "/boa/imu",  # the samples of imus
        "/boa/recorder/recorded",
        "/boa/tracker/pose",  # the samples of tracker, as the plant passed them on
        "/tf",  # both made from link_poses, in every bag
        "/tf_static",
        "/boa/goal_pose",  # planner/status says what was made of it
        "/boa/controller/speed",  # the events say what was made of these three
        "/boa/sim/apply_wrench",
        "/boa/sim/set_state",
        "/boa/plant/transition_event",  # as the services do
    }


def test_a_robot_in_another_namespace_has_everything_below_it() -> None:
    for topic in TOPICS:
        assert topic.below("/boa") == topic.name
        assert topic.below("/lab/boa2") == "/lab/boa2/" + topic.relative.lstrip("/")
    assert TOPICS[0].relative == "joint_states"
