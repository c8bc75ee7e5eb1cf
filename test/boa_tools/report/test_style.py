# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures as files."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from boa_tools.report.style import write_figures

BEGINNINGS = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


def test_figures_are_written_in_the_forms_of_papers_and_as_png_for_the_page(tmp_path: Path) -> None:
    figures = {"one": Figure(), "two": Figure()}
    shown = write_figures(tmp_path / "plots", figures, ("pdf", "svg"))
    files = {path.name: path.read_bytes() for path in (tmp_path / "plots").iterdir()}
    assert set(files) == {f"{name}.{form}" for name in figures for form in BEGINNINGS}
    for name, content in files.items():
        assert content.startswith(BEGINNINGS[name.partition(".")[2]])
    assert shown == {name: files[f"{name}.png"] for name in figures}
