"""Bands of the signals in which runs with a right map stay, and how a run leaves them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from boa_control.compiled import on_path
from boa_control.compiled.felt import beyond
from boa_control.controllers.hoal.caution import Signals


@dataclass(frozen=True, slots=True)
class Band:
    """Largest values.

    Attributes:
        overspeed: m/s; overspeed_slow: of a robot that should go at `SLOW_SPEED` or slower.
        shape: rms, rad. joint_rate: off the way along the path, rad/s. stray, axial: N.
        load: share of the joint force that is a fault.
    """

    overspeed: float
    overspeed_slow: float
    shape: float
    joint_rate: float
    stray: float
    axial: float
    load: float


# m/s, unless the map is trusted: a post struck at it gives 33 N in a joint, and few posts hold a
# robot that searches the next one so slowly
SLOW_SPEED = 0.03
LEAST_HOLD = 0.5  # of the preload that balance allows; good sets of contacts have 0.8 and more
# good runs on displaced posts reach 0.046 m/s, 0.026 rad, 0.35 rad/s, 3.7 N, 4.0 N, 0.5
SLOW = Band(0.06, 0.025, 0.035, 0.45, 4.0, 6.0, 0.55)
STOP = Band(0.07, 0.07, 0.08, 0.9, 15.0, 20.0, 0.65)
# of a robot that still comes down to SLOW_SPEED
SLOWING = replace(SLOW, overspeed_slow=SLOW.overspeed)
# where posts stand as on the map nothing else presses, in good runs
SLOW_EXACT = replace(SLOW, stray=4.0, axial=4.0)
STOP_EXACT = replace(STOP, stray=8.0, axial=8.0)
EXACT = {SLOW: SLOW_EXACT, STOP: STOP_EXACT}
# of a robot that has stopped and come to rest: one that stands has 0.05 rad/s
STANDING = Band(0.04, 0.04, np.inf, 0.2, np.inf, np.inf, 0.4)
START_SHAPE = 0.05  # rad rms, with which a start-up that has not felt all posts must not end
# of shape and joint rates, where the model of the contacts has nothing to do with them any more
LOST = Band(np.inf, np.inf, 0.16, 1.3, np.inf, np.inf, np.inf)


def swing(now: Signals) -> float:
    """Largest joint rate that is not that of the way along the path, rad/s."""
    largest: float = on_path.swing(now.velocity, now.along, now.rate)
    return largest


def too_fast(rate: float, desired: float, limit: float) -> str:
    """How much `rate` exceeds `desired`, m/s, if by more than `limit`; else empty."""
    over = abs(rate) - abs(desired)
    return f"{over:.2f} m/s too fast" if over > limit else ""


def off_shape(residual: float, limit: float) -> str:
    """How far the joints are off the shape of the path, rad rms, if above `limit`; else empty."""
    return f"shape {np.degrees(residual):.1f} deg off" if residual > limit else ""


def outside(now: Signals, swing: float, band: Band, fault: float) -> str:
    """The first signal outside the band, with its value; empty where none is.

    Args:
        swing: of the signals. fault: joint force that is one, N.
    """
    overspeed = band.overspeed_slow if abs(now.desired) <= SLOW_SPEED else band.overspeed
    reason = too_fast(now.rate, now.desired, overspeed) or off_shape(now.shape, band.shape)
    if reason:
        return reason
    if swing > band.joint_rate:
        return f"a joint {swing:.2f} rad/s off"
    if now.joint_force > band.load * fault:
        return f"joint force {now.joint_force:.0f} N"
    return ""


def strange_link(now: Signals, band: Band) -> tuple[int, str] | None:
    """The link, from 0, on which an unplanned post presses outside the band, and its side."""
    if now.exact:
        band = EXACT[band]
    link: int = beyond(now.stray, now.axial, band.stray, band.axial)
    if link < 0:
        return None
    if link < now.stray.size:
        return link, "right" if now.stray[link] > 0 else "left"
    tip = link - now.stray.size
    return tip, "ahead" if now.axial[tip] < 0 else "behind"
