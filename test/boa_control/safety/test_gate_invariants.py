# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Invariants of the torque gate, whatever frames and commands come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_control.plant import ForceSample, SensorFrame
from boa_control.safety.command import Command
from boa_control.safety.gate import GateState, gate
from boa_description.arrays import Array
from test.boa_control.safety.gate_bench import LIMITS, MS, NOW, SETTINGS, STEP, armed, frame, gated

anything = st.floats(allow_nan=True, allow_infinity=True)
near = st.one_of(st.floats(-10, 10), anything)
vectors = arrays(np.float64, 3, elements=near)


@st.composite
def frames(draw: st.DrawFn) -> SensorFrame:
    return frame(
        stamp_ns=NOW - draw(st.integers(-10 * MS, 60 * MS)),
        position=draw(arrays(np.float64, 3, elements=st.one_of(st.floats(-2, 2), anything))),
        velocity=draw(vectors),
        joint_force=draw(
            st.one_of(
                st.none(),
                st.builds(
                    ForceSample,
                    st.just(NOW),
                    arrays(np.float64, (3, 3), elements=st.floats(-40, 40)),
                ),
                st.builds(ForceSample, st.just(NOW), arrays(np.float64, (3, 3), elements=anything)),
            )
        ),
        temperature=draw(arrays(np.float64, 3, elements=st.one_of(st.floats(20, 74), anything))),
        joint_age=draw(
            arrays(np.float64, 3, elements=st.sampled_from([0.0, 0.0, 0.002, 0.03, 0.04, np.nan]))
        ),
        faults=draw(st.sampled_from([(), (), (), ("bus: gone",)])),
    )


commands = st.one_of(
    st.none(), st.builds(Command, vectors, st.integers(NOW - 60 * MS, NOW + 5 * MS))
)
ticks = st.lists(st.tuples(frames(), commands), min_size=1, max_size=6)


@settings(max_examples=150)
@given(
    last=arrays(np.float64, 3, elements=st.floats(-7, 7)), sequence=ticks, start_armed=st.booleans()
)
def test_the_gate_only_reduces(
    last: Array, sequence: list[tuple[SensorFrame, Command | None]], start_armed: bool
) -> None:
    state = GateState(armed=start_armed, torque=last if start_armed else np.zeros(3))
    for seen, command in sequence:
        before = None if command is None else command.torque.copy()
        after, decision = gate(state, seen, command, NOW, SETTINGS)
        out = decision.torque
        assert np.isfinite(out).all()
        assert (np.abs(out) <= LIMITS.torque).all()
        assert (np.abs(out) <= np.maximum(np.abs(state.torque), 0) + STEP + 1e-12).all()
        if command is None or before is None:
            assert not out.any()
        else:
            assert np.array_equal(command.torque, before, equal_nan=True)
            wish = np.nan_to_num(before, nan=0.0)
            assert (np.abs(out) <= np.abs(wish)).all()
            assert (out * wish >= 0).all()
            assert np.array_equal(decision.saturated, np.abs(out) < np.abs(wish)) or decision.faults
        if not state.armed or decision.faults:
            assert not out.any()
            assert not after.armed
        assert set(state.faults) <= set(after.faults)
        _, repeated = gate(state, seen, command, NOW, SETTINGS)
        assert repeated.torque.tobytes() == out.tobytes()
        assert repeated.faults == decision.faults
        state = after


@settings(max_examples=100)
@given(last=arrays(np.float64, 3, elements=st.floats(-7, 7)), seen=frames())
def test_zero_is_always_allowed(last: Array, seen: SensorFrame) -> None:
    _, decision = gated(0.0, armed(last), seen)
    assert decision.torque.tobytes() == np.zeros(3).tobytes()
    assert not decision.saturated.any()


@settings(max_examples=300)
@given(
    last=arrays(np.float64, 3, elements=st.floats(-7, 7)),
    command=commands,
    seen=frames(),
    start_armed=st.booleans(),
)
def test_the_way_out_for_calm_ticks_changes_nothing(
    last: Array, command: Command | None, seen: SensorFrame, start_armed: bool
) -> None:
    """Without it every cap is worked out: decision and state are the same, bit for bit."""
    state = GateState(armed=start_armed, torque=last)
    with pytest.MonkeyPatch.context() as patch:
        short = gate(state, seen, command, NOW, SETTINGS)
        patch.setattr("boa_control.safety.gate._calm", lambda *_: False)
        patch.setattr("boa_control.safety.faults.unremarkable", lambda *_: False)
        full = gate(state, seen, command, NOW, SETTINGS)
    for one, other in zip(short, full, strict=True):
        for name in one._fields:
            ours, theirs = getattr(one, name), getattr(other, name)
            if isinstance(ours, np.ndarray):
                assert ours.tobytes() == theirs.tobytes(), name
            else:
                assert ours == theirs, name


def test_calm_ticks_take_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The property above would say nothing if it were never taken."""
    monkeypatch.delattr("boa_control.safety.gate._caps")
    assert gated(0.5, armed())[1].torque == pytest.approx([0.5] * 3)
    with pytest.raises(NameError):
        gated(0.5, armed(), frame(velocity=np.full(3, LIMITS.velocity)))
