# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arms side by side, as text."""

from __future__ import annotations

from collections.abc import Sequence

from boa_tools.ensembles.summary import LEVELS, SHOWN, Arm, Change
from boa_tools.evaluation.columns import aligned
from boa_tools.evaluation.metric_table import description
from boa_tools.evaluation.spread import Rate


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
