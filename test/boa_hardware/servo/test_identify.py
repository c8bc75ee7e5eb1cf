# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Identification against known joints, against theory of least squares and on the lab's
recording.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boa_description.errors import BoaError
from boa_hardware.servo.identify import Sweep, identify, load_sweep, save_sweep
from boa_hardware.servo.registers import CURRENT, POSITION, VELOCITY
from boa_hardware.servo.torque import smooth_sign

RECORDING = Path(__file__).parents[2] / "data" / "boa_lab" / "servo_moving.csv"
TRUE = {"constant": 2.2, "coulomb": 0.12, "viscous": 0.08, "current_offset": -0.006}
INERTIA = 0.03


def sweep(noise: float = 0.0, *, loaded: bool = True, seed: int = 0) -> Sweep:
    """Sums of sines at several amplitudes, and the current a joint with the TRUE values needs for
    them.
    """
    time = np.arange(0.0, 40.0, 0.01)
    position = sum(a * np.sin(w * time) for a, w in ((0.5, 0.9), (0.3, 2.3), (0.1, 5.1)))
    velocity = sum(a * w * np.cos(w * time) for a, w in ((0.5, 0.9), (0.3, 2.3), (0.1, 5.1)))
    acceleration = -sum(
        a * w**2 * np.sin(w * time) for a, w in ((0.5, 0.9), (0.3, 2.3), (0.1, 5.1))
    )
    load = 1.2 * np.sin(position * 1.5) if loaded else np.zeros_like(time)
    friction = TRUE["coulomb"] * smooth_sign(velocity) + TRUE["viscous"] * velocity
    current = TRUE["current_offset"] + (load + friction + INERTIA * acceleration) / TRUE["constant"]
    current = current + np.random.default_rng(seed).normal(0.0, noise, time.size)
    return Sweep(time, np.asarray(position), np.asarray(velocity), current, load)


def test_noiseless_sweeps_give_the_true_values() -> None:
    """Exact but for the slope of the velocity over 30 ms: (w h)^2 / 6 is 4e-4 for the fastest
    sine.
    """
    found = identify(sweep())
    for name, value in TRUE.items():
        assert getattr(found.model, name) == pytest.approx(value, rel=1e-3), name
    assert found.inertia == pytest.approx(INERTIA, rel=1e-3)
    assert found.r_squared == pytest.approx(1.0, abs=1e-6)


def test_without_a_load_the_constant_is_given() -> None:
    free = sweep(loaded=False)
    found = identify(free, constant=TRUE["constant"])
    assert found.model.coulomb == pytest.approx(TRUE["coulomb"], rel=1e-3)
    assert found.model.constant == TRUE["constant"]
    assert np.isnan(found.standard_error["constant"])
    nominal = identify(free)  # current tells friction only up to the constant
    assert nominal.model.coulomb == pytest.approx(
        TRUE["coulomb"] * (6.4 / 2.4) / TRUE["constant"], rel=1e-3
    )


def test_standard_errors_are_honest() -> None:
    """Over many noisy sweeps the estimates scatter by their standard errors (within 20 %, about 3
    sigma at n=100).
    """
    runs = [identify(sweep(noise=0.02, seed=seed)) for seed in range(100)]
    for name, value in TRUE.items():
        estimates = np.array([getattr(run.model, name) for run in runs])
        claimed = np.mean([run.standard_error[name] for run in runs])
        assert np.std(estimates, ddof=1) == pytest.approx(claimed, rel=0.25), name
        assert abs(estimates.mean() - value) < 4 * claimed / 10, name
    assert np.mean([run.residual_rms for run in runs]) == pytest.approx(0.02, rel=0.01)


def test_quantised_registers_are_good_enough() -> None:
    """Counts of 2.69 mA and 0.229 rev/min, as the servo reports them."""
    exact = sweep(noise=0.003)
    coarse = Sweep(
        exact.time,
        np.round(exact.position / POSITION) * POSITION,
        np.round(exact.velocity / VELOCITY) * VELOCITY,
        np.round(exact.current / CURRENT) * CURRENT,
        exact.load,
    )
    found = identify(coarse)
    assert found.model.constant == pytest.approx(TRUE["constant"], rel=0.02)
    assert found.model.coulomb == pytest.approx(TRUE["coulomb"], rel=0.1)
    assert found.model.viscous == pytest.approx(TRUE["viscous"], rel=0.15)


def test_the_labs_recording_decodes_to_one_motion() -> None:
    """Registers logged unsigned: signs, scales and time must fit together."""
    recording = load_sweep(RECORDING)
    # 4294967155 is -141 counts
    assert recording.velocity.min() < -3.0 < 3.0 < recording.velocity.max()
    assert np.abs(recording.velocity).max() < 2 * np.pi  # no-load speed
    assert np.abs(recording.current).max() < 0.1  # a free joint, far below the 2.4 A of stall
    assert recording.current.min() < 0 < recording.current.max()
    assert 0 <= recording.position.min() < recording.position.max() <= 2 * np.pi
    speed = np.diff(recording.position) / np.diff(recording.time)
    mean_velocity = (recording.velocity[1:] + recording.velocity[:-1]) / 2
    slope = (speed @ mean_velocity) / (mean_velocity @ mean_velocity)
    assert slope == pytest.approx(1.0, abs=0.02)  # the two registers agree on the unit
    assert np.corrcoef(speed, mean_velocity)[0, 1] > 0.99


def test_the_labs_recording_gives_sensible_friction() -> None:
    found = identify(load_sweep(RECORDING))
    assert 0.0 < found.model.coulomb < 0.1
    assert 0.0 < found.model.viscous < 0.1
    assert found.standard_error["viscous"] < 0.1 * found.model.viscous
    assert found.residual_rms < 2 * CURRENT
    assert abs(found.model.current_offset) < 5 * CURRENT
    assert "N m s" in str(found)


def test_recordings_survive_the_file(tmp_path: Path) -> None:
    short = sweep(noise=0.01)
    save_sweep(short, tmp_path / "sweep.csv")
    again = load_sweep(tmp_path / "sweep.csv")
    for name in Sweep.__slots__:
        assert getattr(again, name) == pytest.approx(getattr(short, name), rel=1e-8, abs=1e-12)


def part(source: Sweep, mask: object) -> Sweep:
    return Sweep(*(getattr(source, name)[mask] for name in Sweep.__slots__))


def test_poor_sweeps_are_refused_with_what_to_record() -> None:
    full = sweep()
    with pytest.raises(BoaError, match=r"0 backward.*each direction"):
        identify(part(full, full.velocity > 0))
    time = np.arange(0, 10, 0.01)
    velocity = np.where(time % 2 < 1, 0.5, -0.5)
    one_speed = Sweep(
        time, np.zeros_like(time), velocity, 0.1 * np.sign(velocity), np.zeros_like(time)
    )
    with pytest.raises(BoaError, match="several speeds"):
        identify(one_speed)
    upside_down = Sweep(full.time, full.position, full.velocity, -full.current, full.load)
    with pytest.raises(BoaError, match=r"not physical.*signs"):
        identify(upside_down)


def test_unreadable_recordings_say_why(tmp_path: Path) -> None:
    with pytest.raises(BoaError, match="cannot be read"):
        load_sweep(tmp_path / "none.csv")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BoaError, match="needs the columns time_s"):
        load_sweep(tmp_path / "other.csv")
    (tmp_path / "text.csv").write_text("time,servoPos,servoVel,servoCur\n1,2,three,4\n")
    with pytest.raises(BoaError, match="three"):
        load_sweep(tmp_path / "text.csv")
