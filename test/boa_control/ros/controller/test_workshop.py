# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Work in another process: its result, its refusal, its failure."""

from __future__ import annotations

import operator
import os
from functools import partial

import numpy as np
import pytest

from boa_control.paths.named import segment_curve
from boa_control.paths.settings import SegmentPath
from boa_control.ros.controller.workshop import Work
from boa_description.errors import BoaError


def finished(work: Work):
    try:
        return work.result()
    finally:
        work.close()


def test_big_arrays_come_back_whole():
    rows = np.arange(200_000, dtype=float).reshape(1000, 200)
    back, again = finished(Work(partial(operator.mul, (rows, rows[::2]), 1)))
    assert np.array_equal(back, rows) and np.array_equal(again, rows[::2])


def test_a_refusal_is_raised_here():
    bent = SegmentPath(kind="segments", start=(0, 0), heading=0.0, segments=((1.0, 2.0),))
    with pytest.raises(BoaError, match="must be straight"):
        finished(Work(partial(segment_curve, bent)))


def test_a_process_that_fails_is_told():
    with pytest.raises(BoaError, match="has failed"):
        finished(Work(partial(os._exit, 3)))


def test_what_is_under_way_can_be_ended():
    work = Work(partial(os.read, 0, 1))
    work.close()
    assert work.done
