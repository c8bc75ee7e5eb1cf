# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run in Python: `boa_tools.load("results/...")`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boa_control.experiments.scenario import Scenario
from boa_tools.bags.recorded import find_run
from boa_tools.bags.ticks import read_run
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.export.table import Table, Values, known
from boa_tools.runs import results
from boa_tools.runs.runlog import RunLog, held_force


@dataclass(frozen=True, slots=True)
class Run:
    """A run as tables.

    Attributes:
        scenario: that was run.
        metrics: by key, as in metrics.json; SI units.
        record: seed, end, versions, as in run.json; None where there is no such file.
        ticks: one row for each control tick.
        contacts: as the controller believed them, one row for each contact and tick.
        true_contacts: one row for each touching pair of link and post and tick; empty on a robot.
        events: of controller and gate.
    """

    scenario: Scenario
    metrics: dict[str, Any]
    record: dict[str, Any] | None
    ticks: Table
    contacts: Table
    true_contacts: Table
    events: Table

    def __getitem__(self, name: str) -> Values:
        """An array of `ticks`, e.g. `run["position_rad"]`, shape (ticks, joints)."""
        return self.ticks[name]

    @property
    def tables(self) -> dict[str, Table]:
        """All of them that have a row, by name."""
        every = {name: getattr(self, name) for name in TABLES}
        return {name: table for name, table in every.items() if table.rows}


TABLES = ("ticks", "contacts", "true_contacts", "events")


def load(source: str | Path) -> Run:
    """Read a run.

    Args:
        source: its results folder, a bag folder, or an .mcap file.

    Raises:
        BoaError: there is no bag, or it cannot be read.
    """
    found = find_run(Path(source))
    analysis = Analysis(read_run(found.bag, found.experiment), found.experiment)
    values = results.read_json(found.directory / results.METRICS)
    log, names = analysis.log, found.experiment.post_names
    return Run(
        found.experiment.scenario,
        metrics(analysis) if values is None else values,
        results.read_record(found.directory),
        Table(_ticks(analysis), found.experiment.robot.joint_names),
        Table(_contacts(log, names)),
        Table(_true_contacts(log, names)),
        Table(_events(log)),
    )


def _ticks(analysis: Analysis) -> dict[str, Values]:
    log = analysis.log
    truth = log.truth
    base = (None,) * 3 if truth is None else truth.base.T
    debug = {name: values for name, values in log.debug.items() if len(values) == log.ticks}
    return known(
        {
            "time_s": log.time,
            "stamp_ns": log.stamp_ns,
            "position_rad": log.position,
            "velocity_radps": log.velocity,
            "effort_nm": log.effort,
            "commanded_nm": log.commanded,
            "applied_nm": log.applied,
            "joint_force_n": held_force(log),
            "control_step_us": log.control_step_us,
            "base_x_m": base[0],
            "base_y_m": base[1],
            "base_heading_rad": base[2],
            "true_position_rad": None if truth is None else truth.joint_position,
            "true_velocity_radps": None if truth is None else truth.joint_velocity,
            "true_progress_m": None if truth is None else analysis.progress,
        }
        | debug
    )


def _contacts(log: RunLog, names: dict[int, str]) -> dict[str, Values]:
    table = log.contacts
    return {
        "time_s": log.time[table.tick],
        "tick": table.tick,
        "post": _called(table.obstacle, names),
        "link": table.link + 1,
        "side": np.where(table.side > 0, "left", "right"),
        "established": table.established,
        "offset_m": table.offset,
        "force_n": table.force,
        "force_std_n": table.force_std,
        "reference_n": table.reference,
    }


def _true_contacts(log: RunLog, names: dict[int, str]) -> dict[str, Values]:
    table = log.true_contacts
    if table is None:
        return {}
    return {
        "time_s": log.time[table.tick],
        "tick": table.tick,
        "post": _called(table.obstacle, names),
        "link": table.link + 1,
        "x_m": table.point[:, 0],
        "y_m": table.point[:, 1],
        "normal_x": table.normal[:, 0],
        "normal_y": table.normal[:, 1],
        "normal_force_n": table.normal_force,
        "tangential_force_n": table.tangential_force,
    }


def _events(log: RunLog) -> dict[str, Values]:
    start = log.stamp_ns[0] if log.ticks else 0
    told = [
        *((event.stamp_ns, str(event.event.kind), event.text) for event in log.events),
        *((trip.stamp_ns, "gate_trip", trip.brief) for trip in log.trips),
    ]
    told.sort(key=lambda entry: entry[0])
    return {
        "time_s": np.array([(stamp - start) * 1e-9 for stamp, _, _ in told]),
        "kind": np.array([kind for _, kind, _ in told], dtype=object),
        "text": np.array([text for _, _, text in told], dtype=object),
    }


def _called(posts: Values, names: dict[int, str]) -> Values:
    """Posts by name, else by number."""
    return np.array([names.get(post, str(post)) for post in posts.tolist()], dtype=object)
