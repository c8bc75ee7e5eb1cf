# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report: every plot draws, the page stands alone and says everything."""

from __future__ import annotations

from dataclasses import fields, replace
from html.parser import HTMLParser
from io import BytesIO
from unittest.mock import Mock

import numpy as np
import pytest
from logs import empty_log
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image
from run_fakes import Held, Steady, free_experiment, path_experiment

from boa_control.experiments.wrong_map import UnmappedPosts
from boa_description.frames import CHASE_CAMERA, OVERHEAD_CAMERA
from boa_description.scene import Circle
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import METRICS, metrics
from boa_tools.report import build, contacts, forces, top_view, torques
from boa_tools.report.contacts import first_passages
from boa_tools.report.forces import series_colours
from boa_tools.report.page import page
from boa_tools.report.picture import best_camera, renderer
from boa_tools.report.style import (
    LIMIT,
    START_UP,
    bin_times,
    binned,
    envelope,
    png,
    styled,
    time_axis,
)
from boa_tools.report.top_view import force_scale, round_up, whole_scene
from boa_tools.runs.drive import drive


@pytest.fixture(scope="module")
def analysis():
    experiment = path_experiment(duration=0.8)
    return Analysis(
        drive(experiment, Held(experiment), Steady(np.linspace(-1, 1, 12))).log, experiment
    )


# plots of robots that leave the plane, and of maps that are corrected on the way
NOT_OF_THIS_RUN = ("side_view", "map")


