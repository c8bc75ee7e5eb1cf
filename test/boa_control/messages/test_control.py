# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controller outputs as messages and back."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from boa_control.controller import ContactEstimate, ControlOutput
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.messages.control import ControlDecoder, ControlEncoder, TorqueCodec
from boa_control.messages.events import CONTROLLER, decode_events, decode_sentence
from boa_control.messages.joints import ScalarsCodec
from boa_control.messages.topics import CONTACTS, DEBUG, EVENT_STATUS, EVENTS, TORQUE_COMMAND
from boa_description.load import load_robot
from test.boa_control.strategies import events

ROBOT = load_robot("boa13")
NUMBER = st.floats(allow_nan=True, width=64)
KEY = st.from_regex(r"[a-z][a-z_]{0,10}_(m|rad|n)", fullmatch=True)
DEBUG_RECORD = st.dictionaries(
    KEY,
    NUMBER | arrays(np.float64, array_shapes(max_dims=2, max_side=4), elements=NUMBER),
    max_size=5,
)


@st.composite
def outputs(draw) -> ControlOutput:
    links = draw(
        st.lists(
            st.tuples(st.integers(0, 12), st.none() | st.integers(0, 99)), unique=True, max_size=4
        )
    )
    contacts = tuple(
        ContactEstimate(
            obstacle,
            link,
            offset=draw(st.floats(0, 0.13)),
            side=draw(st.sampled_from([-1, 1])),
            force=draw(st.floats(0, 100)),
            force_std=draw(st.floats(0, 1) | st.just(math.nan)),
            reference=draw(st.floats(0, 50) | st.just(math.nan)),
            established=draw(st.booleans()),
        )
        for link, obstacle in links
    )
    torque = draw(arrays(np.float64, ROBOT.joints, elements=st.floats(-10, 10)))
    told = tuple(draw(st.lists(events(), max_size=3)))
    return ControlOutput(torque, contacts, told, draw(DEBUG_RECORD), draw(st.booleans()))


@given(outputs(), st.integers(0, 2**60), st.floats(0, 1e4))
def test_outputs_round_trip(output, stamp, step_us) -> None:
    sent = ControlEncoder(ROBOT).encode(stamp, output, step_us)
    assert sent[0][0] is TORQUE_COMMAND, "the torque comes first"
    raw = {topic.name: data for topic, data in sent}
    told = [one for topic, data in sent if topic is EVENT_STATUS for one in decode_events(data)]
    assert all(one.stamp_ns == stamp and one.source == CONTROLLER for one in told)
    sentences = [decode_sentence(data).text for topic, data in sent if topic is EVENTS]
    assert sentences == list(map(text_of, output.events))

    decoder = ControlDecoder(ROBOT)
    answered, effort = TorqueCodec(ROBOT, TORQUE_COMMAND).decode(raw[TORQUE_COMMAND.name])
    (torque,) = decoder.torque_commands([raw[TORQUE_COMMAND.name]])
    received, duration = decoder.output(
        torque, raw[CONTACTS.name], raw[DEBUG.name], tuple(one.event for one in told)
    )
    np.testing.assert_array_equal(torque, effort["effort"])
    assert answered == stamp and duration == step_us and received.ready == output.ready
    np.testing.assert_array_equal(received.torque, output.torque)
    assert received.events == output.events
    assert repr(received.contacts) == repr(output.contacts)  # repr: NaN is not equal to itself
    assert received.debug.keys() == output.debug.keys()
    for key, value in output.debug.items():
        np.testing.assert_array_equal(received.debug[key], value)


def test_same_bytes_as_other_implementations(same_bytes) -> None:
    contact = ContactEstimate(obstacle=7, link=4, offset=0.03, side=1, force=2.5, reference=3.0)
    gained = Event(kind=EventKind.CONTACT_GAINED, post=7, link=5)
    output = ControlOutput(np.ones(12), (contact,), (gained,), {"error_rad": np.arange(3.0)})
    content = {
        topic: same_bytes(raw, topic.msgtype)
        for topic, raw in ControlEncoder(ROBOT).encode(1_500_000_000, output)
    }
    debug = dict(zip(content[DEBUG].name, content[DEBUG].position, strict=True))
    assert debug["error_rad[2]"] == 2.0 and debug["contacts/link_05/obstacle_07/reference_n"] == 3.0
    assert [status.name for status in content[EVENT_STATUS].status] == ["contact_gained"]
    assert content[EVENTS].data == "1.500000000 controller gain post 7 link 5"


def test_contacts_are_read_beside_a_debug_record_that_says_nothing() -> None:
    """Another controller need not send what ours does."""
    contact = ContactEstimate(obstacle=7, link=4, offset=0.03, side=1, force=2.5)
    sent = dict(ControlEncoder(ROBOT).encode(5, ControlOutput(np.zeros(12), (contact,))))
    nothing = ScalarsCodec().encode(5, (), np.zeros(0))
    output, step_us = ControlDecoder(ROBOT).output(np.zeros(12), sent[CONTACTS], nothing)
    assert repr(output.contacts) == repr((contact,)), "NaN is not equal to itself"
    assert output.debug == {} and output.ready and math.isnan(step_us)


def test_names_that_are_no_array_of_ours_are_scalars() -> None:
    """Whatever the debug record of another controller names gets into report and live view."""
    names = (
        "kp[left]",
        "k[0]",
        "k[0,0]",
        "q",
        "q[0]",
        "far[4000000000]",
        "[",
        "pair[1]",
        "pair[0]",
    )
    contacts = ControlEncoder(ROBOT).record(5, ControlOutput(np.zeros(12)))[0][1]
    numbers = ScalarsCodec().encode(5, names, np.arange(9.0))
    output, _ = ControlDecoder(ROBOT).output(np.zeros(12), contacts, numbers)
    np.testing.assert_array_equal(output.debug["pair"], [8.0, 7.0])
    rest = {name: value for name, value in output.debug.items() if name != "pair"}
    assert rest == {name: float(k) for k, name in enumerate(names[:7])}
