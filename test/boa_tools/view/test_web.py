"""The web server: addresses that cannot be used, and pages that are slow."""

from __future__ import annotations

import pytest

from boa_description.errors import BoaError
from boa_tools.view.doorkeeper import Doorkeeper
from boa_tools.view.scene3d import free_port
from boa_tools.view.web import WebView

SCENERY = {"kind": "scenery", "name": "test", "simulated": True}


def served(host, port):
    return WebView(host, port, Doorkeeper(""), SCENERY, 1, lambda _: None)


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "nowhere.invalid", "\ud800"])
def test_a_host_without_an_address_is_one_clear_error(host):
    """An empty label and one of more than 63 characters are no names to getaddrinfo, which then
    raises UnicodeError; the top level domain `invalid` never has addresses (RFC 2606).
    """
    with pytest.raises(BoaError, match=r"has no address .* --listen takes HOST:PORT"):
        served(host, free_port())


def test_a_port_in_use_is_one_clear_error():
    port = free_port()
    first = served("127.0.0.1", port)
    with pytest.raises(BoaError, match="choose another port"):
        served("127.0.0.1", port)
    first.close()
