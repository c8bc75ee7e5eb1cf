# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What posts that may stand off their places on the map ask of a path.

The balance there is another one than that of the map, and the controller finds the posts by touch:
so every contact must press enough to be felt, and the body must neither slide off the shape of its
path nor be too heavy for its contacts.
"""

import numpy as np

from boa_description.arrays import Array

SURELY = 2.0  # standard deviations, by which a post stands off its place at most
MARGIN_PER_STD = 15.0  # 1/m, by which more margin is demanded
# most that a contact may carry, over the least: forces err by a share of the largest that grows
# with the std of its post, and what carries little is not pressed any more when its normal turns,
# as a joint passes a post
UNEVENNESS_STD = 0.0425  # m, of that ratio times the std
UNEVENNESS = (6.0, 12.0)  # between which it stays
PUSH_MASS = 60.0  # kg: a robot that posts can hardly brake slides on, and its shape hardly tells
# m/rad: a body that slides further while its shape hardly changes is not where its joints say, and
# cannot be braked by them
SLIDE = 0.4
# that is ever demanded, as more is found in regular grids only; and always of those that the robot
# takes hold of first: with less one of them is pressed so gently that the body falls away before it
# is felt
LARGEST_MARGIN = 0.35


def most_over_least(std: Array) -> Array:
    """How many times the least force the contact of a post with this `std`, m, may carry."""
    least, most = UNEVENNESS
    return np.clip(UNEVENNESS_STD / np.maximum(std, UNEVENNESS_STD / most), least, most)
