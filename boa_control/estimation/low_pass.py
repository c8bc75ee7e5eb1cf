# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The first-order low-pass of sampled signals, by backward Euler: stable for every period."""

from typing import TypeVar

from boa_description.arrays import Array

Signal = TypeVar("Signal", float, Array)


class LowPass:
    """y' = (x - y) / T, sampled.

    Attributes:
        share: of the difference between sample and output that one period takes away, 0 to 1.
    """

    def __init__(self, period: float, time_constant: float) -> None:
        """`period` of the samples > 0, `time_constant` T >= 0, s; with 0 the output is the
        sample.
        """
        self.share = period / (period + time_constant)

    def follow(self, output: Signal, sample: Signal) -> Signal:
        """The output one period later."""
        return output + self.share * (sample - output)
