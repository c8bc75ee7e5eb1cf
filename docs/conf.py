"""Sphinx configuration of the manual (`make docs`)."""

project = "Boa"
author = "The Boa maintainers"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
master_doc = "index"
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Boa: hybrid obstacle-aided locomotion"
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]
