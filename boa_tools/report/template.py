"""Pages from the templates beside this file: single HTML files with everything inside."""

from __future__ import annotations

import base64
from typing import Any

from jinja2 import Environment, PackageLoader


def filled(template: str, **values: Any) -> str:
    """Return the page of a template; what users have written is escaped."""
    environment = Environment(loader=PackageLoader("boa_tools", "report"), autoescape=True)
    environment.filters["embedded"] = _embedded
    return environment.get_template(template).render(**values)


def _embedded(png: bytes) -> str:
    """Address of a picture that holds all of it."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
