# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All small bugs of a source: one statement, condition, operator, number or argument changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
OPPOSITES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "fmax": "fmin",
    "any": "all",
    "all": "any",
    "argmin": "argmax",
    "argmax": "argmin",
    "zeros": "ones",
    "zeros_like": "ones_like",
}
IDENTITIES = ("abs", "sign", "round", "nan_to_num", "isfinite", "frozenset", "sorted")
NAMES = ("FaultName", "Rule")  # enumerations, whose members are exchanged
NO_CODE = ("annotation", "returns", "decorator_list")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One bug, compiled. `where` is function and line."""

    where: str
    old: str
    new: str
    code: CodeType


@dataclass(frozen=True, slots=True)
class _Place:
    """A node, and the field of its parent that holds it."""

    function: str
    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None

    def put(self, node: ast.AST) -> None:
        """Let `node` stand here."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants(source: str, path: str) -> Iterator[Mutant]:
    """Every bug of a source, in its order. Annotations, decorators and texts stay."""
    tree = ast.parse(source)
    members = {
        statement.name: [target.id for target in _targets(statement)]
        for statement in tree.body
        if isinstance(statement, ast.ClassDef) and statement.name in NAMES
    }
    for place in list(_places(tree, "module")):
        for new in _variants(place, members):
            place.put(new)
            code = compile(ast.fix_missing_locations(tree), path, "exec")
            place.put(place.node)
            where = f"{place.function}:{getattr(place.node, 'lineno', 0)}"
            yield Mutant(where, _line(place.node), _line(new), code)


def _line(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _targets(statement: ast.ClassDef) -> Iterator[ast.Name]:
    for line in statement.body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            yield line.targets[0]


def _places(parent: ast.AST, function: str) -> Iterator[_Place]:
    if isinstance(parent, ast.FunctionDef | ast.ClassDef):
        function = parent.name if function == "module" else f"{function}.{parent.name}"
    if isinstance(parent, ast.ClassDef) and any(
        isinstance(base, ast.Name) and base.id == "StrEnum" for base in parent.bases
    ):
        return
    for field, value in ast.iter_fields(parent):
        if field in NO_CODE:
            continue
        for index, node in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(node, ast.AST) and not _is_text(node):
                yield _Place(function, node, parent, field, index)
                yield from _places(node, function)


def _is_text(node: ast.AST) -> bool:
    """A message or a docstring."""
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or isinstance(node, ast.JoinedStr)


def _variants(place: _Place, members: dict[str, list[str]]) -> Iterator[ast.AST]:
    node = place.node
    match node:
        case ast.Raise() | ast.Return() | ast.Expr() | ast.AugAssign() | ast.Assign():
            yield ast.Pass()
        case ast.AnnAssign(value=ast.expr()) if "." in place.function:
            yield ast.Pass()
        case ast.Compare(left, [operator], right):
            for other in COMPARISONS[type(operator)]:
                yield ast.Compare(left, [other()], right)
        case ast.Compare(left, [first, second], right):
            for other in COMPARISONS[type(first)]:
                yield ast.Compare(left, [other(), second], right)
            for other in COMPARISONS[type(second)]:
                yield ast.Compare(left, [first, other()], right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
            for index in range(len(values)):
                yield ast.BoolOp(
                    operator, [*values[:index], *values[index + 1 :], values[index - 1]]
                )
        case ast.UnaryOp(ast.Not() | ast.Invert() | ast.USub(), operand):
            yield operand
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC:
            yield ast.BinOp(left, ARITHMETIC[type(operator)](), right)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield from map(ast.Constant, (2 * value, 0) if value else (1, -1))
        case ast.Constant(str()) if not isinstance(place.parent, ast.Raise):
            yield ast.Constant("mutant")
        case ast.Call():
            yield from _calls(node)
        case ast.Tuple(elts):
            for index, part in enumerate(elts):
                if isinstance(part, ast.Starred):
                    yield ast.Tuple([*elts[:index], *elts[index + 1 :]], node.ctx)
        case ast.Dict(keys, values):
            for index in range(len(keys)):
                yield ast.Dict(
                    [*keys[:index], *keys[index + 1 :]], [*values[:index], *values[index + 1 :]]
                )
        case ast.Attribute(ast.Name(name), member) if name in members:
            others = members[name]
            other = others[(others.index(member) + 1) % len(others)]
            yield ast.Attribute(node.value, other, node.ctx)
    if isinstance(place.parent, ast.If | ast.IfExp | ast.While) and place.field == "test":
        yield from (ast.Constant(True), ast.Constant(False))
    if isinstance(place.parent, ast.comprehension) and place.field == "ifs":
        yield from (ast.Constant(True), ast.Constant(False))


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    args, keywords = node.args, node.keywords
    for index in range(len(keywords)):
        yield ast.Call(node.func, args, [*keywords[:index], *keywords[index + 1 :]])
    for index in range(len(args) - 1):
        swapped = [*args[:index], args[index + 1], args[index], *args[index + 2 :]]
        yield ast.Call(node.func, swapped, keywords)
    if len(args) > 1:
        yield ast.Call(node.func, args[:-1], keywords)
    match node.func:
        case ast.Name(name) if name in OPPOSITES:
            yield ast.Call(ast.Name(OPPOSITES[name], ast.Load()), args, keywords)
        case ast.Attribute(owner, name) if name in OPPOSITES:
            yield ast.Call(ast.Attribute(owner, OPPOSITES[name], ast.Load()), args, keywords)
        case ast.Attribute(owner, "copy"):
            yield owner
    match node.func:
        case ast.Name(name) | ast.Attribute(_, name) if name in IDENTITIES and args:
            yield args[0]
