# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa view`: the live view of what is running, or recordings as a film."""

import argparse
import json

from boa_tools.commands.arguments import address, argument


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from boa_tools.view.address import LISTEN

    argument(
        parser,
        "recordings DIR|BAG",
        "play this recording, or two side by side; without: what is running now",
        nargs="*",
    )
    argument(
        parser,
        "--out FILE",
        "page of the recordings (default: film.html in the folder of the first)",
    )
    argument(
        parser,
        "--scenario NAME",
        "instead of the recorded one, or of that which the running plant says",
    )
    argument(parser, "--namespace NS", "of its nodes", default="/boa")
    argument(
        parser,
        "--listen HOST:PORT",
        f"where the page is (default: {LISTEN}); other machines need a token",
        address,
    )
    argument(parser, "--token", "of the page, instead of a new one", default="")


def main(arguments: argparse.Namespace) -> int:
    """Show it until Ctrl-C; or write the page of recordings and open it."""
    if arguments.recordings:
        return _play(arguments)
    from importlib.util import find_spec

    from boa_description.errors import BoaError
    from boa_tools.view.address import LISTEN
    from boa_tools.view.live_run import require_view

    require_view()
    if find_spec("rclpy") is None:
        raise BoaError(
            "boa view needs ROS 2 (rclpy); without it, boa run SCENARIO --view shows a run"
        )
    from boa_tools.nodes.view import view

    host, port = arguments.listen or (LISTEN.partition(":")[0], int(LISTEN.partition(":")[2]))
    values = {  # as YAML: a token of digits is text
        "scenario": json.dumps(arguments.scenario) if arguments.scenario else "",
        "listen": json.dumps(f"{host}:{port}"),
        "token": json.dumps(arguments.token) if arguments.token else "",
    }
    words = ["--ros-args", "-r", f"__ns:={arguments.namespace}"]
    for name, value in values.items():
        if value:
            words += ["-p", f"{name}:={value}"]
    return view(words)


def _play(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from boa_description.errors import BoaError
    from boa_tools.bags.recorded import find_run
    from boa_tools.report.films import films_page, recorded_analysis
    from boa_tools.runs.results import write_text
    from boa_tools.view.address import open_page

    sources = arguments.recordings
    if len(sources) > 2:
        raise BoaError(f"{len(sources)} recordings; expected one, or two to be played side by side")
    runs = [find_run(Path(source), arguments.scenario) for source in sources]
    page = films_page(
        [(source, recorded_analysis(run)) for source, run in zip(sources, runs, strict=True)]
    )
    file = Path(arguments.out) if arguments.out else runs[0].directory / "film.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, page)
    print(file)
    open_page(file.absolute().as_uri())
    return 0
