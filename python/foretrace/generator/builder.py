"""Writing one function: its variables, its lines, and expressions drawn over what is in scope."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import types as T
from .catalogue import BY_RESULT, ON, SAFE_BY_RESULT
from .names import NameBook
from .operations import ATOM, UNARY, Operation
from .values import Pool, literal

Text = tuple[str, int]
"""Source text of an expression and its binding level."""


@dataclass(eq=False)
class Variable:
    """A name in scope. `value` is an argument's value where the generator chose it."""

    name: str
    kind: str
    value: object = None
    type: str = field(init=False)

    def __post_init__(self) -> None:
        self.type = T.type_of(self.kind)


@dataclass(frozen=True)
class Helper:
    """A function of the program that other functions may call: argument kinds, result type, the optional ones' names."""

    name: str
    arguments: tuple[str, ...]
    result: str
    keywords: tuple[tuple[str, str], ...] = ()
    form: str = "{0}({1})"


class Program:
    """What the functions of one program share: random source, values, names, imports.

    `raising` asks for a run that ends in an uncaught exception.
    """

    def __init__(self, rng: random.Random, raising: bool = False) -> None:
        self.rng = rng
        self.raising = raising
        self.pool = Pool(rng)
        self.imports: list[str] = []
        self.globals: set[str] = set()
        self.tags: list[str] = []
        self.helpers: list[Helper] = []
        self.definitions: list[list[str]] = []
        self.uses: list[Callable[[Builder], Variable | None]] = []

    def need(self, module: str | None) -> None:
        for line in (module or "").split("\n"):
            if line and line not in self.imports:
                self.imports.append(line)

    def tag(self, name: str) -> None:
        if name not in self.tags:
            self.tags.append(name)


