# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Work in another process: its result, its refusal, its failure."""

from __future__ import annotations

import errno
import operator
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from boa_control.paths.named import segment_curve
from boa_control.paths.settings import SegmentPath
from boa_control.ros.controller.workshop import Work, Workshop
from boa_description.errors import BoaError


@pytest.fixture
def workshop() -> Iterator[Workshop]:
    workshop = Workshop("operator")
    yield workshop
    workshop.close()


def finished(work: Work):
    try:
        return work.result()
    finally:
        work.close()


def test_big_arrays_come_back_whole(workshop):
    rows = np.arange(200_000, dtype=float).reshape(1000, 200)
    back, again = finished(workshop.begin(partial(operator.mul, (rows, rows[::2]), 1)))
    assert np.array_equal(back, rows) and np.array_equal(again, rows[::2])


def test_a_refusal_is_raised_here(workshop):
    bent = SegmentPath(kind="segments", start=(0, 0), heading=0.0, segments=((1.0, 2.0),))
    with pytest.raises(BoaError, match="must be straight"):
        finished(workshop.begin(partial(segment_curve, bent)))


def test_a_process_that_fails_is_told(workshop):
    with pytest.raises(BoaError, match="has failed"):
        finished(workshop.begin(partial(os._exit, 3)))


def test_what_is_under_way_can_be_ended(workshop):
    work = workshop.begin(partial(os.read, 0, 1))
    work.close()
    assert work.done


def test_a_process_that_waits_does_the_next_task_and_one_that_has_died_is_replaced(workshop):
    workshop.prepare()
    workshop.prepare()
    waiting = workshop._waiting.pid
    assert finished(workshop.begin(os.getpid)) == waiting
    workshop.prepare()
    workshop._waiting.kill()
    workshop._waiting.wait()
    assert finished(workshop.begin(partial(abs, -2))) == 2


def test_a_process_that_waits_in_vain_ends_with_who_might_have_had_a_task(workshop):
    workshop.prepare()
    workshop._waiting.stdin.close()
    assert workshop._waiting.wait(60) == 0


def test_a_full_disk_is_told_and_the_process_ends(workshop, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    workshop.prepare()
    process = workshop._waiting
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(BoaError, match="No space left on device; make room"):
        workshop.begin(partial(abs, -2))
    assert process.poll() is not None
