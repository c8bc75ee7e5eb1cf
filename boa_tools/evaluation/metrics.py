# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The metrics of a run, from its log and its experiment. Definitions in docs/metrics.md.

Everything that judges quality leaves out the start-up (`evaluation.settle`); distances and energies
are those of the whole run. Quantities that do not apply are None, never zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import Metric, Value
from boa_tools.evaluation.metric_table import FURTHER, METRICS


def metrics(analysis: Analysis) -> dict[str, Any]:
    """Return every metric by name (`boa_tools.evaluation.metric_table.METRICS`), and further ones
    under "extra".
    """
    values: dict[str, Any] = {key: value_of(metric, analysis) for key, metric in METRICS.items()}
    return values | {"extra": {key: value_of(FURTHER[key], analysis) for key in sorted(FURTHER)}}


def value_of(metric: Metric, analysis: Analysis) -> Value:
    """A metric as JSON knows it: a number that is not finite is not known."""
    value = metric.compute(analysis)
    return None if isinstance(value, float) and not np.isfinite(value) else value