class Builder:
    """One function being written. Lines carry one tab for each level of nesting."""

    def __init__(self, program: Program, parameter_limit: int = 3) -> None:
        self.program = program
        self.rng = program.rng
        self.pool = program.pool
        self.names = NameBook(program.rng)
        self.names.used.update(program.globals)
        self.parameters: list[Variable] = []
        self.variables: list[Variable] = []
        self.lines: list[str] = []
        self.depth = 1
        self.parameter_limit = parameter_limit
        self.locked: set[str] = set()

    # -- lines ---------------------------------------------------------------------------------------------------

    def emit(self, line: str) -> None:
        self.lines.append("\t" * self.depth + line)

    @contextmanager
    def block(self, header: str):
        """Lines written inside are nested under the header; names first bound inside leave scope afterwards."""
        self.emit(header)
        self.depth += 1
        before = set(self.variables)
        yield
        self.variables = [v for v in self.variables if v in before or v in self.parameters]
        self.depth -= 1

    # -- variables -----------------------------------------------------------------------------------------------

    def parameter(self, kind: str, value: object = None) -> Variable:
        """A new parameter with an argument of the kind."""
        chosen = self.pool.value(kind) if value is None else value
        variable = Variable(self.names.variable(kind), kind, chosen)
        self.parameters.append(variable)
        self.variables.insert(0, variable)
        return variable

    def local(self, kind: str, text: str, name: str | None = None) -> Variable:
        """A new local variable, assigned."""
        variable = Variable(name or self.names.variable(kind), kind)
        self.emit(f"{variable.name} = {text}")
        self.variables.append(variable)
        return variable

    def bind(self, name: str, kind: str) -> Variable:
        """A variable that a header or a target binds."""
        variable = Variable(name, kind)
        self.variables.append(variable)
        return variable

    def of_type(self, type_: str) -> list[Variable]:
        return [variable for variable in self.variables if variable.type == type_]

    def source(self, kind: str) -> Variable:
        """A variable of the kind: one in scope, or a new parameter, or a new local when there are enough parameters."""
        known = [v for v in self.variables if v.kind == kind or v.type == kind]
        if known and self.rng.random() < 0.6:
            return self.rng.choice(known)
        if len(self.parameters) < self.parameter_limit:
            return self.parameter(kind)
        if known:
            return self.rng.choice(known)
        return self.local(kind, self.pool.literal(kind))

    # -- expressions ---------------------------------------------------------------------------------------------

    def leaf(self, kind: str, variable_share: float = 0.8) -> Text:
        """A variable of the type, or a literal."""
        type_ = T.type_of(kind)
        if kind == type_ or kind in ("element", "positive"):
            known = self.of_type(type_) if kind == type_ else [v for v in self.variables if v.kind == kind]
        else:
            known = [v for v in self.variables if v.kind == kind]
        if known and self.rng.random() < variable_share:
            return self.rng.choice(known).name, ATOM
        return self.constant(kind)

    def constant(self, kind: str) -> Text:
        if not self.pool.knows(kind):
            return "None", ATOM
        text = literal(self.pool.value(kind))
        if text[0] == "-":
            return text, UNARY
        # A bare integer before a method's dot would lex as a float.
        return text, UNARY if text[0].isdigit() else ATOM

    def expression(self, kind: str, depth: int = 1, safe: bool = True) -> Text:
        """A random expression of a type; operations whose first argument has no variable in scope are passed over."""
        if depth <= 0 or kind != T.type_of(kind):
            return self.leaf(kind)
        choice = (SAFE_BY_RESULT if safe else BY_RESULT).get(kind)
        if not choice:
            return self.leaf(kind)
        present = {variable.type for variable in self.variables}
        for _ in range(6):
            operation = choice.draw(self.rng)
            if T.type_of(operation.arguments[0]) in present:
                text = self.apply(operation, depth, safe)
                if text is not None:
                    return text
        return self.leaf(kind)

    def apply(self, operation: Operation, depth: int, safe: bool = True) -> Text | None:
        """The operation with drawn arguments; None when the arguments do not fit the template."""
        arguments = []
        formatted = "f'" in operation.pieces[0] if isinstance(operation.pieces[0], str) else False
        for position, kind in enumerate(operation.arguments):
            if position == 0:
                arguments.append(self.receiver(kind, depth, safe) if not formatted else self.leaf(kind, 1.0))
            elif formatted:
                arguments.append(self.leaf(kind, 1.0))
            else:
                text = self.expression(kind, depth - 1 if self.rng.random() < 0.4 else 0, safe)
                arguments.append(self.constant(kind) if text in arguments else text)
        if formatted and any(set(text) & set("'\"\\{") for text, _ in arguments):
            return None
        self.program.need(operation.module)
        return operation.render(arguments), operation.level

    def receiver(self, kind: str, depth: int, safe: bool) -> Text:
        if kind in T.STRICT:
            return self.leaf(kind)
        known = self.of_type(T.type_of(kind))
        # A literal there would make `5 is None`, which Python warns about.
        if known and (kind == T.OPTIONAL_INT or depth <= 1 or self.rng.random() < 0.6):
            return self.rng.choice(known).name, ATOM
        return self.expression(kind, depth - 1, safe)

    def text(self, kind: str, depth: int = 1, safe: bool = True) -> str:
        """Source of a random expression of the kind."""
        return self.expression(kind, depth, safe)[0]

    def condition(self, depth: int = 1) -> str:
        """Source of a random condition over the variables in scope."""
        for _ in range(4):
            text, level = self.expression(T.BOOL, depth)
            if level != ATOM or "(" in text:
                return text
        return text

    def on(self, variable: Variable, result: str, constants: float = 0.6) -> str | None:
        """Source of one operation of the result's type with the variable as first argument; None when there is none.

        `constants` is the share of further arguments that are literals.
        """
        if self.program.helpers and self.rng.random() < 0.45:
            for helper in self.program.helpers:
                if helper.result == result and T.type_of(helper.arguments[0]) == variable.type and helper.arguments[0] not in T.STRICT:
                    return self.call(helper, variable)
        choice = ON.get((variable.type, result))
        if not choice:
            return None
        for _ in range(5):
            operation = choice.draw(self.rng)
            if operation.arguments[0] in T.STRICT and variable.kind != operation.arguments[0]:
                continue
            formatted = isinstance(operation.pieces[0], str) and "f'" in operation.pieces[0]
            arguments: list[Text] = [(variable.name, ATOM)]
            for kind in operation.arguments[1:]:
                text = self.constant(kind) if self.rng.random() < constants else self.expression(kind, 0)
                arguments.append(self.constant(kind) if text in arguments else text)
            if formatted and any(set(text) & set("'\"\\{") for text, _ in arguments):
                continue
            self.program.need(operation.module)
            return operation.render(arguments)
        return None

    def call(self, helper: Helper, first: Variable | None = None) -> str:
        """Source of a call of one of the program's functions."""
        arguments = []
        for position, kind in enumerate(helper.arguments):
            if position == 0 and first is not None:
                arguments.append(first.name)
                continue
            depth = 1 if kind not in T.STRICT and self.rng.random() < 0.3 else 0
            arguments.append(self.expression(kind, depth)[0])
        for name, kind in helper.keywords:
            part = self.rng.random()
            if part < 0.35:
                arguments.append(f"{name}={self.constant(kind)[0]}")
            elif part < 0.5 and name == helper.keywords[0][0]:
                arguments.append(self.constant(kind)[0])
        return helper.form.format(helper.name, ", ".join(arguments))

    def condition_on(self, variable: Variable) -> str:
        """Source of a condition that reads the variable."""
        text = self.on(variable, T.BOOL)
        if text is not None:
            return text
        if variable.type == "Any":
            return f"{variable.name} {self.rng.choice(('is None', 'is not None', '== 0', '!= -1'))}"
        return f"len({variable.name}) > {self.rng.randrange(3)}"
