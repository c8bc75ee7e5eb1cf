# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The planted bugs of test/mutants/gate_mutants.py must still fit the gate's source (running them
takes a minute).
"""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_every_mutant_fits_the_source() -> None:
    campaign = runpy.run_path(str(ROOT / "test/mutants/gate_mutants.py"))
    assert len(campaign["MUTANTS"]) >= 8
    for mutant in campaign["MUTANTS"]:
        source = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert source.count(mutant.old) == 1, mutant.name
        assert mutant.old != mutant.new
