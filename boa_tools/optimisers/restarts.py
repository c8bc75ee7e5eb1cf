# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several searches one after the other: where one stays at a lesser peak, another does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boa_description.arrays import Array
from boa_tools.optimisers.sample import Sample
from boa_tools.optimisers.sampler import Sampler
from boa_tools.optimisers.space import Space


@dataclass(frozen=True, slots=True)
class RestartedSampler:
    """A sampler that begins anew, with the next seed, after every so many proposals.

    Attributes:
        make: the sampler of a seed.
        seed: of the first search.
        length: proposals of each search.
    """

    make: Callable[[int], Sampler]
    seed: int
    length: int

    def propose(
        self, space: Space, samples: Sequence[Sample], pending: Sequence[Array], number: int
    ) -> Array | None:
        """The next point of the present search, which knows nothing of those before it."""
        begun, within = divmod(number, self.length)
        known = samples[begun * self.length :]
        return self.make(self.seed + begun).propose(space, known, pending, within)
