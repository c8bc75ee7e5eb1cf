# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes as processes, for the tests of how they start and end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence


def start(module: str, *parameters: str, words: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start the program of a module with such parameters, name:=value, and other ROS arguments."""
    words = [*words, *(word for parameter in parameters for word in ("-p", parameter))]
    return subprocess.Popen(
        [sys.executable, "-m", module, "--ros-args", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    """Wait until it says so."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    raise AssertionError(f"ended with status {process.wait()} before saying '{text}'")
