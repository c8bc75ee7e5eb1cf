# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every command with its arguments, as `--help` has them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from boa_tools.cli import COMMANDS, build_parser
from reference.markdown import item, paragraph, plain


def commands() -> dict[str, list[str]]:
    """A section for each command, with those of its actions below."""
    lines: list[str] = []
    for name in COMMANDS:
        lines += _section(_actions(build_parser(name))[name], 2)
    return {"commands": lines}


def _section(parser: argparse.ArgumentParser, level: int) -> list[str]:
    lines = ["", f"{'#' * level} {parser.prog}", ""]
    lines += paragraph(plain(parser.description or ""))
    arguments = [line for action in _arguments(parser) for line in _argument(parser, action)]
    if arguments:
        lines += ["", *arguments]
    for child in _actions(parser).values():
        lines += _section(child, level + 1)
    return lines


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        hidden = isinstance(action, argparse._SubParsersAction | argparse._HelpAction)
        if not hidden and action.help is not argparse.SUPPRESS:
            yield action


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> list[str]:
    formatter = parser._get_formatter()
    metavar = formatter._format_args(action, action.metavar or action.dest.upper())
    if action.choices is not None and action.metavar is None:
        metavar = ",".join(map(str, action.choices))
    names = [f"`{f'{option} {metavar}'.rstrip()}`" for option in action.option_strings]
    said = formatter._expand_help(action) if action.help else ""
    return item(", ".join(names) or f"`{metavar}`", plain(said))


def _actions(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Name -> parser of what it offers to do."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}
