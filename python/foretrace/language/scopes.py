"""Scopes of a program from its syntax tree: names, executable lines, loops (docs/trace-language.md, section 3)."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Callable, Optional


@dataclass
class Scope:
    """A function, lambda or generator expression. Lines are physical, as the syntax tree has them."""

    name: str  # as CPython names its code: the function's name, <lambda> or <genexpr>
    order: tuple[int, int]  # line and column of the first token, for the order of scopes
    first_line: int
    last_line: int
    parent: Optional["Scope"]
    is_generator: bool = False
    names: set[str] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    call_lines: set[int] = field(default_factory=set)
    loops: list[tuple[int, int]] = field(default_factory=list)  # (line of `for`, last line of its body), in source order


@dataclass
class _Block:
    """A place where names live: what CPython's symbol table calls a block. Only some blocks are scopes."""

    kind: str  # module, class, function, generator (expression), comprehension
    parent: Optional["_Block"]
    scope: Optional[Scope]  # the scope whose frame runs the block's own expressions; None: not traced
    bound: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)  # bound once more, or imported
    reads: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    children: list["_Block"] = field(default_factory=list)


@dataclass
class Analysis:
    """All scopes in source order, the names that module level binds otherwise than by `import`, and of these the ones that are bound once and
    in no other place."""

    scopes: list[Scope]
    module_names: set[str]
    kept_names: set[str]


def analyse(tree: ast.Module) -> Analysis:
    """The scopes of a parsed module."""
    visitor = _Visitor()
    module = _Block("module", None, None)
    visitor.block = module
    visitor.body(tree.body, documented=True)
    _resolve(module, frozenset())
    for block, scope in visitor.owned:
        scope.names = block.reads  # local and free names, since _resolve
    scopes = sorted((scope for _, scope in visitor.owned), key=lambda scope: scope.order)  # stable: outer before inner
    declared = set().union(*(block.globals & block.bound for block, _ in visitor.owned)) if visitor.owned else set()
    return Analysis(scopes, module.bound | declared, module.bound - module.rebound - visitor.bound_inside)


def _resolve(block: _Block, visible: frozenset[str]) -> set[str]:
    """Finds the free names of `block`, bottom up; leaves local and free names together in `block.reads`.

    `visible`: names bound in the function-like blocks around it.
    """
    local = block.bound - block.globals - block.nonlocals
    needed = ((block.reads | block.nonlocals) - local - block.globals) & visible
    is_function = block.kind not in ("module", "class")
    inner = frozenset((visible | local) - block.globals) if is_function else visible
    for child in block.children:
        found = _resolve(child, inner)
        needed |= (found - local) if is_function else found
    needed &= visible
    block.reads = local | needed
    return needed


