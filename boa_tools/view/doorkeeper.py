# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who may see and steer: pages of this server only, and from other machines only with the token.

A page of a stranger that happens to be open in the same browser could otherwise open a connection
to this port and arm the robot.
"""

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Self
from urllib.parse import parse_qs, urlsplit

COOKIE = "boa_view"
# of every answer
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "frame-ancestors 'self'",
}


def is_local(host: str) -> bool:
    """Whether a host name or address means this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Doorkeeper:
    """Decides about requests.

    Attributes:
        token: empty where the server listens on this machine alone.
    """

    token: str

    @classmethod
    def of(cls, host: str, token: str = "") -> Self:
        """For a server that listens at `host`; makes a token where one is needed and none given."""
        return cls(token or ("" if is_local(host) else secrets.token_urlsafe(16)))

    def address(self, host: str, port: int) -> str:
        """The address to open in a browser; of a server at `host`."""
        shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
        token = f"?token={self.token}" if self.token else ""
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/{token}"

    def cookies(self, path: str) -> dict[str, str]:
        """Headers of a page that was opened with the token: later requests need not show it."""
        if not self.gives_token(path):
            return {}
        return {"Set-Cookie": f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"}

    def refusal(self, path: str, headers: Mapping[str, str]) -> str:
        """Why a request is refused; empty for one that may pass."""
        host = headers.get("Host", "")
        name = urlsplit(f"//{host}").hostname or ""
        if not self.token and not is_local(name):  # a name that leads here by DNS rebinding
            return f"host '{name[:60]}' is not this machine; open http://localhost"
        origin = headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return f"page of another origin, '{origin[:60]}'"
        if self.token and not self._shows_token(path, headers):
            return "no valid token; open the address that was printed at start"
        return ""

    def gives_token(self, path: str) -> bool:
        """Whether the address itself carries the right token."""
        given = parse_qs(urlsplit(path).query).get("token", [""])[0]
        return bool(self.token) and secrets.compare_digest(given.encode(), self.token.encode())

    def _shows_token(self, path: str, headers: Mapping[str, str]) -> bool:
        if self.gives_token(path):
            return True
        try:
            cookie = SimpleCookie(headers.get("Cookie", ""))
        except CookieError:
            return False
        value = cookie[COOKIE].value if COOKIE in cookie else ""
        return secrets.compare_digest(value.encode(), self.token.encode())
