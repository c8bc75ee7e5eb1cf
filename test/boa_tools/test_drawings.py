# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The drawings of the manual: all are XML, those that need no run are as the script makes them."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from boa_control.controllers.hoal.controller import HoalController
from boa_control.controllers.hoal.supervision.table import TABLE
from boa_control.controllers.hoal.supervision.watch import Watch
from boa_control.controllers.hoal.tick import Tick
from boa_control.events import SupervisionState as State
from test.script import loaded

DOCS = Path(__file__).parents[2] / "docs"
NAMES = (
    "hoal_forces",
    "hoal_blocks",
    "hoal_tick",
    "hoal_contact",
    "hoal_nodes",
    "hoal_supervision",
)


def drawing(name: str) -> ModuleType:
    before = list(sys.path)
    module = loaded(DOCS / "drawings" / f"{name}.py")
    sys.path[:] = before
    return module


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return drawing("hoal")


def committed(name: str) -> str:
    return (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_drawings_are_xml_and_on_the_page(name: str) -> None:
    assert ElementTree.fromstring(committed(name)).tag.endswith("svg")
    assert f"images/{name}.svg" in (DOCS / "hoal.md").read_text(encoding="utf-8")


def test_committed_drawings_are_those_of_the_script(script: ModuleType) -> None:
    """`python docs/drawings/hoal.py` after a change, e.g. of a topic's name."""
    assert str(script.block_diagram()) == committed("hoal_blocks")
    assert str(script.two_nodes()) == committed("hoal_nodes")


def test_the_stages_of_a_tick_write_the_fields_of_its_record() -> None:
    """`python docs/drawings/tick.py` after a change of `Tick`. Stages write in the order of the
    record, and are called so in `step`.
    """
    assert str(drawing("tick").tick()) == committed("hoal_tick")
    tree = ElementTree.fromstring(committed("hoal_tick"))
    lines = [text.text for text in tree.findall(".//{*}text[@class='torque-text']")]
    drawn = [name for line in lines for name in line.rstrip(",").split(", ")]
    assert drawn == [field.name for field in fields(Tick)]
    stages = [text.text for text in tree.findall(".//{*}text[@class='bold']")]
    step = inspect.getsource(HoalController.step)
    assert stages == re.findall(r"self\._(?:map\.)?(locate|plan|engage|watch|solve|learn)\(", step)


def test_the_states_and_arrows_of_supervision_are_those_of_its_table() -> None:
    """`python docs/drawings/supervision.py` after a change of the table. Each arrow is read off the
    drawing: it begins on the frame of a state or of several, and ends on that of a state.
    """
    script = drawing("supervision")
    assert str(script.states()) == committed("hoal_supervision")
    tree = ElementTree.fromstring(committed("hoal_supervision"))
    words = [text.text for text in tree.findall(".//{*}text")]
    assert all(words.count(state.value) == 1 for state in State)
    assert all(words.count(row.why) == 1 for row in TABLE)
    states = {frozenset({state}): place[:4] for state, place in script.BOXES.items()}
    frames = states | script.REGIONS
    arrows = [path.attrib for path in tree.findall("{*}path") if "marker-end" in path.attrib]
    drawn = set()
    for arrow in arrows:
        (begin, *_, end) = [tuple(map(float, xy.split())) for xy in arrow["d"][1:].split(" L")]
        for source in (frame for frame, place in frames.items() if on_border(begin, place)):
            (to,) = [state for state, place in states.items() if on_border(end, place)]
            drawn.add((source, *to, arrow["class"] == "torque"))
    legend = 1
    assert len(arrows) == len(drawn) + legend
    assert drawn == {(row.states, row.to, row.then is Watch.rest) for row in TABLE}


def on_border(point: tuple[float, float], place: tuple[float, float, float, float]) -> bool:
    """Whether a point is within a pixel of the border of a rectangle."""
    (x, y), (left, top, width, height) = point, place
    inside = min(x - left, left + width - x, y - top, top + height - y)
    return abs(inside) <= 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--begin", "5", "--end", "5"], "nothing to show from 5 to 5 s"),
        (["--faster", "0"], "--faster above 0"),
        ([], "'no_run' does not exist"),
    ],
)
def test_a_film_of_nothing_is_one_clear_error(words, says, monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.syspath_prepend(DOCS / "drawings")
    film = loaded(DOCS / "drawings" / "film.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["film.py", "no_run", "film.webp", *words])
    with pytest.raises(SystemExit) as ended:
        film.main()
    assert ended.value.code == 2 and says in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
