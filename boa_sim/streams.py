# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Independent random streams from one seed, by name: adding an effect never changes what another
one draws.
"""

from zlib import crc32

import numpy as np


def stream(seed: int, name: str) -> np.random.Generator:
    """The generator for `name` under `seed`; the same arguments give the same numbers on every
    machine.
    """
    return np.random.default_rng([seed, crc32(name.encode())])
