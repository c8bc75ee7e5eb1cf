# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Least squares of many joints at once, against numpy's and against repetition."""

from __future__ import annotations

import numpy as np
import pytest

from boa_tools.identification.regression import NormalEquations, coverage_factor, jackknife

WINDOWS, JOINTS, LOCAL, COMMON = 60, 3, 2, 2


def equations(draw: np.random.Generator, noise: float = 0.1):
    """Columns, targets and the unknowns behind them."""
    columns = draw.standard_normal((WINDOWS, JOINTS, LOCAL + COMMON))
    own, shared = draw.standard_normal((JOINTS, LOCAL)), draw.standard_normal(COMMON)
    target = np.einsum("wjc,jc->wj", columns[..., :LOCAL], own) + columns[..., LOCAL:] @ shared
    return columns, target + noise * draw.standard_normal(target.shape), own, shared


def test_unknowns_of_joints_and_of_all_are_those_of_one_large_least_squares():
    draw = np.random.default_rng(1)
    columns, target, _, _ = equations(draw)
    used = draw.random(target.shape) < 0.8
    block = np.arange(WINDOWS) // 10
    own, shared = NormalEquations.of(columns, target, used, block).total().solve(COMMON)
    dense = np.zeros((WINDOWS, JOINTS, JOINTS * LOCAL + COMMON))
    for joint in range(JOINTS):
        dense[:, joint, joint * LOCAL : (joint + 1) * LOCAL] = columns[:, joint, :LOCAL]
        dense[:, joint, JOINTS * LOCAL :] = columns[:, joint, LOCAL:]
    best = np.linalg.lstsq(dense[used], target[used], rcond=None)[0]
    assert np.concatenate((own.ravel(), shared)) == pytest.approx(best, abs=1e-10)


def test_leaving_a_block_out_is_fitting_the_others():
    draw = np.random.default_rng(2)
    columns, target, _, _ = equations(draw)
    block = np.arange(WINDOWS) // 10
    used = np.ones(target.shape, bool)
    without = NormalEquations.of(columns, target, used, block).without_each().solve(COMMON)
    others = block != 3
    alone = NormalEquations.of(columns[others], target[others], used[others], block[others])
    own, shared = alone.total().solve(COMMON)
    assert without[0][3] == pytest.approx(own, abs=1e-10)
    assert without[1][3] == pytest.approx(shared, abs=1e-10)


def test_a_column_that_tells_nothing_gives_zero():
    columns, target, own, shared = equations(np.random.default_rng(3), noise=0.0)
    columns = np.concatenate((np.zeros((WINDOWS, JOINTS, 1)), columns), axis=-1)
    used, block = np.ones(target.shape, bool), np.zeros(WINDOWS, int)
    found, common = NormalEquations.of(columns, target, used, block).total().solve(COMMON)
    assert found[:, 0] == pytest.approx(0.0, abs=1e-12)
    assert found[:, 1:] == pytest.approx(own, abs=1e-9)
    assert common == pytest.approx(shared, abs=1e-9)


def test_a_joint_without_data_is_taken_for_the_average_of_the_others():
    columns, target, own, _ = equations(np.random.default_rng(4), noise=0.0)
    own[:] = own[0]
    target = np.einsum("wjc,jc->wj", columns[..., :LOCAL], own)
    used = np.ones(target.shape, bool)
    used[:, 1] = False
    sums = NormalEquations.of(columns, target, used, np.zeros(WINDOWS, int)).total()
    found, _ = sums.near_average(COMMON, np.full(LOCAL, 1e-3), np.zeros(LOCAL)).solve(COMMON)
    assert found[1] == pytest.approx(own[0], abs=1e-9)


def test_the_jackknife_of_a_mean_is_its_textbook_variance():
    values = np.random.default_rng(5).standard_normal(20)
    without = (values.sum() - values) / 19
    assert jackknife(without[:, None])[0, 0] == pytest.approx(values.var(ddof=1) / 20)


def test_intervals_of_correlated_errors_cover_nineteen_times_in_twenty():
    """Errors that stay for 20 samples, blocks of 40. Of 600 means of 12 blocks 5 % are missed, with
    a standard deviation of 0.9 %. Counting samples as independent would miss more than 50 %.
    """
    draw = np.random.default_rng(6)
    missed = 0
    for _ in range(600):
        blocks = np.repeat(draw.standard_normal(24), 20).reshape(12, 40).mean(axis=1)
        without = (blocks.sum() - blocks) / 11
        half = coverage_factor(12) * np.sqrt(jackknife(without[:, None])[0, 0])
        missed += abs(blocks.mean()) > half
    assert 0.02 < missed / 600 < 0.09
