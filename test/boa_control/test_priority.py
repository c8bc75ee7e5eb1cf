# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Real-time priority is requested for every thread, and never required."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from boa_control.priority import raise_all_threads

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="SCHED_FIFO is Linux's")


@pytest.fixture
def other_thread():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    yield thread
    done.set()
    thread.join()


def test_every_thread_gets_it(monkeypatch, other_thread) -> None:
    raised: dict[int, tuple[int, int]] = {}

    def raise_it(thread: int, policy: int, param: os.sched_param) -> None:
        raised[thread] = policy, param.sched_priority

    monkeypatch.setattr(os, "sched_setscheduler", raise_it)
    assert raise_all_threads(17)
    assert {threading.get_native_id(), other_thread.native_id} <= raised.keys()
    assert set(raised.values()) == {(os.SCHED_FIFO, 17)}


def test_where_it_is_not_allowed_everything_goes_on_as_before(monkeypatch, other_thread) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    assert not raise_all_threads(17)


def test_a_thread_that_ends_meanwhile_is_no_reason_to_fail(monkeypatch, other_thread) -> None:
    def gone(thread: int, *_: object) -> None:
        if thread == other_thread.native_id:
            raise ProcessLookupError

    monkeypatch.setattr(os, "sched_setscheduler", gone)
    assert raise_all_threads(17)


def test_zero_requests_nothing(monkeypatch) -> None:
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: pytest.fail("requested"))
    assert not raise_all_threads(0)