class _Visitor:
    """Walks the tree once. `self.block` is where names are bound; its scope is where lines count."""

    def __init__(self) -> None:
        self.block: _Block = _Block("module", None, None)
        self.owned: list[tuple[_Block, Scope]] = []
        self.bound_inside: set[str] = set()  # anywhere but at module level

    def visit(self, node: ast.AST) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.generic(node)

    def generic(self, node: ast.AST) -> None:
        line = getattr(node, "lineno", None)
        if line is not None:
            self.stop(line)
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, ast.AST):
                self.visit(child)
            elif type(child) is list:
                for item in child:
                    if isinstance(item, ast.AST):
                        self.visit(item)

    def stop(self, line: int) -> None:
        if self.block.scope is not None:
            self.block.scope.lines.add(line)

    def body(self, statements: list[ast.stmt], documented: bool = False) -> None:
        """Statements of a block; a first statement that is a docstring runs nothing."""
        for index, statement in enumerate(statements):
            if index == 0 and documented and isinstance(statement, ast.Expr):
                value = statement.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    if len(statements) == 1:  # then the function returns from this line
                        self.stop(statement.lineno)
                    continue
            self.visit(statement)

    def each(self, nodes: list) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def bind(self, name: str) -> None:
        self.bind_in(self.block, name)

    def bind_in(self, block: _Block, name: str) -> None:
        (block.rebound if name in block.bound else block.bound).add(name)
        if block.kind != "module":
            self.bound_inside.add(name)

    def open(self, kind: str, scope: Optional[Scope]) -> _Block:
        block = _Block(kind, self.block, scope)
        self.block.children.append(block)
        return block

    # Definitions.

    def function(self, node: "ast.FunctionDef | ast.AsyncFunctionDef") -> None:
        decorators = node.decorator_list
        first = decorators[0].lineno if decorators else node.lineno
        self.stop(node.lineno)
        self.each(decorators)
        self.outside(node.args)
        if node.returns is not None:
            self.visit(node.returns)
        self.bind(node.name)
        scope = Scope(node.name, (first, node.col_offset), first, node.end_lineno, self.block.scope,
                      is_generator=isinstance(node, ast.AsyncFunctionDef))
        self.inside(scope, node.args, lambda: self.body(node.body, documented=True))

    def lambda_(self, node: ast.Lambda) -> None:
        self.stop(node.lineno)
        self.outside(node.args)
        scope = Scope("<lambda>", (node.lineno, node.col_offset), node.lineno, node.end_lineno, self.block.scope)
        # The tracer gives all of a lambda its position; CPython takes the last line for attributes.
        scope.lines |= {node.lineno, node.end_lineno}
        self.inside(scope, node.args, lambda: self.visit(node.body))

    def outside(self, arguments: ast.arguments) -> None:
        """Defaults and annotations run in the scope around the function."""
        self.each(arguments.defaults)
        self.each(arguments.kw_defaults)
        for argument in _parameters(arguments):
            if argument.annotation is not None:
                self.visit(argument.annotation)

    def inside(self, scope: Scope, arguments: ast.arguments, run: Callable[[], None]) -> None:
        outer, self.block = self.block, self.open("function", scope)
        self.owned.append((self.block, scope))
        scope.call_lines.add(scope.first_line)
        for argument in _parameters(arguments):
            self.bind(argument.arg)
        run()
        self.block = outer

    def class_(self, node: ast.ClassDef) -> None:
        self.stop(node.lineno)
        self.each(node.decorator_list)
        self.each(node.bases)
        self.each(node.keywords)
        self.bind(node.name)
        outer, self.block = self.block, self.open("class", None)
        self.body(node.body, documented=True)
        self.block = outer

    def generator(self, node: ast.GeneratorExp) -> None:
        element, first = node.elt, node.generators[0]
        self.stop(node.lineno)
        # The tracer gives all of a generator expression the position of its element, also where it is made.
        ends = {element.lineno, element.end_lineno}
        for end in ends:
            self.stop(end)
        self.visit(first.iter)
        line = node.lineno  # of the opening bracket
        scope = Scope("<genexpr>", (line, node.col_offset), line, node.end_lineno, self.block.scope, True)
        scope.call_lines |= {line, element.lineno}  # resumed at the first by CPython 3.11, at the second by later ones
        scope.lines |= {line, *ends}
        if len(node.generators) == 1 and not first.is_async and node.lineno == node.end_lineno:
            scope.loops.append((line, line))
        outer, self.block = self.block, self.open("generator", scope)
        self.owned.append((self.block, scope))
        self.clauses(node.generators)
        self.visit(element)
        self.block = outer

    def comprehension(self, node: "ast.ListComp | ast.SetComp | ast.DictComp") -> None:
        self.stop(node.lineno)
        self.stop(node.end_lineno)  # the tracer gives all of it one position, of which CPython takes this line for attributes
        self.visit(node.generators[0].iter)
        outer, self.block = self.block, self.open("comprehension", self.block.scope)
        self.clauses(node.generators)
        self.each([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        self.block = outer

    def clauses(self, generators: list[ast.comprehension]) -> None:
        """The `for` clauses; the first iterable was visited outside."""
        for index, clause in enumerate(generators):
            if clause.is_async:
                self.resume(clause.target.lineno)
            if index:
                self.visit(clause.iter)
            self.visit(clause.target)
            self.each(clause.ifs)

    # Statements and expressions with a meaning of their own.

    def for_(self, node: "ast.For | ast.AsyncFor") -> None:
        if self.block.scope is not None:
            self.block.scope.loops.append((node.lineno, node.body[-1].end_lineno))
        if isinstance(node, ast.AsyncFor):
            self.resume(node.lineno)
        self.generic(node)

    def async_with(self, node: ast.AsyncWith) -> None:
        self.resume(node.lineno)
        self.generic(node)

    def yield_(self, node: "ast.Yield | ast.YieldFrom | ast.Await") -> None:
        self.resume(node.lineno)
        self.generic(node)

    def resume(self, line: int) -> None:
        scope = self.block.scope
        if scope is not None:
            scope.is_generator = True
            scope.call_lines.add(line)

    def name(self, node: ast.Name) -> None:
        self.stop(node.lineno)
        if isinstance(node.ctx, ast.Load):
            self.block.reads.add(node.id)
        else:
            self.bind(node.id)

    def walrus(self, node: ast.NamedExpr) -> None:
        """Inside comprehensions and generator expressions `:=` binds in the block around them all."""
        self.stop(node.lineno)
        self.visit(node.value)
        self.stop(node.target.lineno)
        block = self.block
        while block.kind in ("comprehension", "generator") and block.parent is not None:
            block.nonlocals.add(node.target.id)
            block = block.parent
        self.bind_in(block, node.target.id)

    def attribute(self, node: ast.Attribute) -> None:
        self.stop(node.end_lineno)  # CPython gives a method call the line of the method's name
        self.generic(node)

    def import_(self, node: "ast.Import | ast.ImportFrom") -> None:
        self.stop(node.lineno)
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            if self.block.kind == "module":
                self.block.rebound.add(name)
            elif name != "*":
                self.bind(name)

    def global_(self, node: ast.Global) -> None:
        self.block.globals.update(node.names)

    def nonlocal_(self, node: ast.Nonlocal) -> None:
        self.block.nonlocals.update(node.names)

    def named(self, node: "ast.ExceptHandler | ast.MatchAs | ast.MatchStar") -> None:
        if node.name is not None:
            self.bind(node.name)
        self.generic(node)

    def mapping(self, node: "ast.MatchMapping") -> None:
        if node.rest is not None:
            self.bind(node.rest)
        self.generic(node)


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    rest = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return arguments.posonlyargs + arguments.args + arguments.kwonlyargs + rest


_HANDLERS: dict[type, Callable] = {
    ast.FunctionDef: _Visitor.function, ast.AsyncFunctionDef: _Visitor.function, ast.Lambda: _Visitor.lambda_,
    ast.ClassDef: _Visitor.class_, ast.GeneratorExp: _Visitor.generator, ast.ListComp: _Visitor.comprehension,
    ast.SetComp: _Visitor.comprehension, ast.DictComp: _Visitor.comprehension, ast.For: _Visitor.for_,
    ast.AsyncFor: _Visitor.for_, ast.AsyncWith: _Visitor.async_with, ast.Yield: _Visitor.yield_,
    ast.YieldFrom: _Visitor.yield_, ast.Await: _Visitor.yield_, ast.Name: _Visitor.name,
    ast.NamedExpr: _Visitor.walrus, ast.Attribute: _Visitor.attribute, ast.Import: _Visitor.import_,
    ast.ImportFrom: _Visitor.import_, ast.Global: _Visitor.global_, ast.Nonlocal: _Visitor.nonlocal_,
    ast.ExceptHandler: _Visitor.named, ast.MatchAs: _Visitor.named, ast.MatchStar: _Visitor.named,
    ast.MatchMapping: _Visitor.mapping,
}
