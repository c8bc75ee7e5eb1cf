# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How many contacts, how well they were held, and whether they closed the body."""

from boa_description.arrays import Integers
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import Metric, further, mean


def contact_count(run: Analysis) -> Integers:
    """Contacts per tick after the start-up, shape (T',); on a robot only of answered ticks."""
    contacts, window = run.contacts, run.window
    if contacts.force is not None:
        return (contacts.force > 0)[window].sum(axis=1)
    # a tick without an answer tells nothing
    return contacts.established[window].sum(axis=1)[run.log.answered[window]]


def fewest(run: Analysis) -> float | None:
    """The smallest number of contacts at one tick."""
    count = contact_count(run)
    return int(count.min()) if count.size else None


def closure(run: Analysis) -> float | None:
    """Share of ticks with the closure that the scenario needs; one with a goal needs none."""
    if run.experiment.goal is not None:
        return None
    return None if run.closed is None else mean(run.closed[run.window].astype(float))


METRICS = (
    Metric(
        "contacts_min",
        "fewest contacts",
        1,
        "",
        "The smallest number of posts touched at one time.",
        fewest,
        "smallest number of contacts with force at one tick. On the robot: of established contacts",
    ),
    Metric(
        "contacts_mean",
        "mean contacts",
        1,
        "",
        "The mean number of posts touched.",
        lambda run: mean(contact_count(run).astype(float)),
        "mean of the same number",
    ),
    Metric(
        "contact_chatter_fraction",
        "chatter",
        100,
        "%",
        "Share of contact time spent in losses that ended within 20 ms.",
        lambda run: run.held.fraction,
        "ticks in which an established contact was lost and regained within 20 ms, divided by all "
        "established contact ticks",
    ),
    Metric(
        "form_closure_fraction",
        "form closure",
        100,
        "%",
        "Share of time in which the contacts hold the robot as the scenario needs.",
        closure,
        "share of ticks in which the true contacts with force give the closure that the scenario "
        "needs. That is `first_order` form closure of the body with its joints held "
        "(`boa_control.planning.first_order`), or at least `required_contacts` contacts; "
        "`null` with a `goal`, which needs no closure",
    ),
    further(
        "contact_lost_fraction",
        "lost contact time",
        100,
        "%",
        "Share of time in which a contact that should be held had no force.",
        lambda run: run.held.lost,
        'established contact ticks without force, divided by all: the "lost contact time"',
    ),
    further(
        "contact_chatter_per_contact_s",
        "chatter events",
        1,
        "1/s",
        "Losses that ended within 20 ms, per second of contact.",
        lambda run: run.held.rate,
        "number of losses regained within 20 ms, per second of established contact",
    ),
    further(
        "contacts_from",
        "contacts from",
        1,
        "",
        "Who tells what was touched: the truth or the controller.",
        lambda run: "controller" if run.contacts.force is None else "truth",
        "whether the forces of the contacts are `truth` or the estimates of the `controller`",
    ),
    further(
        "established_by",
        "established by",
        1,
        "",
        "Who tells which contacts should be held.",
        lambda run: run.established[1],
        "which of the rules above applied: `controller`, `path` or `touch`",
    ),
)
