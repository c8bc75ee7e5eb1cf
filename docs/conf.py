# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration of the manual (`make docs`)."""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ["NUMBA_DISABLE_JIT"] = "1"  # kernels are read here, not run: nothing is compiled

from docutils import nodes
from sphinx import addnodes

from boa_description.version import software_version

project = "Boa"
author = "The Boa maintainers"
release = software_version()
extensions = [
    "myst_parser",
    "sphinx-mathjax-offline",  # formulas without a network: MathJax comes with the pages
    "sphinx.ext.apidoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
master_doc = "index"
exclude_patterns = ["_build", "api/*/modules.rst", "notebook"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_title = f"Boa {release}"
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3
# a short name of a type may stand for several classes
suppress_warnings = ["myst.xref_missing", "ref.python"]

# the API reference is made of the docstrings; programs that are run and not imported are left out
PROGRAMS = (
    *(f"boa_tools/{room}" for room in ("bench", "bringup", "cli.py", "commands", "commission")),
    *(f"boa_tools/{room}" for room in ("doctor", "nodes", "survey", "view")),
    *("boa_control/compiled", "boa_control/ros", "boa_hardware/emulator"),
)
PACKAGES = ("boa_description", "boa_control", "boa_sim", "boa_hardware", "boa_tools")
apidoc_modules = [
    {
        "path": str(ROOT / package),
        "destination": f"api/{package}",
        "exclude_patterns": [str(ROOT / program) for program in PROGRAMS],
        "separate_modules": False,
        "module_first": True,
    }
    for package in PACKAGES
]
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_use_type_comments = False  # there are none
# adapters are documented without ROS, too; our own folder `launch` is no package of that name
ROS = ("rclpy", "launch", "launch_ros")
autodoc_mock_imports = [name for name in ROS if getattr(find_spec(name), "origin", None) is None]
napoleon_use_ivar = True
default_role = "code"
add_module_names = False
python_maximum_signature_line_length = 88
html_use_index = html_copy_source = False  # the search finds names
html_domain_indices = False
# else every page carries a table of contents of all classes and functions, seconds of a build each
toc_object_entries = False

SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Yields|Example|Note)s?:$")
CODE = re.compile(r"(`[^`]*`)")


def plain(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: bars and asterisks are themselves, what is indented outside of a
    section (formulas) stays as it was typed.
    """
    written: list[str] = []
    in_section = in_formula = False
    for line in lines:
        indented = line.startswith(" ")
        if line and not indented:
            in_section = bool(SECTION.match(line))
            if in_formula:
                written.append("")
            in_formula = False
        elif indented and not in_section and not in_formula:
            written += ["", "::", ""]
            in_formula = True
        written.append(line if in_formula else _escaped(line))
    lines[:] = written


def _escaped(line: str) -> str:
    parts = CODE.split(line)
    parts[::2] = [re.sub(r"([|*]|_(?=\W|$))", r"\\\1", text) for text in parts[::2]]
    return "".join(parts)


def without_guesses(app: Any, page: nodes.document) -> None:
    """Names are links where they are an object's as they stand. Only errors under `Raises:`, which
    are written short, are looked up at the end of the names of all objects as well: that search,
    for every `float` of a signature, took most of a build. Names under `Attributes:` are no links;
    it found others of the same name.
    """
    for name in list(page.findall(addnodes.pending_xref)):
        if name.get("refspecific") and name["reftype"] == "obj":
            name.replace_self(name.children)
        elif name["reftype"] != "exc":
            name.attributes.pop("refspecific", None)


def setup(app: Any) -> dict[str, bool]:
    """Before napoleon, which has priority 500, reads the sections of docstrings.

    Pages are read and written side by side; the extension for formulas copies files at the end.
    """
    app.connect("autodoc-process-docstring", plain, priority=400)
    app.connect("doctree-read", without_guesses)
    app.extensions["sphinx-mathjax-offline"].parallel_read_safe = True
    return {"parallel_read_safe": True, "parallel_write_safe": True}
