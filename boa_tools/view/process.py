# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The viewer's own process for `boa run --view`: `python -m boa_tools.view.process FD HOST PORT
TOKEN`. It ends when the run hangs up.
"""

import os
import signal
import socket
import sys
from dataclasses import asdict

from boa_description.errors import BoaError
from boa_tools.view.channel import KIND, Channel
from boa_tools.view.doorkeeper import Doorkeeper
from boa_tools.view.snapshot import Order, Snapshot
from boa_tools.view.viewer import Viewer

NICE = 10  # the control loop goes first
SCENERY_WAIT = 120.0  # s that the run may take to say what it is; one that has ended is noticed
LAST_WORDS = 0.5  # s that pages get for the end of the run


def main() -> None:
    """Serve until the run hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which then hangs up
    os.nice(NICE)
    fd, host, port, token = sys.argv[1:]
    channel = Channel(socket.socket(socket.AF_UNIX, KIND, fileno=int(fd)))
    channel.wait(SCENERY_WAIT)
    scenery = channel.receive_object()
    if scenery is None:
        return

    def pass_on(order: Order) -> None:
        channel.send_json(asdict(order))

    try:
        viewer = Viewer(host, int(port), Doorkeeper.of(host, token), scenery, pass_on)
    except BoaError as error:
        channel.send_json({"error": str(error)})
        return
    channel.send_json({"address": viewer.address})
    while channel.open:
        channel.wait(1.0)
        while (content := channel.receive_object()) is not None:
            if isinstance(content, Snapshot):
                viewer.show(content)
            else:
                viewer.tell(content)
        viewer.draw()
    viewer.end(LAST_WORDS)


if __name__ == "__main__":
    main()
