# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pages of many runs in a real browser: switches take runs out of all charts."""

from __future__ import annotations

import pytest
from browser import settled, watched

from boa_control.experiments.library import load_members
from boa_control.safety.ended import Ended, Reason
from boa_tools.evaluation.columns import COLUMNS
from boa_tools.evaluation.metric_table import METRICS
from boa_tools.report.comparison import comparison_page
from boa_tools.report.sweep import sweep_page
from boa_tools.report.varied import Runs, VariedKey

pytest.importorskip("uplot", reason="the extra `view` is not installed")
pytestmark = pytest.mark.realtime

CHOSEN, MEMBERS = load_members("compare_controllers")  # five controllers, two maps
HIGH = 7.0  # m, of the one run that went furthest


def metrics_of(place):
    """Numbers that differ from member to member; the last one goes furthest."""
    last = place == len(MEMBERS) - 1
    values = dict.fromkeys(METRICS, 0.01 * (place + 1))
    extra = {column.key: 0.5 for column in COLUMNS if column.key not in METRICS}
    extra |= {"left_path_after_m": None, "contact_lost_fraction": 0.0}
    return values | {
        "path_progress_m": HIGH if last else 1.0,
        "completed": place != 0,
        "contacts_mean": 3.0,
        **Ended(Reason.DURATION).record(),
        "extra": extra,
    }


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """The page of a set and that of a sweep."""
    folder = tmp_path_factory.mktemp("pages")
    by_folder = {member.folder: metrics_of(k) for k, member in enumerate(MEMBERS)}
    (folder / "set.html").write_text(comparison_page(CHOSEN, MEMBERS, by_folder, b"png"))
    speed, law = VariedKey("a.speed", (0.1, 0.2, 0.3), "m/s"), VariedKey("law", ("one", "two"))
    rows = [
        {"a.speed": v, "law": name, "seed": seed, "run": f"r{seed}", "success": True}
        | {"error": None, "outcome": "completed", "seconds": 1.0, "version": "1", "host": "a"}
        | {"path_progress_m": (10 if name == "two" else 1) * (v + 0.01 * seed)}
        for v in speed.values
        for name in law.values
        for seed in range(3)
    ]
    plots = {"over_a.speed": b"png", "over_law": b"png"}
    page = sweep_page("two", "", Runs(rows, (speed, law)), plots, {"total": 18, "yaml": "a: 1"})
    (folder / "sweep.html").write_text(page)

    def open_page(name, **options):
        page = watched(browser, **options)
        page.page.goto((folder / name).as_uri())
        settled(page.page)
        return page

    return open_page


def shown(page, chart=0):
    """The values of all bars of a chart."""
    series = page.evaluate(f"boa.plots[{chart}].data.slice(1)")
    return sorted(value for values in series for value in values if value is not None)


def test_every_member_has_its_bar_in_every_chart(opened):
    page = opened("set.html").page
    charts = page.evaluate("boa.plots.length")
    assert charts == len(COLUMNS)
    assert all(len(shown(page, chart)) == len(MEMBERS) for chart in range(charts))
    assert shown(page) == [1.0] * 9 + [HIGH]


def test_a_switch_takes_a_variant_out_of_all_charts_and_back(opened):
    page = opened("set.html").page
    button = page.locator(".switches button", has_text="5mm_off")
    assert page.evaluate("boa.plots[0].scales.y.max") > HIGH
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    for chart in range(len(COLUMNS)):
        assert len(shown(page, chart)) == len(MEMBERS) // 2
    assert page.evaluate("boa.plots[0].scales.y.max") < 2.0  # what is left fills the chart
    assert page.locator("tr.off").count() == len(MEMBERS) // 2
    button.click()
    assert len(shown(page)) == len(MEMBERS)


def test_a_box_in_the_table_takes_one_run_out(opened):
    page = opened("set.html").page
    page.locator("input[data-run]").last.uncheck()
    assert shown(page) == [1.0] * 9
    assert page.locator(".switches button[aria-pressed=false]").count() == 0  # others have them


def test_pointing_at_a_bar_names_run_and_value(opened):
    page = opened("set.html").page
    place = page.evaluate("[boa.plots[0].valToPos(4.2, 'x'), boa.plots[0].over.clientHeight / 2]")
    page.locator(".u-over").first.hover(position={"x": place[0], "y": place[1]})
    page.wait_for_selector(".told:has-text('pd')")
    assert page.locator(".told").first.inner_text() == "pd, 5mm_off: 7"


def test_a_curve_of_a_sweep_is_switched_off_with_its_band(opened):
    page = opened("sweep.html").page
    charts = page.evaluate("boa['over_a.speed'].plots.length")
    assert charts == 2  # success, and the one metric that these runs have
    middle = page.evaluate("boa['over_a.speed'].plots[1].data[3]")
    assert middle == pytest.approx([0.11, 0.21, 0.31])
    page.locator("[data-runs='over_a.speed'] .switches button", has_text="law two").click()
    visible = page.evaluate("boa['over_a.speed'].plots.map((p) => p.series.map((s) => s.show))")
    assert visible == [[True] + [True] * 5 + [False] * 5] * 2
    assert page.evaluate("boa['over_a.speed'].plots[1].scales.y.max") < 1.0


@pytest.mark.parametrize("name", ["set.html", "sweep.html"])
@pytest.mark.parametrize("width", [1400, 900, 400])
def test_nothing_is_wider_than_the_page_loaded_or_wrong(opened, name, width):
    page = opened(name, viewport={"width": width, "height": 800})
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.problems == []
    assert [url for url in page.requests if not url.startswith("file:")] == []


def test_on_paper_the_still_charts_are_there(opened):
    page = opened("set.html").page
    assert not page.locator("img.still").is_visible()
    page.emulate_media(media="print")
    assert page.locator("img.still").is_visible()
    assert not page.locator(".charts-grid").is_visible()
