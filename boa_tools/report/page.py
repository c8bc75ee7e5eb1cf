# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report: one HTML page with everything inside."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from boa_control.safety.ended import Reason
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import METRICS, UNKNOWN, description, shown
from boa_tools.evaluation.verdict import troubles, verdict
from boa_tools.report.calm_events import calmed
from boa_tools.report.interactive.film import film
from boa_tools.report.plot import Plot
from boa_tools.report.template import can_move, filled
from boa_tools.runs.results import scenario_text
from boa_tools.runs.runlog import GateTrip, LoggedEvent

CARDS = (
    "path_progress_m",
    "mean_speed_mps",
    "displacement_m",
    "head_path_error_rms_m",
    "config_error_rms_rad",
    "force_error_relative",
    "contacts_min",
    "form_closure_fraction",
    "contact_lost_fraction",
    "contact_chatter_fraction",
    "torque_peak_nm",
    "joint_force_peak_n",
)
EVENTS = 200  # that the page lists


def page(
    analysis: Analysis,
    metrics: Mapping[str, Any],
    plots: Sequence[tuple[Plot, bytes]],
    picture: bytes | None,
    said: str | None = None,
    reason: Reason | None = None,
) -> str:
    """Return the page. `plots` come with their PNG; `picture` is a PNG. `said`: how it ended,
    and for what `reason`, where that is known.
    """
    log, scenario = analysis.log, analysis.experiment.scenario
    robot, events = analysis.experiment.robot, calmed(log.events)
    return filled(
        "page.html",
        scenario=scenario,
        metrics=metrics,
        verdict=verdict(metrics, reason),
        said=said,
        troubled=bool(troubles(metrics)),
        judged=bool(analysis.window.any()),
        cards=_cards(metrics),
        plots=[
            {"name": plot.name, "title": plot.title, "caption": plot.caption, "image": image}
            for plot, image in plots
        ],
        picture=picture,
        rows=_rows({key: metrics[key] for key in METRICS}),
        further=_rows(metrics["extra"]),
        trips=[_event(event, log.stamp_ns[0]) for event in log.trips],
        events=[_event(event, log.stamp_ns[0]) for event in events[:EVENTS]],
        event_count=len(events),
        yaml=scenario_text(scenario),
        film=Markup(film(analysis)) if can_move() else None,
        planar=robot.planar,
        film_is_true=log.truth is not None,
        corrected=bool(log.maps),
        footer=f"{robot.name}: {robot.links} links, {robot.length:.3f} m, {robot.mass:.1f} kg; "
        f"{log.ticks} control ticks of {1e3 * analysis.experiment.control_period:g} ms",
    )


def _cards(metrics: Mapping[str, Any]) -> list[dict[str, str]]:
    cards = []
    for key in CARDS:
        value, _, unit = shown(
            key, metrics.get(key, metrics["extra"].get(key)), digits=3
        ).partition(" ")
        cards.append({"label": description(key).label, "value": value, "unit": unit})
    return [card for card in cards if card["value"] != UNKNOWN]


def _rows(metrics: Mapping[str, Any]) -> list[dict[str, str]]:
    return [
        {"key": key, "label": how.label, "value": shown(key, value), "meaning": how.meaning}
        for key, value in metrics.items()
        for how in (description(key),)
    ]


def _event(event: LoggedEvent | GateTrip, start_ns: int) -> dict[str, Any]:
    """Time since the start, s, and the line of the list."""
    time = (event.stamp_ns - start_ns) * 1e-9
    return {"time": f"{time:.4f}", "line": f"{time:9.3f} s  {event.brief}"}
