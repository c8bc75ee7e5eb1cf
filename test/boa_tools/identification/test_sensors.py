# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mass and scales from a made-up balance along the links."""

from __future__ import annotations

import numpy as np
import pytest

from boa_tools.identification.record import Balance
from boa_tools.identification.sensors import balance_sums

LINKS, MASS = 5, 1.6
SCALES = np.array([1.02, 0.97, 1.03, 0.98])  # true forces over measured ones, mean 1


def balance(noise: float, seed: int = 0) -> Balance:
    draw = np.random.default_rng(seed)
    time = np.arange(0.0, 80.0, 0.01)
    phase = draw.uniform(0, 6, LINKS)
    acceleration = 0.1 * np.sin(9 * time[:, None] + phase)
    behind = np.zeros((time.size, LINKS))
    behind[:, 1:] = 5 * np.sin(1.3 * time[:, None] + phase[1:])  # of the sensor at the tail end
    ahead = np.zeros((time.size, LINKS))
    ahead[:, :-1] = behind[:, :-1] + MASS * acceleration[:, :-1]
    # the links' bends carry the difference to the next sensor; the head has none ahead
    behind[:, -1] = -MASS * acceleration[:, -1]
    ends = np.stack((ahead, behind), axis=-1)
    ends[:, :-1, 0] /= SCALES
    ends[:, 1:, 1] /= SCALES
    ends = ends + noise * draw.standard_normal(ends.shape)
    acceleration = acceleration + 0.3 * noise * draw.standard_normal(acceleration.shape)
    return Balance(time, acceleration, ends, np.ones((time.size, LINKS), bool))


def test_scales_and_mass_of_noiseless_samples_are_exact():
    """The mass is estimated before the scales, with forces 2 to 3 % off."""
    mass, *scales = balance_sums(balance(0.0)).total().estimate()
    assert mass == pytest.approx(MASS, rel=0.04)
    assert scales == pytest.approx(SCALES, abs=0.004)


def test_noise_of_the_accelerometers_does_not_make_links_lighter():
    """Acceleration with as much noise as signal: least squares would give half of the mass."""
    plain = balance_sums(balance(0.0)).total().estimate()[0]
    noisy = [balance_sums(balance(0.2, seed)).total().estimate()[0] for seed in range(6)]
    clean = [balance_sums(balance(0.0, seed)).total().estimate()[0] for seed in range(6)]
    assert np.mean(noisy) == pytest.approx(np.mean(clean), rel=0.03)
    assert plain > 0


def test_links_with_a_post_at_their_ends_do_not_count():
    touched = balance(0.0)
    wrong = touched.ends.copy()
    wrong[4000:5000, 2] += 30.0
    straight = np.ones(touched.straight.shape, bool)
    straight[4000:5000, 2] = False
    spoilt = touched._replace(ends=wrong, straight=straight)
    assert balance_sums(spoilt).total().estimate() == pytest.approx(
        balance_sums(touched).total().estimate(), abs=0.01
    )
