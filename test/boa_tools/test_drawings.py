"""The drawings of the manual: all are XML, those that need no run are as the script makes them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from test.script import loaded

DOCS = Path(__file__).parents[2] / "docs"
NAMES = ("hoal_forces", "hoal_blocks", "hoal_contact", "hoal_nodes")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    before = list(sys.path)
    module = loaded(DOCS / "drawings" / "hoal.py")
    sys.path[:] = before
    return module


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
