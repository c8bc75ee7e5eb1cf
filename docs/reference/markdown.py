# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Markdown of the generated parts, in lines of at most 100 characters where it is no table."""

from __future__ import annotations

import re
import textwrap

WIDTH = 100
CODE = re.compile(r"(`[^`]*`)")


def plain(text: str) -> str:
    """Text of the code as Markdown: what means something there stands for itself."""
    parts = CODE.split(" ".join(text.split()))
    parts[::2] = [re.sub(r"([<>*$|\[\]])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def paragraph(text: str) -> list[str]:
    """Wrapped lines of text that is Markdown already."""
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def item(head: str, text: str) -> list[str]:
    """A line of a list: its head, and what is said of it."""
    whole = f"- {head}: {text}" if text else f"- {head}"
    return textwrap.wrap(
        whole, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def row(*cells: str) -> str:
    """A line of a table."""
    return "|".join(["", *(f" {cell} " if cell else " " for cell in cells), ""])


def lower(text: str) -> str:
    """The first letter as within a sentence."""
    return f"{text[:1].lower()}{text[1:]}"
