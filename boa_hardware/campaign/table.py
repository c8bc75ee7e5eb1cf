"""Run the campaign and write what happened as a Markdown table: `python -m
boa_hardware.campaign.table`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from tqdm import tqdm

from boa_hardware.campaign.cases import CASES
from boa_hardware.campaign.trial import Case, Outcome, Trial

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
    again = {None: "-", True: "arms and moves", False: "does not arm"}[outcome.recovered]
    topology = "spine: " if case.topology == "spine" else ""
    return f"| {topology}{case.injected} | {went} | {off} | {latch} | {_short(fault)} | {again} |"


def _short(fault: str) -> str:
    return re.sub(r"(, \d+){4,}", ", ...", fault).replace("|", "/")


def table() -> str:
    """The whole campaign."""
    rows, wrong, seen = [], 0, 0
    for case in tqdm(CASES, desc="campaign"):
        outcome = Trial(case).run()
        rows.append(row(case, outcome))
        wrong += len(outcome.violations)
        seen += outcome.torques_seen
    total = (
        f"{len(CASES)} cases; of {seen} torque goals that the witness saw arrive, {wrong} "
        f"should not have."
    )
    return f"{HEAD}\n" + "\n".join(rows) + f"\n\n{total}\n"


def main() -> None:
    """Write the table into a document between its marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "file", nargs="?", default="docs/safety.md", help="document (default: docs/safety.md)"
    )
    path = Path(parser.parse_args().file)
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{table()}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
