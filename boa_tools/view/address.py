# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a page is served."""

import os
import sys
import webbrowser

LISTEN = "localhost:8800"


def split_address(text: str) -> tuple[str, int]:
    """Host and port of HOST:PORT, or of :PORT for this machine alone.

    Raises:
        ValueError: it is neither.
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"'{text}' is not HOST:PORT, e.g. {LISTEN}")
    return host.strip("[]") or "localhost", int(port)


def open_page(address: str) -> None:
    """Open a page in the user's browser, where this machine has a screen to show it on."""
    if sys.platform != "linux" or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        webbrowser.open(address)
