# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hand-made bugs in the torque gate; each must be caught by its tests.

    python test/mutants/gate_mutants.py

Copies the packages to a temporary folder, plants one bug at a time and runs the gate's tests there.
Prints what was killed and what survived; exits with 1 when anything survived, or when a bug no
longer fits the source.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = "test/boa_control/safety"
GATE, FAULTS = "boa_control/safety/gate.py", "boa_control/safety/faults.py"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One bug: in `file`, the only occurrence of `old` becomes `new`."""

    name: str
    file: str
    old: str
    new: str


MUTANTS = (
    Mutant(
        "acts while disarmed", GATE, "Rule.ARMED: np.inf if armed else 0.0", "Rule.ARMED: np.inf"
    ),
    Mutant(
        "armed despite a fault", GATE, "armed = state.armed and not faults", "armed = state.armed"
    ),
    Mutant("no torque limit", GATE, "Rule.TORQUE: limits.torque,", "Rule.TORQUE: np.inf,"),
    Mutant(
        "rate limit per second, not per tick",
        GATE,
        "self.limits.torque_rate * self.period",
        "self.limits.torque_rate",
    ),
    Mutant(
        "rate limit ignores the sign",
        GATE,
        "np.maximum(direction * last, 0.0)",
        "np.abs(last)",
    ),
    Mutant(
        "last output forgotten",
        GATE,
        "GateState(armed, torque, faults",
        "GateState(armed, commanded, faults",
    ),
    Mutant(
        "joint range mirrored",
        GATE,
        "np.where(direction < 0, position",
        "np.where(direction > 0, position",
    ),
    Mutant(
        "unknown position is allowed",
        GATE,
        "return np.where(np.isfinite(position), share, 0.0)",
        "return np.where(np.isfinite(position), share, 1.0)",
    ),
    Mutant(
        "braking is limited too",
        GATE,
        "limit - direction * velocity",
        "limit - np.abs(velocity)",
    ),
    Mutant(
        "old command acts",
        GATE,
        "left = 1.0 - _age(command.stamp_ns, now_ns) / limit",
        "left = 1.0",
    ),
    Mutant("future stamps are fresh", GATE, 'if now_ns >= stamp_ns else float("inf")', ""),
    Mutant("old sensors are trusted", GATE, "<= limits.sensor_age else 0.0", "<= np.inf else 0.0"),
    Mutant(
        "blind joint may push harder", GATE, "np.where(frame.joint_age > 0, kept, np.inf)", "np.inf"
    ),
    Mutant("torque gains a sign error", GATE, "np.copysign(allowed, commanded)", "allowed"),
    Mutant(
        "reset leaves it armed",
        GATE,
        "disarm(state)._replace(faults=()",
        "state._replace(faults=()",
    ),
    Mutant(
        "arms despite a fault",
        GATE,
        "    if faults:\n        raise",
        "    if False:\n        raise",
    ),
    Mutant("nothing near the torque limit", GATE, "abs(wish) <= torque\n", "True\n"),
    Mutant("nothing near the rate limit", GATE, "abs(wish) <= kept + step\n", "True\n"),
    Mutant("nothing near the lower stop", GATE, "margin < angle - lower\n", "True\n"),
    Mutant("nothing near the upper stop", GATE, "margin < upper - angle\n", "True\n"),
    Mutant("nothing near the velocity limit", GATE, "fade < speed - abs(rate)\n", "True\n"),
    Mutant(
        "nothing near although a joint is blind",
        GATE,
        "        and unremarkable(frame, limits)\n",
        "",
    ),
    Mutant(
        "nothing near although the sensors are old",
        GATE,
        "and _age(frame.stamp_ns, now_ns) <= limits.sensor_age\n        and unremarkable",
        "and unremarkable",
    ),
    Mutant(
        "nothing near although the command is old",
        GATE,
        "_command_share(command, now_ns, limits.command_age) >= 1.0",
        "True",
    ),
    Mutant(
        "calm although disarmed",
        GATE,
        "state.armed\n        and not state.faults",
        "not state.faults",
    ),
    Mutant(
        "an old joint is unremarkable",
        FAULTS,
        "if frame.faults or np.count_nonzero(frame.joint_age):",
        "if frame.faults:",
    ),
    Mutant("a fault is unremarkable", FAULTS, "if frame.faults or np", "if np"),
    Mutant("heat is unremarkable", FAULTS, ".tolist()) < warm:", ".tolist()) < np.inf:"),
    Mutant("a pull is unremarkable", FAULTS, "max(single) < heavy and ", ""),
    Mutant("a push is unremarkable", FAULTS, " and min(single) > -heavy", ""),
    Mutant("silence never latches", FAULTS, "if silence <= patience:", "if True:"),
    Mutant("faults do not latch", FAULTS, "faults = (*faults, fault)", "pass"),
    Mutant("not finite is no fault", FAULTS, "if finite.all():", "if finite.any():"),
    Mutant(
        "wrong shape is no fault",
        FAULTS,
        "if torque.shape != (len(joint_names),):",
        "if torque.ndim > 5:",
    ),
    Mutant(
        "only pulls count as joint force",
        FAULTS,
        "force_components(frame.joint_force.force)",
        "np.fmax.reduce(frame.joint_force.force, axis=-1)",
    ),
    Mutant(
        "force limit is never reached",
        FAULTS,
        "if force[j] >= limits.joint_force_fault",
        "if force[j] > np.inf",
    ),
    Mutant(
        "temperature limit above its value",
        FAULTS,
        "if temperature[j] >= limits.temperature_fault",
        "if temperature[j] > 80",
    ),
    Mutant(
        "a joint without answer is fresh",
        FAULTS,
        "~(age <= limits.sensor_age)",
        "age > limits.sensor_age",
    ),
)


def killed(mutant: Mutant) -> bool | None:
    """Whether the tests catch the bug; None when it does not fit the source."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for package in ("boa_description", "boa_control"):
            shutil.copytree(
                ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__")
            )
        (copy / TESTS).mkdir(parents=True)
        for test in (ROOT / TESTS).glob("*gate*.py"):
            if test.name != "test_gate_mutants.py":
                shutil.copy(test, copy / TESTS)
        source = (copy / mutant.file).read_text(encoding="utf-8")
        if source.count(mutant.old) != 1:
            return None
        (copy / mutant.file).write_text(source.replace(mutant.old, mutant.new), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            "-c",
            os.devnull,
            f"--rootdir={copy}",
            "--import-mode=importlib",
            TESTS,
        ]
        environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False)
        return done.returncode == 1  # 1: tests ran and some failed; anything else is no proof


def main() -> int:
    """Run every mutant; the exit status."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(killed, MUTANTS))
    words = {True: "killed", False: "SURVIVED", None: "DOES NOT FIT"}
    for mutant, result in zip(MUTANTS, results, strict=True):
        print(f"{words[result]:12}  {mutant.name}")
    print(f"{results.count(True)} of {len(MUTANTS)} mutants killed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
