# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the truth of a simulation goes out: together for the recorder, tick by tick for others."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.messages.cdr import stamp_of
from boa_control.messages.topics import CLOCK, SIM_CONTACTS, SIM_JOINT_STATES, SIM_ODOMETRY
from boa_control.messages.truth import TruthCodec
from boa_control.plant import PlanarTruth
from boa_control.ros.plant.truth import UNPACED, PlantTruth
from boa_description.load import load_robot

pytestmark = pytest.mark.ros

ROBOT = load_robot("boa13")
PERIOD = 0.002  # s
SECOND = 1_000_000_000  # ns


class Outlet:
    """Publishers of all topics, which note what goes out."""

    def __init__(self, **listeners: int) -> None:
        self.sent: list[tuple[str, int, bytes]] = []
        self.listeners = dict.fromkeys(("odometry", "joint_states", "contacts", "clock"), 0)
        self.listeners |= listeners

    def publishers(self):
        return {
            topic: _Publisher(self, topic.name.rpartition("/")[2])
            for topic in (SIM_ODOMETRY, SIM_JOINT_STATES, SIM_CONTACTS, CLOCK)
        }

    def stamps(self, name: str) -> list[int]:
        return [stamp for topic, stamp, _ in self.sent if topic == name]


class _Publisher:
    def __init__(self, outlet: Outlet, name: str) -> None:
        self._outlet, self._name = outlet, name

    def get_subscription_count(self) -> int:
        return self._outlet.listeners[self._name]

    def publish(self, raw: bytes) -> None:
        self._outlet.sent.append((self._name, stamp_of(raw), raw))


def truth_at(stamp: int) -> PlanarTruth:
    rng = np.random.default_rng(stamp)
    return PlanarTruth(stamp, *rng.normal(size=(2, 3)), *rng.normal(size=(2, ROBOT.joints)))


def plant_truth(outlet: Outlet, *, paced: bool = False) -> PlantTruth:
    return PlantTruth(outlet.publishers(), ROBOT, PERIOD, paced=paced, recorded=True)


STAMPS = [k * 2_000_000 for k in range(1, UNPACED + 1)]
MOTION = ("odometry", "joint_states")
TOPICS = (*MOTION, "contacts")


def test_what_is_only_recorded_goes_out_together_with_the_bytes_of_single_ticks() -> None:
    outlet = Outlet(odometry=1, joint_states=1, contacts=1)
    parts = plant_truth(outlet)
    for stamp in STAMPS[:-1]:
        parts.add(truth_at(stamp))
    assert not outlet.sent
    parts.add(truth_at(STAMPS[-1]))
    assert all(outlet.stamps(topic) == STAMPS for topic in TOPICS)
    codec = TruthCodec(ROBOT)
    one_by_one = {raw for stamp in STAMPS for _, raw in codec.encode(truth_at(stamp))}
    assert {raw for _, _, raw in outlet.sent} == one_by_one
    parts.flush()
    assert len(outlet.sent) == 3 * UNPACED, "nothing goes out twice"


def test_who_listens_beside_the_recorder_gets_every_tick_at_once_and_in_order() -> None:
    outlet = Outlet(odometry=1, joint_states=1, contacts=1)
    parts = plant_truth(outlet)
    parts.add(truth_at(0))
    outlet.listeners["odometry"] = 2
    parts.add(truth_at(SECOND))  # by then it has been looked who listens
    assert all(outlet.stamps(topic) == [0, SECOND] for topic in MOTION)
    parts.add(truth_at(SECOND + 1))
    assert all(outlet.stamps(topic) == [0, SECOND, SECOND + 1] for topic in MOTION)
    assert not outlet.stamps("contacts")


def test_contacts_come_in_bursts_that_a_usual_queue_holds_twice() -> None:
    """A foreign subscriber keeps ten messages if it does not say otherwise."""
    outlet = Outlet(odometry=1, joint_states=1, contacts=2)
    parts = plant_truth(outlet)
    for stamp in STAMPS:
        before = len(outlet.stamps("contacts"))
        parts.add(truth_at(stamp))
        assert len(outlet.stamps("contacts")) - before <= 5
    parts.flush()
    assert all(outlet.stamps(topic) == STAMPS for topic in TOPICS)


def test_in_real_time_nothing_waits_longer_than_16_ms() -> None:
    outlet = Outlet(contacts=1)
    parts = plant_truth(outlet, paced=True)
    for stamp in STAMPS[:8]:
        parts.add(truth_at(stamp))
    assert outlet.stamps("contacts") == STAMPS[:8]


def test_without_listeners_nothing_is_kept_and_no_time_is_told() -> None:
    outlet = Outlet()
    parts = plant_truth(outlet)
    parts.add(truth_at(0))
    parts.flush()
    assert not outlet.sent
    outlet.listeners["clock"] = 1
    parts.add(truth_at(1))
    assert outlet.stamps("clock") == [1] and len(outlet.sent) == 1, "seen with the next tick"
    outlet.listeners["contacts"] = 1
    parts.add(truth_at(2))
    parts.flush()
    assert outlet.stamps("contacts") == [2]


def test_what_waits_when_the_last_listener_leaves_is_not_kept_for_the_next() -> None:
    outlet = Outlet(contacts=1)
    parts = plant_truth(outlet)
    parts.add(truth_at(0))
    assert not outlet.sent
    outlet.listeners["contacts"] = 0
    parts.add(truth_at(SECOND))  # by then it has been looked who listens
    assert all(outlet.stamps(topic) == [0] for topic in TOPICS)
