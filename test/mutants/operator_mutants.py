# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every small bug in the files between a controller and the torque; `docs/style.md` judges
those that no test notices.

    python test/mutants/operator_mutants.py [FILE ...]

A file is chosen by a part of its path. The unit tests of a file are collected once; each bug is
put into the functions of the imported file in a process of its own, which then runs the tests
until one fails. Property tests are left out: what they notice by luck would come and go. Prints
the survivors and the counts.
"""

from __future__ import annotations

import importlib
import inspect
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from operators import Mutant, mutants  # noqa: E402

CHILDREN = 2
TIMEOUT = 60  # s; a bug that makes a test wait is noticed
OPTIONS = ["-p", "no:cacheprovider", "-m", "not hypothesis and not closed_loop"]


@dataclass(frozen=True, slots=True)
class Target:
    """A file, and the tests that are to notice its bugs."""

    file: str
    tests: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Of the source."""
        return ROOT / self.file

    @property
    def module(self) -> ModuleType:
        """The file, imported."""
        return importlib.import_module(self.file.removesuffix(".py").replace("/", "."))


SAFETY, TESTS = "boa_control/safety", "test/boa_control/safety"
GATE_TESTS = tuple(
    f"{TESTS}/test_gate{part}.py"
    for part in ("", "_arming", "_freshness", "_faults", "_invariants")
)
TARGETS = (
    Target(f"{SAFETY}/gate.py", GATE_TESTS),
    Target(
        f"{SAFETY}/faults.py",
        (f"{TESTS}/test_faults.py", f"{TESTS}/test_ended.py", *GATE_TESTS),
    ),
    Target(f"{SAFETY}/frame_guard.py", (f"{TESTS}/test_frame_guard.py",)),
    Target(f"{SAFETY}/supervisor.py", (f"{TESTS}/test_supervisor.py",)),
    Target("boa_hardware/servo/loop.py", ("test/boa_hardware/servo/test_loop.py",)),
)


def plant(module: ModuleType, code: CodeType) -> None:
    """Put functions and constants of other code into a module and all who have imported them."""
    fresh: dict[str, object] = {"__name__": module.__name__}
    exec(code, fresh)
    for name, old in list(vars(module).items()):
        new = fresh.get(name)
        if isinstance(old, type) and old.__module__ == module.__name__:
            for key, member in vars(old).items():
                _change(member, vars(new).get(key), code.co_filename)
        elif isinstance(old, FunctionType):
            _change(old, new, code.co_filename)
        elif isinstance(old, int | float | tuple | frozenset):
            if name in fresh:
                setattr(module, name, new)
            else:
                delattr(module, name)


def _change(old: object, new: object, path: str) -> None:
    """Give a function, method or property the code of another, if it was written in `path`."""
    before, after = _function(old), _function(new)
    if before is not None and after is not None and before.__code__.co_filename == path:
        before.__code__ = after.__code__
        before.__defaults__ = after.__defaults__
        before.__kwdefaults__ = after.__kwdefaults__


def _function(member: object) -> FunctionType | None:
    if isinstance(member, property):
        member = member.fget
    if isinstance(member, classmethod | staticmethod):
        member = member.__func__
    bare = inspect.unwrap(member) if callable(member) else member
    return bare if isinstance(bare, FunctionType) else None


class Campaign:
    """Plugin of pytest: instead of one run of the collected tests, one for each bug."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all bugs; print the survivors and the counts."""
        path, text = self._target.path, self._target.path.read_text(encoding="utf-8")
        healthy = Mutant("", "", "", compile(text, str(path), "exec"))
        if os.waitpid(self._start(session, healthy), 0)[1] != 0:
            raise pytest.UsageError(f"{path}: its tests fail without a bug; repair them first")
        bugs = list(mutants(text, str(path)))
        running: dict[int, Mutant] = {}
        alive = 0
        for bug in [*bugs, *[None] * CHILDREN]:
            if len(running) == CHILDREN or (bug is None and running):
                child, status = os.wait()
                done = running.pop(child)
                if status == 0:
                    alive += 1
                    print(f"  {done.where}: {done.old}  ->  {done.new}", flush=True)
            if bug is not None:
                running[self._start(session, bug)] = bug
        counts = f"{len(bugs)} mutants, {len(bugs) - alive} killed, {alive} survived"
        print(f"{self._target.file}: {counts}", flush=True)
        return True

    def _start(self, session: pytest.Session, bug: Mutant) -> int:
        """Run the tests with a bug in a child; its process number."""
        child = os.fork()
        if child:
            return child
        status = 1
        try:
            signal.alarm(TIMEOUT)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            plant(self._target.module, bug.code)
            status = int(self._fails(session))
        finally:
            os._exit(status)

    def _fails(self, session: pytest.Session) -> bool:
        """Run the tests until one fails."""
        items = session.items
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return True
        return False


def main(parts: list[str]) -> int:
    """Run all bugs of the chosen files; the exit status."""
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    options = [*OPTIONS, "-p", "_hypothesis_pytestplugin", "-p", "no:terminal", "-s"]
    status = 0
    for target in TARGETS:
        if not parts or any(part in target.file for part in parts):
            status |= int(pytest.main([*options, *target.tests], [Campaign(target)]))
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
