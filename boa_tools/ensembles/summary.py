# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What came of an ensemble: success, spread of some metrics, and two arms member by member. Arms
side by side, as text.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from typing import Any

import numpy as np

from boa_tools.ensembles.ensemble import ARM, MEMBER, Ensemble
from boa_tools.evaluation.columns import aligned
from boa_tools.evaluation.metric_table import description
from boa_tools.evaluation.spread import Rate, wilson
from boa_tools.sweeps.journal import Row

LEVELS = {"least": 0.0, "p50": 50.0, "p95": 95.0, "most": 100.0}  # percentiles
SHOWN = (
    "joint_force_peak_n",
    "mean_speed_mps",
    "gate_trips",
    "force_error_relative",
    "form_closure_fraction",
)

Key = tuple[int, int]  # seed and member


@dataclass(frozen=True, slots=True)
class Arm:
    """The runs of one arm.

    Attributes:
        name: for people.
        rows: of the runs, by seed and member.
        success: whether each was one.
    """

    name: str
    rows: Mapping[Key, Row]
    success: Mapping[Key, bool]

    @property
    def rate(self) -> Rate:
        """Share of successes. Its interval takes runs for independent, members of a seed included,
        and is too narrow as far as they are not; `seeds` is not.
        """
        return wilson(sum(self.success.values()), len(self.success))

    @property
    def seeds(self) -> Rate:
        """Share of the seeds whose members are all successes."""
        failed = {seed for (seed, _), good in self.success.items() if not good}
        every = {seed for seed, _ in self.success}
        return wilson(len(every - failed), len(every))

    @property
    def failures(self) -> dict[str, int]:
        """Number of failed runs by why they failed, the most frequent first."""
        why = Counter(_why(self.rows[key]) for key, good in self.success.items() if not good)
        return dict(why.most_common())

    @property
    def faults(self) -> int:
        """Runs that a fault has ended."""
        return sum(row["fault"] is not None for row in self.rows.values())

    def percentiles(self, metric: str) -> dict[str, float] | None:
        """Of a metric over all runs that have it, by the names of LEVELS; None without any."""
        known = [v for row in self.rows.values() if (v := row.get(metric)) is not None]
        if not known:
            return None
        values = np.percentile(np.array(known, float), list(LEVELS.values()))
        return dict(zip(LEVELS, values.tolist(), strict=True))

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "arm": self.name,
            "versions": sorted({row["version"] for row in self.rows.values() if row["version"]}),
            "success": asdict(self.rate),
            "seeds": asdict(self.seeds),
            "faults": self.faults,
            "failures": self.failures,
            "metrics": {metric: self.percentiles(metric) for metric in SHOWN},
            "runs": [
                {"seed": seed, "member": member, "success": good}
                | ({} if good else {"why": _why(self.rows[seed, member])})
                for (seed, member), good in self.success.items()
            ],
        }


def arms(ensemble: Ensemble, rows: Sequence[Row], prefix: str = "") -> list[Arm]:
    """The arms of an ensemble with the runs so far; those without any are left out."""
    found = []
    for name in ensemble.arms:
        own = {(row["seed"], row[MEMBER]): row for row in rows if row[ARM] == name}
        if own:
            good = {key: ensemble.succeeded(row) for key, row in sorted(own.items())}
            found.append(Arm(prefix + name, own, good))
    return found


def _why(row: Row) -> str:
    """Kind of the end of a failed run."""
    if row["error"] is not None:
        return "no result"
    if row["fault"] is not None:
        return f"fault {row['fault'].partition(':')[0]}"
    return f"{'gate trip, ' if row['gate_trips'] else ''}ended by {row['ended']}"


@dataclass(frozen=True, slots=True)
class Change:
    """What changed from one arm to another, over the members that both have.

    Attributes:
        members, seeds: that both have.
        lost, gained: members that were a success and are none, and the other way round.
        worse, better: seeds with fewer, and with more, successes among their members.
        p: of the sign test over seeds, which are independent.
    """

    members: int
    seeds: int
    lost: int
    gained: int
    worse: int
    better: int
    p: float


def change(first: Arm, second: Arm) -> Change:
    """Compare two arms member by member."""
    shared = [key for key in first.success if key in second.success]
    steps = {key: int(second.success[key]) - int(first.success[key]) for key in shared}
    by_seed: Counter[int] = Counter()
    for (seed, _), step in steps.items():
        by_seed[seed] += step
    worse, better = (sum(sign * s > 0 for s in by_seed.values()) for sign in (-1, 1))
    lost, gained = (sum(sign * s > 0 for s in steps.values()) for sign in (-1, 1))
    return Change(len(shared), len(by_seed), lost, gained, worse, better, sign_test(worse, better))


def sign_test(worse: int, better: int) -> float:
    """Exact two-sided p-value: how likely one that tosses a coin for each of them is at least as
    one-sided. With one member per seed this is McNemar's exact test.
    """
    total = worse + better
    tail = sum(comb(total, k) for k in range(min(worse, better) + 1)) / 2**total
    return min(1.0, 2.0 * tail)


def arm_table(arms: Sequence[Arm]) -> str:
    """A line for each figure, a column for each arm."""
    kinds = dict.fromkeys(kind for arm in arms for kind in arm.failures)
    lines = [
        ["", *(arm.name for arm in arms)],
        ["success", *(_rate(arm.rate) for arm in arms)],
        ["seeds with all members", *(_rate(arm.seeds) for arm in arms)],
        ["runs with a fault", *(str(arm.faults) for arm in arms)],
        *([f"failed, {kind}", *(str(arm.failures.get(kind, 0)) for arm in arms)] for kind in kinds),
        *([_label(metric), *(_percentiles(arm, metric) for arm in arms)] for metric in SHOWN),
    ]
    head = f"success: k/n with Wilson's 95 % interval; others: {' / '.join(LEVELS)}"
    return "\n".join([head, *aligned(lines)])


def change_text(first: Arm, second: Arm, change: Change) -> str:
    """What changed, for people."""
    return (
        f"from '{first.name}' to '{second.name}', {change.members} members of {change.seeds} seeds "
        f"in common:\n"
        f"  success to failure {change.lost}, failure to success {change.gained} members; "
        f"{change.worse} seeds worse, {change.better} better, sign test p = {change.p:.3g}"
    )


def _rate(rate: Rate) -> str:
    return f"{rate.count}/{rate.total} ({100 * rate.low:.0f} to {100 * rate.high:.0f} %)"


def _label(metric: str) -> str:
    about = description(metric)
    return f"{about.label} {about.unit}".rstrip()


def _percentiles(arm: Arm, metric: str) -> str:
    values = arm.percentiles(metric)
    if values is None:
        return "-"
    return " / ".join(f"{value * description(metric).factor:.3g}" for value in values.values())
