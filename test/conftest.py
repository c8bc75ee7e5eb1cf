# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared test set-up: ROS traffic stays on this machine, and nothing is timed."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import tempfile
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import pytest
from hypothesis import HealthCheck, settings

# background jobs of a script ignore Ctrl-C and hand that on; programs under test must hear it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# before numpy is loaded: tests already use all cores, and threads of the linear algebra that wait
# for each other take four fifths of the processor time of a surrogate's fit
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ.setdefault("ROS_PYTHON_CHECK_FIELDS", "1")
# help is as wide everywhere, whatever terminal the tests are started in
os.environ["COLUMNS"] = "80"
# how long an example takes is a matter of the machine, and the same examples come every time;
# `pytest --hypothesis-profile=explore` looks for others
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("repeatable", derandomize=True, **UNTIMED)
settings.register_profile("explore", derandomize=False, **UNTIMED)
settings.load_profile("repeatable")

if find_spec("pydantic") is None:
    pytest.exit(
        "this Python lacks the robot's packages; with their virtual environment active, run "
        "`python3 -m colcon test` or `python3 -m pytest`",
        returncode=2,
    )

# the ids whose ports the system does not use itself; from behind, since people begin in front
ROS_DOMAINS = range(101, 0, -1)


def _claimed_domain() -> tuple[int, IO[str]]:
    """A ROS domain that no other test process of this machine has, and the lock that keeps it."""
    for domain in ROS_DOMAINS:
        path = Path(tempfile.gettempdir()) / f"boa_test_ros_domain_{domain}.lock"
        try:
            lock = path.open("w")
        except OSError:  # of another user
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        return domain, lock
    raise RuntimeError("all ROS domains are taken by other test processes; wait for one to end")


def pytest_addoption(parser: pytest.Parser) -> None:
    """For tests whose results are tables of the manual."""
    parser.addoption(
        "--write-table", action="store_true", help="write what happened into the manual's tables"
    )


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """`-n auto`: a process for each core, and one that works while another waits for ROS."""
    cores = yield
    return cores + 1


def pytest_collection() -> None:
    """The tests themselves, half a million objects, are no garbage: nobody looks through them."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From here on, what is left behind is garbage."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def ros_domain() -> Iterator[int]:
    """The ROS domain of this test process and of every process that its tests start."""
    domain, lock = _claimed_domain()
    with lock, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(domain))
        yield domain
