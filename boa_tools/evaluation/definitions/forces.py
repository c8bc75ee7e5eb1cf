# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact forces against reference and estimate, and contact points."""

import numpy as np

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.contact_metrics import point_errors
from boa_tools.evaluation.metric import further, mean, metric, peak, rms


def estimate_error(run: Analysis) -> Array:
    """Estimated minus true force of established contacts, shape (M,), N."""
    contacts, window = run.contacts, run.window
    if contacts.force is None:
        return np.zeros(0)
    return (contacts.estimate - contacts.force)[window][run.established[0][window]]


def pressing(run: Analysis) -> Array:
    """All contact forces above zero after the start-up, shape (M,), N."""
    if run.contacts.force is None:
        return np.zeros(0)
    force = run.contacts.force[run.window]
    return force[force > 0]


@metric("force_reference_n", "force reference, rms", "N")
def force_reference(run: Analysis) -> float | None:
    """Contact force that the controller aims at and that is physically possible.

    Rms of the reference that the next line uses.
    """
    return rms(run.force_errors[1])


@metric("force_error_rms_n", "force error, rms", "N")
def force_error_rms(run: Analysis) -> float | None:
    """True contact force minus reference, over established contacts.

    True normal force minus reference, over established contacts. The reference is the controller's
    *feasible* one: equilibrium leaves only some force patterns possible, so an equal force on every
    post cannot be had. The answer to tick $k$ acts until tick $k+1$, so its reference is compared
    with the force at $k+1$. For controllers without a reference, `evaluation.force_reference` of
    the scenario stands in; such numbers are not comparable with the others.
    """
    return rms(run.force_errors[0])


@metric("force_estimate_error_rms_n", "force estimate error, rms", "N")
def force_estimate_error_rms(run: Analysis) -> float | None:
    """Estimated minus true contact force, over established contacts.

    Estimated minus true normal force at the same tick, over established contacts, rms.
    """
    return rms(estimate_error(run))


@metric("contact_point_error_rms_m", "contact point error, rms", "mm")
def contact_point_error_rms(run: Analysis) -> float | None:
    """Distance between estimated and true contact points.

    Distance between estimated and true contact point, over established contacts that touch. The
    estimate, given in the link frame, is placed with the true pose; where two links touch one post
    both count by their force.
    """
    return rms(point_errors(run.log, run.experiment, run.window))


@further("force_error_relative", "force error, relative", "%")
def relative_error(run: Analysis) -> float | None:
    """Force error divided by the reference, rms both.

    `force_error_rms_n` / `force_reference_n`: "force error in %".
    """
    error, reference = (rms(values) for values in run.force_errors)
    return None if error is None or not reference else error / reference


@further("force_estimate_bias_n", "force estimate bias", "N")
def force_estimate_bias(run: Analysis) -> float | None:
    """Mean of estimated minus true contact force."""
    return mean(estimate_error(run))


@further("contact_force_mean_n", "contact force, mean", "N")
def contact_force_mean(run: Analysis) -> float | None:
    """Mean of the contact forces.

    Mean true normal force, over all contacts with force.
    """
    return mean(pressing(run))


@further("contact_force_peak_n", "contact force, largest", "N")
def contact_force_peak(run: Analysis) -> float | None:
    """The largest force of any contact.

    Largest true normal force, over all contacts with force.
    """
    return peak(pressing(run))
