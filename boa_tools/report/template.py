# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pages from the templates beside this file: single HTML files with everything inside."""

import base64
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

INTERACTIVE = "boa_tools.report.interactive"
UPLOT = "uplot.static"  # where the package uplot-python keeps uPlot itself


def can_move() -> bool:
    """Whether the charts of a page can move here: uPlot comes with the extra `view`."""
    return find_spec("uplot") is not None


def filled(template: str, **values: Any) -> str:
    """Return the page of a template; what users have written is escaped."""
    environment = Environment(loader=PackageLoader("boa_tools", "report"), autoescape=True)
    environment.filters["embedded"] = _embedded
    environment.globals |= {"script": _own_file, "style": _own_file}
    return environment.get_template(template).render(**values)


def _embedded(png: bytes) -> str:
    """Address of a picture that holds all of it."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def _own_file(name: str) -> Markup:
    """A script or style sheet of ours, or of uPlot, as it is."""
    package = UPLOT if name.startswith("uPlot") else INTERACTIVE
    return Markup(files(package).joinpath(name).read_text(encoding="utf-8"))
