# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Classes by name: the shipped ones, those of installed packages, and those in a file of the user.

An installed package offers a class by an entry point of the registry's group, in its
pyproject.toml:

    [project.entry-points."boa.controllers"]
    limp = "my_package.limp:Limp"

A file that is not installed is named with its class, `./limp.py:Limp`.
"""

import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from boa_description.errors import BoaError, described, raised, unknown_name

SHIPPED = "boa"
SUFFIX = ".py"


def is_file_name(name: str) -> bool:
    """Whether a name means a YAML file of the user, and nothing shipped."""
    return "/" in name or name.endswith((".yaml", ".yml"))


@dataclass(frozen=True, slots=True)
class FileClass:
    """A class in a file: `./limp.py:Limp`.

    Attributes:
        path: of the file; relative to the working directory unless absolute.
        name: of the class.
    """

    path: Path
    name: str

    def __str__(self) -> str:
        return f"{self.path}:{self.name}"


def file_class(name: str) -> FileClass | None:
    """Read `limp.py:Limp`; None where `name` is a plain one.

    Raises:
        BoaError: a file without a class.
    """
    path, _, attribute = name.rpartition(":")
    if path.endswith(SUFFIX) and attribute:
        return FileClass(Path(path), attribute)
    if name.rstrip(":").endswith(SUFFIX):
        raise BoaError(f"'{name}' does not say which class of the file; write {name}:ClassName")
    return None


@dataclass(frozen=True, slots=True)
class Entry:
    """A class that can be chosen by name.

    Attributes:
        name: in scenarios.
        origin: "boa", or name and version of the package that brings it.
        point: where the class is.
    """

    name: str
    origin: str
    point: EntryPoint


@dataclass(frozen=True, slots=True)
class Registry:
    """The classes of one kind.

    Attributes:
        kind: in errors, e.g. "controller".
        group: of entry points, e.g. "boa.controllers".
        shipped: name -> "module:Class".
        needs: attributes that every class has.
    """

    kind: str
    group: str
    shipped: Mapping[str, str]
    needs: tuple[str, ...] = ()

    def entries(self) -> tuple[Entry, ...]:
        """The shipped ones and those of installed packages, sorted by name; imports none."""
        entries = [
            Entry(name, SHIPPED, EntryPoint(name, target, self.group))
            for name, target in self.shipped.items()
        ]
        for point in entry_points(group=self.group):
            origin = f"{point.dist.name} {point.dist.version}" if point.dist else "a package"
            entries.append(Entry(point.name, origin, point))
        return tuple(sorted(entries, key=lambda entry: (entry.name, entry.origin != SHIPPED)))

    def load(self, name: str) -> Any:
        """Return the class `name` stands for.

        Raises:
            BoaError: unknown, offered twice, cannot be imported, or not a class of this kind.
        """
        file = file_class(name)
        if file is not None:
            return self._checked(_from_file(self.kind, file), f"class {file.name} in '{file.path}'")
        if name in self.shipped:  # without the search for packages, which takes a while
            module, _, attribute = self.shipped[name].partition(":")
            return getattr(import_module(module), attribute)
        offers = [entry for entry in self.entries() if entry.name == name]
        if not offers:
            raise unknown_name(self.kind, name, (entry.name for entry in self.entries()))
        if len(offers) > 1:
            raise BoaError(
                f"{self.kind} {name} is offered by {' and '.join(e.origin for e in offers)}; "
                f"uninstall all but one"
            )
        return self._from_package(offers[0])

    def _from_package(self, entry: Entry) -> Any:
        where = f"{self.kind} {entry.name} ({entry.point.value}, from {entry.origin})"
        try:
            loaded = entry.point.load()
        except Exception as error:
            raise BoaError(f"{where} cannot be imported: {described(error)}") from error
        return self._checked(loaded, where)

    def _checked(self, loaded: Any, where: str) -> Any:
        if not isinstance(loaded, type):
            raise BoaError(f"{where} is not a class")
        missing = [name for name in self.needs if not hasattr(loaded, name)]
        if missing:
            raise BoaError(
                f"{where} has no {', '.join(missing)}; a {self.kind} needs {', '.join(self.needs)}"
            )
        return loaded


def made(what: str, chosen: Any, *given: Any) -> Any:
    """An object of a class that others have written.

    Raises:
        BoaError: whatever it raised; begins with `what` and says in which line.
    """
    try:
        return chosen(*given)
    except BoaError:
        raise
    except Exception as error:
        raise BoaError(f"{what} cannot be made: {raised(error)}") from error


def _from_file(kind: str, file: FileClass) -> Any:
    """Run the file as a module of its own and return the class.

    Compiled from its text each time: Python's cache beside the file could be of an older text.
    """
    if not file.path.is_file():
        raise BoaError(f"{kind} file '{file.path}' does not exist")
    # pydantic and dataclasses look for the names in annotations in sys.modules
    module = ModuleType(f"boa_file.{file.path.stem}")
    module.__file__ = str(file.path)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        text = file.path.read_text(encoding="utf-8")
        exec(compile(text, str(file.path), "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        if before is not None:
            sys.modules[module.__name__] = before
        raise BoaError(
            f"{kind} file '{file.path}'{_line(error, file.path)}: {described(error)}"
        ) from error
    if not hasattr(module, file.name):
        classes = sorted(
            name
            for name, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__
        )
        raise unknown_name("class", file.name, classes, f"{kind} file '{file.path}'")
    return getattr(module, file.name)


def _line(error: BaseException, path: Path) -> str:
    """Where in the file an error arose, as ", line 7"; nothing where it is not known."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.lineno else ""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    return f", line {lines[-1]}" if lines else ""
