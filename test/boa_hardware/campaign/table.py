# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What happened in the campaign, as the Markdown table of docs/safety.md."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from test.boa_hardware.campaign.trial import Case, Outcome

HEAD = """\
| injected | result | torque off after | ticks to latch | latched fault | after reset |
|---|---|---:|---:|---|---|"""
BEGIN, END = "<!-- campaign: begin -->", "<!-- campaign: end -->"


def row(case: Case, outcome: Outcome) -> str:
    """One line of the table."""
    went = "goes on" if outcome.went_on else "stops"
    if outcome.stale_ticks and outcome.went_on:
        went += f", {outcome.stale_ticks} ticks without a reading of some joint"
    off = "-" if outcome.torque_off is None else f"{outcome.torque_off * 1e3:.0f} ms"
    latch = "-" if outcome.ticks_to_latch is None else str(outcome.ticks_to_latch)
    fault = outcome.faults[0].split("; ")[0] if outcome.faults else "-"
    if not outcome.faults and case.warning:
        told = next(text for text in outcome.warnings if case.warning in text)
        fault = f"warning: {told.split('; ')[0]}"
    again = {None: "-", True: "arms and moves", False: "does not arm"}[outcome.recovered]
    topology = "spine: " if case.topology == "spine" else ""
    return f"| {topology}{case.injected} | {went} | {off} | {latch} | {_short(fault)} | {again} |"


def _short(fault: str) -> str:
    return re.sub(r"(, \d+){4,}", ", ...", fault).replace("|", "/")


def with_table(document: str, trials: Sequence[tuple[Case, Outcome]]) -> str:
    """The document with the table of these trials between its marks."""
    wrong = sum(len(outcome.violations) for _, outcome in trials)
    seen = sum(outcome.torques_seen for _, outcome in trials)
    rows = "\n".join(row(case, outcome) for case, outcome in trials)
    total = textwrap.fill(
        f"{len(trials)} cases; of {seen} torque goals of the plant that the witness saw arrive, "
        f"{wrong} should not have. A goal is right when the one controller has commanded it (same "
        "sign, no more), freshly, while the robot was armed, within the torque limit. Goals that "
        "another master writes are its own and not counted.",
        width=100,
    )
    before, rest = document.split(BEGIN)
    return f"{before}{BEGIN}\n{HEAD}\n{rows}\n\n{total}\n{END}{rest.split(END)[1]}"
