# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Guards of the table of supervision: each says why its transition is due, or that it is not.

A guard is asked in the states of its rows only, so one that counts does not count in others.
"""

import numpy as np

from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.detectors import at_start
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.watch import Watch


def few_at_start(watch: Watch) -> Finding | None:
    """First posts do not hold the robot."""
    return watch.few


def bent_at_start(watch: Watch) -> Finding | None:
    """It does not measure all of them, and is far off the shape of its path."""
    if watch.now.closing or watch.now.measured == watch.now.planned:
        return None
    bent = thresholds.off_shape(watch.now.shape, watch.tuning.contacts.start_shape)
    return None if bent is None else at_start(watch.now, bent)


def outside(watch: Watch) -> Finding | None:
    """A signal has left the band of good runs, or few posts are measured."""
    if not watch.doubtful or watch.met:
        return None
    few = Finding(Reason.FEW_MEASURED, watch.now.measured, watch.now.planned)
    return watch.out or few


def little_way(watch: Watch) -> Finding | None:
    """No way was made for a while."""
    if not watch.little_way:
        return None
    return Finding(Reason.NO_WAY_MADE, watch.tuning.supervision.slow_time)


def quiet_way(watch: Watch) -> Finding | None:
    """Nothing has counted against the contact model on a way."""
    return Finding(Reason.AS_PLANNED) if watch.quiet >= watch.tuning.supervision.quiet_way else None


def held_again(watch: Watch) -> Finding | None:
    """Posts hold the robot that went back, or will not."""
    return watch.way_back.update(watch.now, watch.moved, watch.absent)


def runs_away(watch: Watch) -> Finding | None:
    """Without a post nothing holds it, and turning round would be a blow."""
    return unheld(watch) if abs(watch.now.rate) > watch.tuning.steering.slow_return else None


def unheld(watch: Watch) -> Finding | None:
    """Without a post nothing holds it."""
    if not watch.now.absent.size or watch.now.balance >= watch.tuning.contacts.least_hold:
        return None
    return Finding(Reason.TOO_FEW_HOLD, posts=watch.absent)


def sent_back(watch: Watch) -> Finding | None:
    """It shall go back from where it was stopped: that way it has passed."""
    return Finding(Reason.GOES_BACK) if watch.barred * watch.travel.goal < 0 else None


def far_off(watch: Watch) -> Finding | None:
    """The model of the contacts has nothing to do with the robot any more."""
    return _leaves(watch, watch.band.bands.lost)


def unbalanced(watch: Watch) -> Finding | None:
    """It moves without one of its first posts, and the others do not hold it: one that stands may
    detect that post yet.
    """
    moving = abs(watch.now.rate) > watch.tuning.steering.slow_speed
    if watch.lacks_first and moving and watch.now.balance < watch.tuning.contacts.least_hold:
        return Finding(Reason.UNBALANCED, watch.now.measured, watch.now.planned)
    return None


def few_for_long(watch: Watch) -> Finding | None:
    """Fewer posts are measured than can hold it, for long."""
    if not watch.few_measured.lost:
        return None
    return Finding(Reason.FEW_FOR_LONG, watch.now.measured, watch.now.planned)


def not_located(watch: Watch) -> Finding | None:
    """What presses on a robot that goes on tells no way past it."""
    pressing = watch.pressing.update(watch.strange is not None)
    stops = watch.lacking and pressing >= watch.tuning.supervision.pressed_time
    return Finding(Reason.NO_WAY_PAST) if stops else None


def misled(watch: Watch) -> Finding | None:
    """Touch does not tell any more where posts stand."""
    return Finding(Reason.MISLED, words=watch.now.misled) if watch.now.misled else None


def unmapped(watch: Watch) -> Finding | None:
    """A post presses that is not on an exact map."""
    return _presses_hard(watch) if watch.now.exact else None


def unplanned(watch: Watch) -> Finding | None:
    """A post presses that may be on the map: where, its touch has told."""
    return None if watch.now.exact else _presses_hard(watch)


def met_by_tip(watch: Watch) -> Finding | None:
    """The leading end runs on a planned post."""
    if watch.now.thrust <= watch.band.bands.stop.axial or watch.now.met is None:
        return None
    return _without_posts(watch, Finding(Reason.MET_BY_TIP, posts=(watch.now.met,)))


def blow(watch: Watch) -> Finding | None:
    """A signal has left the second band."""
    left = _leaves(watch, watch.band.bands.stop)
    return None if left is None else _without_posts(watch, left)


def stuck(watch: Watch) -> Finding | None:
    """No way was made for too long, which nothing will change that the controller knows; sooner
    where something unplanned has pressed, and no post is searched meanwhile.
    """
    now, tuning = watch.now, watch.tuning.supervision
    patience = tuning.stuck_time
    if now.exact and watch.strange_posts.any and now.desired:
        barred = max(watch.tuning.steering.patience, tuning.strange_way / abs(now.desired))
        patience = min(barred, patience)
    return Finding(Reason.NO_WAY_MADE, patience) if now.way.missing(patience) else None


def slips_back(watch: Watch) -> Finding | None:
    """Its posts let it slide back against the way that it should go, as far as one may go back to
    be held again.
    """
    return thresholds.slips_back(watch.now.way.back, watch.tuning.supervision.return_way)


def swings(watch: Watch) -> Finding | None:
    """It has stopped, and the contact model makes the body swing."""
    stood = watch.standing.update(True)
    tuning = watch.tuning
    held_time, rest_time = tuning.steering.long_patience, tuning.start.settling_time
    if stood < (held_time if watch.held else rest_time):
        return None
    off = watch.band.leaves(watch.band.bands.standing, watch.now)
    return None if off is None else Finding(Reason.NOT_STILL, further=off)


def rested(watch: Watch) -> Finding | None:
    """It has stopped for a blow, and everything is as it should be again."""
    over = watch.blows.update(watch.calm and watch.held)
    return None if watch.now.exact and watch.absent else over


def lies_still(watch: Watch) -> Finding | None:
    """Neither the lost robot nor its joints move any more. One that measured fewer posts than
    balance a body when it was lost would be set in motion by pressing anew.
    """
    now, tuning = watch.now, watch.tuning
    if watch.posts < tuning.contacts.balanced:
        return None
    slow = abs(now.rate) <= tuning.steering.free_speed
    still = slow and float(np.abs(now.joint_rate).max()) <= tuning.law.moving_rate
    over = watch.blows.update(still)
    return None if over is None or now.exact else Finding(Reason.TAKES_HOLD)


def _leaves(watch: Watch, band: thresholds.Band) -> Finding | None:
    """Why the signals are outside a band that is wider than that of good runs."""
    return None if watch.band.within else watch.band.leaves(band, watch.now)


def _presses_hard(watch: Watch) -> Finding | None:
    """What presses outside the second band; on a met post every further millimetre counts."""
    if watch.strange is None or watch.strange_posts.leaving:
        return None
    if watch.met:
        return watch.strange
    return thresholds.strange_link(watch.now, watch.band.bands.stop)


def _without_posts(watch: Watch, finding: Finding) -> Finding:
    """With the posts that are not there."""
    if not watch.absent:
        return finding
    return finding._replace(further=Finding(Reason.WITHOUT_POSTS, posts=watch.absent))
