# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A link without simulator, for emulated link boards."""

from __future__ import annotations

from collections.abc import Callable

from boa_hardware.emulator.link_physics import LinkReading


class ScriptedLink:
    """A link whose reading is a function of time.

    Args:
        motion: time in s to reading; None: at rest.
    """

    def __init__(self, motion: Callable[[float], LinkReading] | None = None) -> None:
        self.motion = motion

    def reading(self, now: float) -> LinkReading:
        """See LinkPhysics."""
        return self.motion(now) if self.motion else LinkReading()
