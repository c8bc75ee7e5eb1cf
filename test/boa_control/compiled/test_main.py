# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`python -m boa_control.compiled` leaves nothing to compile for the first run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import boa_control.compiled
from boa_control.compiled.__main__ import main


def test_every_file_of_kernels_is_loaded() -> None:
    main()
    files = {file.stem for file in Path(boa_control.compiled.__file__).parent.glob("*.py")}
    kernels = files - {"__init__", "__main__"}
    assert len(kernels) >= 4
    assert all(f"boa_control.compiled.{name}" in sys.modules for name in kernels)


def test_afterwards_nobody_waits() -> None:
    words = [sys.executable, "-m", "boa_control.compiled"]
    subprocess.run(words, check=True, capture_output=True)  # may say that it compiles
    again = subprocess.run(words, check=True, capture_output=True, text=True)
    assert again.stdout == again.stderr == ""
