# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All checks of one board, in order."""

from collections.abc import Iterator

from boa_hardware.spine.conformance import traffic, units
from boa_hardware.spine.conformance.bench import BoardBench
from boa_hardware.spine.conformance.finding import Check, Finding, Requests, Tell

CHECKS: tuple[Check, ...] = (
    traffic.silence,
    traffic.frames,
    traffic.rate,
    units.byte_order,
    units.units_at_rest,
    units.units_of_yaw,
    units.units_of_force,
    traffic.strange_frames,
    traffic.recovery,
    traffic.panic,
)


def links_on(bench: BoardBench) -> list[int]:
    """Links that answer a SYNC SENSOR."""
    links: set[int] = set()
    for _ in range(3):
        links |= {item.link for item in bench.sync(0.1) if item.opcode in bench.kinds}
    return sorted(links)


def check_board(
    bench: BoardBench, link: int, requests: Requests, tell: Tell = lambda _: None
) -> Iterator[Finding]:
    """Every check of one board, in an order in which the later ones rely on the earlier.

    Args:
        bench: the channel, not used by anybody else.
        link: number of the board, 1 to 63.
        requests: what may be done by hand.
        tell: gets a line when a hand is needed.

    Raises:
        PlantError: the adapter is gone, or another Brain is on the bus.
    """
    for check in CHECKS:
        yield check(bench, link, requests, tell)
