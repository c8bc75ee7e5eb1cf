# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of tables of columns, put together into one table."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

Columns = tuple[Any, ...]  # arrays with as many rows each; the first numbers the part of each row


def gathered(parts: Sequence[tuple[Columns, slice]]) -> list[Any]:
    """The columns of some rows of tables, one part after the other; the first counts the parts.

    Parts that lie one behind the other in the same table are not copied.
    """
    tables, rows = zip(*parts, strict=True)
    first = tables[0]
    if all(table is first for table in tables) and all(
        part.stop == following.start for part, following in pairwise(rows)
    ):
        whole = slice(rows[0].start, rows[-1].stop)
        columns = [column[whole] for column in first]
    else:
        selected = [[column[part] for column in table] for table, part in parts]
        columns = [np.concatenate(column) for column in zip(*selected, strict=True)]
    counts = [part.stop - part.start for part in rows]
    return [np.arange(len(parts)).repeat(counts), *columns[1:]]
