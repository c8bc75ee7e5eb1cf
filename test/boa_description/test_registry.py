# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Classes by name: shipped, from packages, from files; one line says what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from boa_description.errors import BoaError
from boa_description.registry import FileClass, Registry, file_class

REGISTRY = Registry("shape", "boa.test_shapes", {"fraction": "fractions:Fraction"}, ("numerator",))
GOOD = "class Good:\n    numerator = 1\n"


def install(folder: Path, package: str, **offers: str) -> None:
    """Lay a package's metadata out as pip would."""
    info = folder / f"{package}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
    lines = [f"{name} = {target}" for name, target in offers.items()]
    (info / "entry_points.txt").write_text("\n".join(["[boa.test_shapes]", *lines]))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("hoal", None),
        ("boa.controllers:Hoal", None),
        ("limp.py:Limp", FileClass(Path("limp.py"), "Limp")),
        ("./a/limp.py:Limp", FileClass(Path("a/limp.py"), "Limp")),
        ("/a:b/limp.py:Limp", FileClass(Path("/a:b/limp.py"), "Limp")),
    ],
)
def test_names_of_classes_in_files(name: str, found: FileClass | None) -> None:
    assert file_class(name) == found


@pytest.mark.parametrize("name", ["limp.py", "./limp.py:"])
def test_a_file_needs_a_class(name: str) -> None:
    with pytest.raises(BoaError, match="does not say which class of the file"):
        file_class(name)


def test_shipped_ones_and_those_of_packages_are_listed(tmp_path: Path, monkeypatch) -> None:
    install(tmp_path, "circles", disc="circles_package:Good")
    (tmp_path / "circles_package.py").write_text(GOOD)
    monkeypatch.syspath_prepend(tmp_path)
    assert [(entry.name, entry.origin) for entry in REGISTRY.entries()] == [
        ("disc", "circles 1.2"),
        ("fraction", "boa"),
    ]
    assert REGISTRY.load("disc").__module__ == "circles_package"
    assert REGISTRY.load("fraction").__name__ == "Fraction"
    with pytest.raises(BoaError, match="unknown shape 'disk'; did you mean 'disc'"):
        REGISTRY.load("disk")


def test_a_shipped_name_stays_the_shipped_one(tmp_path: Path, monkeypatch) -> None:
    install(tmp_path, "circles", fraction="circles_package:Good")
    monkeypatch.syspath_prepend(tmp_path)
    assert REGISTRY.load("fraction").__module__ == "fractions"


def test_a_name_that_two_packages_offer_is_refused(tmp_path: Path, monkeypatch) -> None:
    install(tmp_path, "circles", disc="a:A")
    install(tmp_path, "rounds", disc="b:B")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BoaError, match=r"offered by .*circles 1\.2.*; uninstall all but one"):
        REGISTRY.load("disc")


def test_a_package_that_cannot_be_imported_is_named(tmp_path: Path, monkeypatch) -> None:
    install(tmp_path, "circles", disc="not_there_at_all:Disc")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BoaError, match=r"from circles 1\.2\) cannot be imported: ModuleNotFound"):
        REGISTRY.load("disc")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "shape file '{}' does not exist"),
        ("class Other: ...\n", "shape file '{}': unknown class 'Good'. Valid: Other"),
        ("class Good: ...\n", "class Good in '{}' has no numerator; a shape needs numerator"),
        ("def Good(): ...\n", "class Good in '{}' is not a class"),
        ("\nimport not_there_at_all\n", "shape file '{}', line 2: ModuleNotFoundError: No module"),
        ("x = 1\nclass Good\n", "shape file '{}', line 2: SyntaxError: expected ':'"),
        ("import sys\nsys.exit(3)\n", "shape file '{}', line 2: SystemExit: 3"),
        ("raise ValueError\n", "shape file '{}', line 1: ValueError"),
        ("'\0'\n", "shape file '{}'"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text: str | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "good.py"
    if text is not None:
        path.write_text(text)
    modules = set(sys.modules)
    with pytest.raises(BoaError) as caught:
        REGISTRY.load(f"{path}:Good")
    assert str(caught.value).startswith(said.format(path))
    assert "\n" not in str(caught.value)
    if "Error" in said or "Exit" in said:  # nothing half-done
        assert set(sys.modules) == modules


def test_a_file_is_read_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "good.py"
    path.write_text(GOOD)
    assert REGISTRY.load(f"{path}:Good").numerator == 1
    path.write_text(GOOD.replace("1", "2"))
    assert REGISTRY.load(f"{path}:Good").numerator == 2
    assert [entry.name for entry in tmp_path.iterdir()] == ["good.py"]
