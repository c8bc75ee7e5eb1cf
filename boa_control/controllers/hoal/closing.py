"""How fast the leading end comes to the posts before it.

The speed along the path is that of the joints. A body that keeps posts in touch which stand off the
map may go faster at its leading end.
"""

from __future__ import annotations

from boa_control.model.path_model import PathState
from boa_description.arrays import Array


def leading_speed(state: PathState, travel: Array, direction: int) -> float:
    """Of the leading end along itself per speed along the path, where the body moves by `travel`,
    (n + 2,), per metre. `direction`: 1: the head leads; -1: the tail.
    """
    return abs(float(state.along_rows[-1 if direction > 0 else 0].dot(travel)))