class Page(HTMLParser):
    """Collects tags and text; complains about tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("img", "meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_stands_alone_and_says_everything(analysis, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "picture", lambda _: None)  # rendering is tested with the renderer
    written = build.build_report(analysis, metrics(analysis), tmp_path)
    names = [path.name for path in written]
    assert names[-1] == "report.html"
    planar = [plot for plot in build.PLOTS if plot.name not in NOT_OF_THIS_RUN]
    assert set(names) == {f"{plot.name}.png" for plot in planar} | {"report.html"}
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    shown = Page(text)
    images = [attributes for tag, attributes in shown.tags if tag == "img"]
    assert len(images) == len(planar)
    assert all(
        image["src"].startswith("data:image/png;base64,") and image["alt"] for image in images
    )
    assert not any(
        "href" in attributes and not attributes["href"].startswith("#")
        for _, attributes in shown.tags
    )
    assert not any(
        tag in ("link", "iframe") or "src" in attributes
        for tag, attributes in shown.tags
        if tag != "img"
    )
    words = " ".join(shown.text)
    for key, description in METRICS.items():
        assert key in words and description.meaning in words
    assert all(plot.caption in words for plot in planar)
    assert "half_line: 0.13" in words  # the scenario


def test_without_the_extra_the_page_stands_still_and_says_so(analysis, monkeypatch):
    monkeypatch.setattr("boa_tools.report.page.can_move", lambda: False)
    shown = Page(page(analysis, metrics(analysis), [], None))
    assert not any(tag == "script" for tag, _ in shown.tags)
    assert "boa_control[view]" in " ".join(shown.text)


def test_what_users_write_is_escaped(analysis):
    scenario = analysis.experiment.scenario.model_copy(
        update={"summary": "<script>alert(1)</script>"}
    )
    changed = Analysis(analysis.log, replace(analysis.experiment, scenario=scenario))
    assert "<script>alert" not in page(changed, metrics(changed), [], None)


@pytest.mark.parametrize(
    ("changes", "classes", "said"),
    [
        ({}, "badge", "completed"),
        (
            {"contact_lost_fraction": 1.0},
            "badge but",
            "completed, but contacts lost 100 % of the time",
        ),
        ({"left_path_after_m": 0.3}, "badge but", "completed, but left the path after 0.30 m"),
        ({"completed": False}, "badge no", "not completed"),
    ],
)
def test_only_a_run_without_trouble_has_a_green_badge(analysis, changes, classes, said):
    found = metrics(analysis) | {"completed": changes.get("completed", True)}
    calm = {"contact_lost_fraction": 0.0, "left_path_after_m": None}
    text = page(analysis, found | {"extra": found["extra"] | calm | changes}, [], None)
    assert f'<span class="{classes}">{said}</span>' in text


def test_without_truth_the_page_says_why_it_has_no_picture(analysis):
    robot = Analysis(replace(analysis.log, truth=None, true_contacts=None), analysis.experiment)
    assert "No picture" in page(robot, metrics(robot), [], None)
    assert "No picture" not in page(analysis, metrics(analysis), [], png(Figure()))


def test_a_run_without_posts_on_its_map_is_not_looked_for_where_it_began(analysis):
    """It may have gone anywhere."""
    free = Analysis(analysis.log, replace(analysis.experiment, obstacles=()))
    assert best_camera(analysis) == OVERHEAD_CAMERA
    assert best_camera(free) == CHASE_CAMERA


def test_captions_are_one_sentence():
    for plot in build.PLOTS:
        assert plot.caption.endswith(".") and ". " not in plot.caption, plot.name


@pytest.mark.parametrize("plot", build.PLOTS, ids=lambda plot: plot.name)
def test_plots_of_runs_with_nothing_in_them(plot):
    """A run of one tick, one without truth, and one in which nothing was touched."""
    with styled():
        for log in (empty_log(1), empty_log(30), empty_log(30, truth=None, true_contacts=None)):
            figure = plot.draw(Analysis(log, free_experiment(links=3)))
            if figure is not None:
                png(figure)


@pytest.mark.parametrize(
    "plot",
    [plot for plot in build.PLOTS if plot.name not in (*NOT_OF_THIS_RUN, "top_view")],
    ids=lambda plot: plot.name,
)
def test_the_start_up_is_grey_in_every_plot_over_time(plot, analysis):
    scenario = analysis.experiment.scenario
    late = scenario.model_copy(
        update={"evaluation": scenario.evaluation.model_copy(update={"settle": 0.3})}
    )
    with styled():
        figure = plot.draw(Analysis(analysis.log, replace(analysis.experiment, scenario=late)))
    assert figure is not None
    for axes in figure.axes:
        if axes.get_label() != "<colorbar>":
            shades = [
                patch for patch in axes.patches if to_hex(patch.get_facecolor()) == START_UP.lower()
            ]
            assert len(shades) == 1, axes.get_ylabel()
            x = axes.transData.inverted().transform(shades[0].get_window_extent())[:, 0]
            assert x == pytest.approx([0.0, 0.3])


def test_lost_contacts_are_marked_in_the_colour_that_legend_and_caption_name(analysis):
    """Post 2 lets go at ticks 101 to 104, while the path plans it."""
    with styled():
        raster = contacts.draw(analysis).axes[0]
    marks = [mesh for mesh in raster.collections if mesh.cmap.N == 1]
    assert len(marks) == 1 and to_hex(marks[0].cmap(0)) == LIMIT.lower()
    assert np.isfinite(marks[0].get_array().filled(np.nan)).sum() == 4
    (shown,) = raster.get_legend().get_patches()
    assert to_hex(shown.get_facecolor()) == LIMIT.lower() == "#d55e00"
    assert "orange marks" in contacts.PLOT.caption and "red" not in contacts.PLOT.caption


def test_the_time_axis_goes_to_the_end_of_the_last_tick():
    """A run of 8 s has its last tick at 7.998 s, and an 8 on the axis."""
    axes = Figure().subplots()
    time_axis(axes, np.arange(4000) * 0.002)
    low, high = axes.get_xlim()
    assert low == 0.0 and high == pytest.approx(8.0, abs=1e-9)
    assert 8.0 in axes.get_xticks()


@pytest.mark.parametrize("turn", [0.0, 0.5 * np.pi])
def test_the_view_from_above_is_filled_by_the_robot(analysis, turn):
    """However the robot lies: it and its arrows are all to be seen, fill the panels, and the panels
    fill the figure.
    """
    truth, table = analysis.log.truth, analysis.log.true_contacts
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    base = np.column_stack((truth.base[:, :2] @ matrix.T, truth.base[:, 2] + turn))
    turned = replace(table, point=table.point @ matrix.T, normal=table.normal @ matrix.T)
    beside = {
        field.name: getattr(turned, field.name)[table.obstacle <= 2] for field in fields(table)
    }
    log = replace(
        analysis.log, truth=replace(truth, base=base), true_contacts=replace(table, **beside)
    )
    with styled():
        figure = top_view.draw(Analysis(log, analysis.experiment))
        figure.draw_without_rendering()
    filled = 0.0
    for axes in figure.axes:
        view = np.array([axes.get_xlim(), axes.get_ylim()])
        links = np.vstack([patch.get_xy() for patch in axes.patches if hasattr(patch, "get_xy")])
        assert (links > view[:, 0]).all() and (links < view[:, 1]).all()
        assert (np.ptp(links, axis=0) / np.ptp(view, axis=1)).max() > 0.6
        box = axes.get_window_extent()
        filled += box.width * box.height / (figure.bbox.width * figure.bbox.height)
    assert filled > 0.65


def test_the_path_is_drawn_above_the_body(analysis):
    with styled():
        axes = top_view.draw(analysis).axes[0]
    path = max(axes.lines, key=lambda line: len(line.get_xdata()))
    assert path.get_zorder() > max(
        patch.get_zorder() for patch in axes.patches if hasattr(patch, "get_xy")
    )
    assert path.get_linewidth() <= 1.0


def test_posts_off_the_map_are_drawn_where_a_simulation_has_them(analysis, monkeypatch):
    unmapped = UnmappedPosts(posts=(Circle(kind="circle", x=0.3, y=0.2, radius=0.05),))
    scenario = analysis.experiment.scenario
    told = scenario.disturbance.model_copy(update={"unmapped": unmapped})
    scenario = scenario.model_copy(update={"disturbance": told})
    hidden = Analysis(analysis.log, replace(analysis.experiment, scenario=scenario))
    assert top_view.off_the_map(hidden) == list(unmapped.posts)
    with styled():
        drawn = top_view.draw(hidden).axes[0].collections
    assert sum(len(one.get_paths()) for one in drawn) == 1 + len(analysis.experiment.obstacles)
    rendered = Mock()
    monkeypatch.setattr("boa_tools.report.picture.SceneRenderer", rendered)
    renderer(hidden, OVERHEAD_CAMERA)
    _, posts = rendered.call_args.args
    assert posts == (*analysis.experiment.obstacles, *unmapped.posts)
    robot = Analysis(replace(analysis.log, truth=None), hidden.experiment)
    assert top_view.off_the_map(robot) == []


def test_without_truth_the_estimated_forces_are_shown(analysis):
    robot = Analysis(replace(analysis.log, truth=None, true_contacts=None), analysis.experiment)
    with styled():
        figure = forces.draw(robot)
    assert figure is not None
    labels = {
        text.get_text()
        for axes in figure.axes
        if axes.get_legend()
        for text in axes.get_legend().get_texts()
    }
    assert "estimated force" in labels and "true force" not in labels


def test_drawn_picture_shows_the_scene(analysis):
    with styled():
        image = Image.open(BytesIO(png(whole_scene(analysis))))
    assert min(image.size) > 500
    assert len(image.convert("RGB").getcolors(maxcolors=1 << 24)) > 50


def test_arrows_have_a_good_length_whatever_the_forces(analysis):
    largest = np.percentile(analysis.log.true_contacts.normal_force, 99)
    assert force_scale(analysis, reach=1.0) * largest == pytest.approx(0.3)
    assert np.isfinite(force_scale(Analysis(empty_log(3), free_experiment(links=3)), 1.0))


def test_bins_keep_means_and_extremes():
    time = np.arange(10_000) * 0.002
    values = np.column_stack((np.sin(time), np.where(np.arange(10_000) == 7777, 50.0, np.nan)))
    when, low, high = envelope(time, values)
    assert when.size <= 1500 and high.max() == 50.0 and low.min() == pytest.approx(-1.0, abs=1e-4)
    mean = binned(values)
    assert mean.shape == (bin_times(time).size, 2)
    assert np.nanmax(mean[:, 1]) == 50.0
    assert np.isnan(mean[:, 1]).sum() == mean.shape[0] - 1
    assert np.abs(mean[:, 0] - np.sin(bin_times(time))).max() < 0.01


def test_posts_stand_in_the_order_in_which_they_are_passed():
    """Passed in the order 2, 0, 1; post 2 blinks when it is first touched, and is met again a lap
    later.
    """
    time = np.arange(0.0, 30.0, 0.01)
    spans = {0: [(4.0, 9.0)], 1: [(8.0, 13.0)], 2: [(1.0, 1.05), (1.2, 6.0), (25.0, 29.0)]}
    force = np.full((time.size, 3), np.nan)
    for post, pieces in spans.items():
        for start, end in pieces:
            force[(time >= start) & (time < end), post] = 5.0
    assert np.argsort(first_passages(time, force)).tolist() == [2, 0, 1]


def test_contacts_at_the_same_time_have_different_colours():
    """Eight posts in a row, four touched at a time: six colours are enough."""
    ticks, posts = np.arange(110)[:, None], np.arange(8)
    touching = (ticks >= 10 * posts) & (ticks < 10 * posts + 40)
    colours = np.array(series_colours(touching))
    assert all(len(set(colours[row])) == row.sum() for row in touching)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0011, 0.002), (1.0, 1.0), (4.9, 5.0), (8.4, 10.0), (11.0, 20.0)]
)
def test_scales_are_round(value, expected):
    assert round_up(value) == pytest.approx(expected)


@pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")  # of figure, numbers
def test_torques_of_a_run_that_was_cut_short_are_drawn_without_a_warning(analysis):
    """Stopped between reading and commanding, the last tick has no torque of any joint."""
    applied = analysis.log.applied.copy()
    applied[-1] = np.nan
    log = replace(analysis.log, applied=applied)
    figure = torques.draw(Analysis(log, analysis.experiment))
    assert figure is not None
    rms = figure.axes[0].lines[0].get_ydata()
    np.testing.assert_allclose(rms[:-1], np.sqrt(np.mean(applied[:-1] ** 2, axis=1)))
    assert np.isnan(rms[-1])
