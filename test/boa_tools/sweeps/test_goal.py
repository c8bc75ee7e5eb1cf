# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The goal of an optimisation, from rows to numbers."""

from __future__ import annotations

import numpy as np
import pytest

from boa_description.errors import BoaError
from boa_tools.sweeps.goal import Goal, Limit, metric_key, parse_limit

GOAL = Goal(
    "mean_speed_mps", True, (Limit("joint_force_peak_n", 50.0), Limit("completed", 1.0, least=True))
)


def row(speed=0.1, force=40.0, completed=True, ended="duration"):
    return {
        "mean_speed_mps": speed,
        "joint_force_peak_n": force,
        "completed": completed,
        "ended": ended,
    }


def test_the_objective_is_the_median_and_a_limit_counts_by_its_worst():
    rows = [row(0.1), row(0.3, 45.0), row(0.2, 30.0, completed=False)]
    assert GOAL.objective(rows) == pytest.approx(0.2)
    assert GOAL.excess(rows) == pytest.approx([-5.0, 1.0])
    assert GOAL.kept(rows[0]) and not GOAL.kept(rows[2]) and not GOAL.kept(row(force=50.1))


@pytest.mark.parametrize(
    "bad",
    [
        row(speed=None),
        row(ended="fault"),
        row(ended="contact force"),
        row(ended="heading"),
        row(ended=None, speed=None, force=None, completed=None),
    ],
)
def test_nothing_is_known_of_an_evaluation_of_which_one_run_has_no_number(bad):
    assert np.isnan(GOAL.objective([row(), bad]))
    assert not GOAL.kept(bad)
    assert np.isnan(GOAL.objective([]))


def test_goals_are_said_in_words():
    assert (
        str(GOAL) == "largest mean_speed_mps, joint_force_peak_n at most 50, completed at least 1"
    )


@pytest.mark.parametrize(
    "text", ["joint_force_peak_n", "joint_force_peak_n=", "joint_force_peak_n=x"]
)
def test_limits_need_a_number(text):
    with pytest.raises(BoaError, match="write METRIC=number"):
        parse_limit(text, "--limit")


def test_metrics_are_known_with_and_without_extra():
    assert metric_key("extra.force_error_relative") == metric_key("force_error_relative")
    assert parse_limit("completed=1", "--least") == Limit("completed", 1.0, least=True)
    with pytest.raises(BoaError, match="did you mean 'mean_speed_mps'"):
        metric_key("mean_sped_mps")
