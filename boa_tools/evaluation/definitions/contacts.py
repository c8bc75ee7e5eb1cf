# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How many contacts, how well they were held, and whether they closed the body."""

from boa_description.arrays import Integers
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import further, mean, metric


def contact_count(run: Analysis) -> Integers:
    """Contacts per tick after the start-up, shape (T',); on a robot only of answered ticks."""
    contacts, window = run.contacts, run.window
    if contacts.force is not None:
        return (contacts.force > 0)[window].sum(axis=1)
    # a tick without an answer tells nothing
    return contacts.established[window].sum(axis=1)[run.log.answered[window]]


@metric("contacts_min", "fewest contacts")
def fewest(run: Analysis) -> float | None:
    """The smallest number of posts touched at one time.

    Smallest number of contacts with force at one tick. On the robot: of established contacts.
    """
    count = contact_count(run)
    return int(count.min()) if count.size else None


@metric("contacts_mean", "mean contacts")
def contacts_mean(run: Analysis) -> float | None:
    """The mean number of posts touched.

    Mean of the same number.
    """
    return mean(contact_count(run).astype(float))


@metric("contact_chatter_fraction", "chatter", "%")
def contact_chatter_fraction(run: Analysis) -> float | None:
    """Share of contact time spent in losses that ended within 20 ms.

    Ticks in which an established contact was lost and regained within 20 ms, divided by all
    established contact ticks.
    """
    return run.held.fraction


@metric("form_closure_fraction", "form closure", "%")
def closure(run: Analysis) -> float | None:
    """Share of time in which the contacts hold the robot as the scenario needs.

    Share of ticks in which the true contacts with force give the closure that the scenario needs.
    That is `first_order` form closure of the body with its joints held
    (`boa_control.planning.checks.first_order`), or at least `required_contacts` contacts; `null`
    with a `goal`, which needs no closure, and where no obstacle stands.
    """
    if run.experiment.goal is not None or not run.experiment.obstacles:
        return None
    return None if run.closed is None else mean(run.closed[run.window].astype(float))


@further("contact_lost_fraction", "lost contact time", "%")
def contact_lost_fraction(run: Analysis) -> float | None:
    """Share of time in which a contact that should be held had no force.

    Established contact ticks without force, divided by all: the "lost contact time".
    """
    return run.held.lost


@further("contact_chatter_per_contact_s", "chatter events", "1/s")
def contact_chatter_per_contact(run: Analysis) -> float | None:
    """Losses that ended within 20 ms, per second of contact.

    Number of losses regained within 20 ms, per second of established contact.
    """
    return run.held.rate


@further("contacts_from", "contacts from")
def contacts_from(run: Analysis) -> str:
    """Who tells what was touched: the truth or the controller.

    Whether the forces of the contacts are `truth` or the estimates of the `controller`.
    """
    return "controller" if run.contacts.force is None else "truth"


@further("established_by", "established by")
def established_by(run: Analysis) -> str:
    """Who tells which contacts should be held.

    Which of the rules above applied: `controller`, `path` or `touch`.
    """
    return run.established[1]
