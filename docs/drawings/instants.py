# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs at single instants, two in a row, as in docs/spatial.md:
`python docs/drawings/instants.py FILE.png results/RUN@SECONDS ...`.
"""

from __future__ import annotations

import sys

import numpy as np
from PIL import Image
from stills import stills

SIZE = (600, 225)  # pixels of one picture


def main(file: str, *places: str) -> None:
    """Write the picture."""
    pictures = []
    for place in places:
        source, _, seconds = place.rpartition("@")
        (still,) = stills(source, [float(seconds)], SIZE)
        pictures.append(np.asarray(still.convert("RGB")))
    rows = [np.hstack(pictures[k : k + 2]) for k in range(0, len(pictures) - 1, 2)]
    Image.fromarray(np.vstack(rows)).save(file, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
