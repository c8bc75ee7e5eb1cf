# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures of an ensemble against closed forms and other ways to compute them."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from boa_tools.ensembles.summary import Arm, arm_table, change, change_text, sign_test


def arm(name, success, **more):
    """Runs by seed and member; those without success ended too early."""
    rows = {
        key: {
            "error": None,
            "fault": None,
            "gate_trips": 0,
            "ended": "distance" if good else "stalled",
            "version": "1.0",
            "joint_force_peak_n": 10.0 * seed + member,
        }
        | more.get(f"of_{seed}_{member}", {})
        for key, good in success.items()
        for seed, member in [key]
    }
    return Arm(name, rows, success)


FIRST = arm("a", {(0, 0): True, (0, 1): True, (1, 0): False, (1, 1): True, (2, 0): True})


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (0, 1), (1, 7), (5, 5), (12, 3), (0, 20)])
def test_the_sign_test_is_the_binomial_test_of_a_fair_coin(worse, better):
    known = binomtest(worse, worse + better).pvalue if worse + better else 1.0
    assert sign_test(worse, better) == pytest.approx(known, rel=1e-12)


def test_members_and_seeds_have_their_own_rates():
    """All of n: the lower end of Wilson's interval is n / (n + z^2)."""
    assert (FIRST.rate.count, FIRST.rate.total) == (4, 5)
    assert (FIRST.seeds.count, FIRST.seeds.total) == (2, 3)
    all_well = arm("b", {(seed, 0): True for seed in range(50)})
    assert all_well.rate.low == pytest.approx(50 / (50 + 1.96**2), rel=1e-12)
    assert all_well.rate.high == 1.0


def test_failed_runs_are_counted_by_what_went_wrong():
    failed = arm(
        "c",
        {(seed, 0): False for seed in range(5)},
        of_0_0={"fault": "joint_force: joint_03: 55 N", "ended": "fault", "gate_trips": 1},
        of_1_0={"fault": "joint_force: joint_07: 51 N", "ended": "fault", "gate_trips": 1},
        of_2_0={"error": "its worker died"},
        of_3_0={"gate_trips": 2, "ended": "distance"},
    )
    assert failed.failures == {
        "fault joint_force": 2,
        "no result": 1,
        "gate trip, ended by distance": 1,
        "ended by stalled": 1,
    }
    assert failed.faults == 2


def test_percentiles_are_of_the_runs_that_have_the_metric():
    hundred = arm("d", {(seed, 0): True for seed in range(101)}, of_100_0={"version": None})
    shown = hundred.percentiles("joint_force_peak_n")
    assert shown == {"least": 0.0, "p50": 500.0, "p95": 950.0, "most": 1000.0}
    assert hundred.percentiles("mean_speed_mps") is None
    record = hundred.record()
    assert record["versions"] == ["1.0"] and record["metrics"]["mean_speed_mps"] is None


def test_two_arms_are_compared_over_the_members_that_both_have():
    second = arm("b", {(0, 0): False, (0, 1): False, (1, 0): True, (2, 0): True, (9, 0): True})
    step = change(FIRST, second)
    assert (step.members, step.seeds) == (4, 3)
    assert (step.lost, step.gained, step.worse, step.better) == (2, 1, 1, 1)
    assert step.p == 1.0
    back = change(second, FIRST)
    assert (back.lost, back.gained, back.worse, back.better) == (1, 2, 1, 1)
    assert "success to failure 2, failure to success 1" in change_text(FIRST, second, step)


def test_the_table_has_a_column_for_each_arm():
    text = arm_table([FIRST, arm("other", {(0, 0): True})]).splitlines()
    assert text[1].split() == ["a", "other"]
    assert text[2].split("  ")[0] == "success" and "4/5 (38 to 96 %)" in text[2]
    assert any(line.startswith("failed, ended by stalled") for line in text)
    force = next(line for line in text if line.startswith("joint force, largest N"))
    assert "0 / 10 / 18.2 / 20" in force
