"""The parts of code lines, held to CPython's syntax trees."""

from __future__ import annotations

import ast
import json
import unittest
import warnings
from random import Random
from typing import Iterator, Optional, Sequence

from foretrace.corpus.programs import drawn
from foretrace.language import tokens as T
from foretrace.language.expression_parts import expression
from foretrace.language.golden import DIRECTORY
from foretrace.language.golden_workings import SOURCES
from foretrace.language.lexer import Token, lex
from foretrace.language.line_parts import line
from foretrace.language.parts import Part
from foretrace.language.writer import CodeWriter

REFUSED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Assert)
HEADS = (ast.If, ast.While, ast.For)
SPACED = "1 .real"
"""Its code tokens are those of `1.real`, which is not read."""
NAMES = "a b c xs len key".split()


class Code:
    """A text of one line as code tokens, and where in the text they stand."""

    def __init__(self, text: str):
        self.lexed: list[Token] = lex(text)
        writer = CodeWriter({token.text for token in self.lexed if token.text in NAMES[:4]})
        self.starts: list[int] = []  # the first code token of each lexical one
        for token in self.lexed:
            self.starts.append(len(writer.out))
            writer.token(token)
        self.starts.append(len(writer.out))
        self.tokens, self.slots = writer.out, writer.slots

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The code tokens of a node of the same text."""
        first = next(k for k, token in enumerate(self.lexed) if token.column == node.col_offset)
        end = next(k for k, token in enumerate(self.lexed) if token.column + len(token.text) == node.end_col_offset)
        return self.starts[first], self.starts[end + 1]

    def before(self, at: int) -> int:
        """The code token at which the lexical token before the one at `at` begins."""
        return self.starts[self.starts.index(at) - 1]


def told(part: Part) -> tuple:
    """A part without what a test of equality does not need."""
    return (part.kind, part.first, part.end, tuple(told(inner) for inner in part.parts), tuple(sorted(part.bound)))


class Expected:
    """What the tree of CPython says the parts of a text are."""

    def __init__(self, code: Code):
        self.code = code

    def part(self, node: ast.AST) -> tuple:
        made = self.inside(node)
        kind, inner, bound = made if len(made) == 3 else (*made, ())
        return (kind, *self.code.span(node), tuple(inner), tuple(sorted(self.code.slots[name] for name in bound)))

    def all(self, nodes: Sequence[Optional[ast.AST]]) -> list[tuple]:
        return [self.part(node) for node in nodes if node is not None]

    def inside(self, node: ast.AST) -> tuple:
        kind = type(node)
        if kind in (ast.BinOp, ast.Compare):
            operands = [node.left, node.right] if kind is ast.BinOp else [node.left, *node.comparators]
            return "binary" if kind is ast.BinOp else "compare", self.all(operands)
        if kind is ast.BoolOp:
            return "and" if isinstance(node.op, ast.And) else "or", self.all(node.values)
        if kind is ast.UnaryOp:
            inner = self.part(node.operand)
            if isinstance(node.op, ast.Not):
                return "not", [inner]
            return ("constant", []) if inner[0] == "constant" else ("unary", [inner])
        if kind is ast.IfExp:
            return "ternary", self.all([node.test, node.body, node.orelse])
        if kind is ast.Call:
            return "call", [self.part(node.func), *self.arguments(node)]
        if kind is ast.Dict:
            return "display", [item for pair in zip(node.keys, node.values) for item in self.pair(*pair)]
        if kind in (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp):
            return self.comprehension(node)
        if kind is ast.Lambda:
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
            return "lambda", [self.part(node.body)], [name.arg for name in every]
        simple = {ast.Constant: ("constant", ()), ast.Name: ("name", ()), ast.JoinedStr: ("text", ()),
                  ast.Attribute: ("attribute", ("value",)), ast.Subscript: ("subscript", ("value", "slice")),
                  ast.Slice: ("slice", ("lower", "upper", "step")),
                  ast.Starred: ("star", ("value",)), ast.keyword: ("keyword" if getattr(node, "arg", 0) else "star", ("value",))}
        if kind in simple:
            name, fields = simple[kind]
            return name, self.all([getattr(node, field) for field in fields])
        return "display", self.all(node.elts)

    def arguments(self, node: ast.Call) -> list[tuple]:
        """An only generator expression shares its brackets with the call, which are then none of its own."""
        given = sorted([*node.args, *node.keywords], key=lambda one: one.col_offset)
        found = self.all(given)
        if len(given) == 1 and isinstance(given[0], ast.GeneratorExp) and given[0].end_col_offset == node.end_col_offset:
            kind, first, end, *rest = found[0]
            return [(kind, first + 1, end - 1, *rest)]
        return found

    def pair(self, key: Optional[ast.expr], value: ast.expr) -> list[tuple]:
        if key is not None:
            return self.all([key, value])
        found = self.part(value)
        return [("star", self.code.before(found[1]), found[2], (found,), ())]

    def comprehension(self, node: ast.expr) -> tuple:
        items = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        clauses = node.generators
        bound = {part.id for clause in clauses for part in ast.walk(clause.target) if isinstance(part, ast.Name)}
        parts = [*(clause.iter for clause in clauses), *items, *(test for clause in clauses for test in clause.ifs)]
        return "generator" if isinstance(node, ast.GeneratorExp) else "comprehension", self.all(parts), bound

    def line(self, node: ast.stmt) -> tuple[list[tuple], list[tuple]]:
        """Values and inner parts of a statement."""
        if isinstance(node, ast.AugAssign):
            return [], [*self.indices(node.target), self.part(node.value)]
        if isinstance(node, (ast.If, ast.While)):
            return [self.part(node.test)], []
        if isinstance(node, ast.Assert):
            return [], [self.part(node.test)]
        if isinstance(node, ast.For):
            return [self.part(node.iter)], []
        if isinstance(node.value, ast.Yield):
            node = node.value
        if node.value is None:
            return [], []
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        return [self.part(node.value)], [index for target in targets for index in self.indices(target)]

    def indices(self, target: ast.expr) -> Iterator[tuple]:
        if isinstance(target, (ast.Tuple, ast.List, ast.Starred)):
            for inner in target.elts if not isinstance(target, ast.Starred) else [target.value]:
                yield from self.indices(inner)
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            yield from self.indices(target.value)
            if isinstance(target, ast.Subscript):
                yield self.part(target.slice)


def is_read(tree: ast.AST) -> bool:
    """Whether the parser means to read all of the tree."""
    for node in ast.walk(tree):
        has_defaults = isinstance(node, ast.Lambda) and (node.args.defaults or any(node.args.kw_defaults))
        if isinstance(node, REFUSED) or has_defaults or (isinstance(node, ast.comprehension) and node.is_async):
            return False
        if isinstance(node, ast.Subscript) and any(isinstance(item, ast.Starred) for item in getattr(node.slice, "elts", ())):
            if node.slice.col_offset == node.value.end_col_offset + 1:
                return False  # `xs[*ys]`, the syntax of 3.11
    return True


def statements(source: str) -> Iterator[tuple[str, ast.stmt]]:
    """Lines that are one simple statement or one head, and their trees."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, SIMPLE) and node.lineno == node.end_lineno:
            text = lines[node.lineno - 1]
            alone = text[:node.col_offset].strip() + text[node.end_col_offset:].split("#")[0].strip()
        elif isinstance(node, HEADS):
            head = node.iter if isinstance(node, ast.For) else node.test
            if not node.body[0].lineno > head.end_lineno == node.lineno:
                continue
            text, alone = lines[node.lineno - 1], ""
        else:
            continue
        if not alone and text.isascii() and ast.get_docstring(ast.Module([node], [])) is None:
            text = text.strip()
            shown = f"{text}\n pass" if isinstance(node, HEADS) else text
            if not shown.startswith("elif"):
                yield text, ast.parse(shown).body[0]
            else:  # as far from the line's start
                yield text, ast.parse(f"if 1: pass\n{shown}").body[0].orelse[0]


class Drawn:
    """Expressions of every kind that is read."""

    def __init__(self, seed: int):
        self.rng = Random(seed)

    def text(self, depth: int) -> str:
        kinds = [self.atom, self.binary, self.unary, self.compared, self.joined, self.ternary, self.called, self.looked_up, self.displayed,
                 self.comprised, self.function, self.bracketed]
        return self.rng.choice(kinds)(depth - 1) if depth else self.atom(0)

    def tight(self, depth: int) -> str:
        """An operand: in brackets wherever it could come apart."""
        text = self.text(depth)
        return text if text.isalnum() and not text[0].isdigit() else f"({text})"

    def space(self) -> str:
        return self.rng.choice(("", " ", " "))

    def atom(self, _: int) -> str:
        return self.rng.choice((*NAMES[:4], *NAMES[:4], "0x1f", "0xe", "1e-5", "2.5E+3", "7", "0", "1_0", "3j", ".5", "'a'", "'it\\'s'",
                                '"]"', "b'\\''", "'a' 'b'", "f'{a}'", "f'{a!r:>{b}}' 'x'", "None", "True", "...", "''"))

    def binary(self, depth: int) -> str:
        sign = self.rng.choice("+ - * / // % @ ** << >> & | ^".split())
        left, right = (self.rng.choice((self.tight, self.plain))(depth) for _ in range(2))
        return f"{left} {sign}{self.space()}{right}"

    def plain(self, depth: int) -> str:
        """An operand without brackets of its own: how tight operators bind decides."""
        if not depth:
            return self.atom(0)
        return self.rng.choice((self.binary, self.unary, self.looked_up, self.called, self.atom))(depth - 1)

    def unary(self, depth: int) -> str:
        return f"{self.rng.choice(('-', '+', '~', '-', '--'))}{self.space()}{self.rng.choice((self.tight, self.plain, self.atom))(depth)}"

    def compared(self, depth: int) -> str:
        out = self.plain(depth)
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            out += f" {self.rng.choice('< > <= >= == != in is'.split() + ['not in', 'is not'])} {self.plain(depth)}"
        return out

    def joined(self, depth: int) -> str:
        out = self.rng.choice(("", "not ", "not not ")) + self.plain(depth)
        for _ in range(self.rng.choice((0, 1, 2, 3))):
            operand = self.rng.choice((self.tight, self.plain, self.compared))(depth)
            out += f" {self.rng.choice(('and', 'or', 'and not', 'or not'))} {operand}"
        return out

    def ternary(self, depth: int) -> str:
        return f"{self.joined(depth)} if {self.joined(depth)} else {self.text(depth)}"

    def called(self, depth: int) -> str:
        given = self.rng.choice((f"{self.text(depth)} for xs in {self.tight(depth)}", ", ".join(
            self.rng.choice(("", "", "*")) + self.text(depth) for _ in range(self.rng.randrange(3)))))
        if " for xs in " not in given or given.count("for xs in") > 1:
            more = self.rng.choice(("key=a", f"key={self.text(depth)}, len=b", "**xs", f"**{self.text(depth)}"))
            given += ("" if not given else ", ") + more
            given = given if " for " not in given else "a"
        return f"{self.tight(depth)}{self.rng.choice(('', '.key', '.a.b'))}({given})"

    def looked_up(self, depth: int) -> str:
        several = [self.rng.choice((self.text(depth), f"{self.tight(depth)}:", f":{self.tight(depth)}", ":", "::", "::-1",
                                    f"a:{self.tight(depth)}:b")) for _ in range(self.rng.choice((1, 1, 1, 2)))]
        return f"{self.tight(depth)}[{', '.join(several)}{self.rng.choice(('', '', '', ','))}]"

    def displayed(self, depth: int) -> str:
        items = [self.text(depth) for _ in range(self.rng.randrange(4))]
        stars = [self.rng.choice(("", "", "*(")) for _ in items]
        shown = ", ".join(f"{star}{item})" if star else item for star, item in zip(stars, items))
        pairs = ", ".join(self.rng.choice((f"{self.text(depth)}: {item}", "**xs")) for item in items)
        return self.rng.choice((f"[{shown}]", f"({shown},)" if items else "()", f"{{{shown}}}" if items else "{}", f"{{{pairs}}}"))

    def comprised(self, depth: int) -> str:
        clauses = " ".join(self.clause(depth) for _ in range(self.rng.choice((1, 1, 2))))
        item = self.text(depth)
        return self.rng.choice((f"[{item} {clauses}]", f"{{{item} {clauses}}}", f"({item} {clauses})",
                                f"{{{item}: {self.text(depth)} {clauses}}}"))

    def clause(self, depth: int) -> str:
        condition = self.rng.choice(("", f" if {self.joined(depth)}"))
        return f"for {self.rng.choice(('a', 'a, b', '(a, *b)', 'a,'))} in {self.joined(depth)}{condition}"

    def function(self, depth: int) -> str:
        return f"(lambda {self.rng.choice(('', 'a', 'a, *b', 'a, /, b, *, c, **xs'))}: {self.text(depth)})"

    def bracketed(self, depth: int) -> str:
        return f"({self.text(depth)})"


class Parts(unittest.TestCase):
    def setUp(self):
        context = warnings.catch_warnings()  # `1if a else b` and the like
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def check_expression(self, text: str) -> bool:
        """Whether CPython reads the text; then the parts are its parts, or there are none where it has what is not read."""
        try:
            tree = ast.parse(text, mode="eval").body
        except SyntaxError:
            return False
        code = Code(text)
        found = expression(code.tokens)
        if is_read(tree):
            self.assertIsNotNone(found, text)
            self.assertEqual(told(found), Expected(code).part(tree), text)
        else:
            self.assertIsNone(found, text)
        return True

    def check_line(self, text: str, node: ast.stmt) -> None:
        code = Code(text)
        found = line(code.tokens)
        yielded = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and text.startswith("yield") else None
        if not is_read(node if yielded is None else yielded.value or ast.Tuple([])):
            self.assertIsNone(found, text)
            return
        self.assertIsNotNone(found, text)
        expected = Expected(code).line(node)
        self.assertEqual(([told(part) for part in found.values], [told(part) for part in found.inner]), expected, text)

    def test_drawn_expressions_are_read_as_python_reads_them(self):
        read = sum(self.check_expression(Drawn(seed).text(seed % 4)) for seed in range(3000))
        self.assertGreater(read, 2400)

    def test_expressions_of_generated_programs_are_read_as_python_reads_them(self):
        texts: dict[str, None] = {}
        for seed in range(90):
            source = drawn(Random(seed), seed / 90).source
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.expr) and node.lineno == node.end_lineno and not isinstance(node, (ast.Starred, ast.Slice)):
                    texts[ast.get_source_segment(source, node) or ""] = None
        self.assertGreater(sum(self.check_expression(text) for text in texts if text.isascii()), 800)

    def test_lines_are_read_as_python_reads_them(self):
        count = 0
        for source in [*SOURCES, *(drawn(Random(seed), seed / 90).source for seed in range(90))]:
            for text, node in statements(source):
                if text == SPACED:
                    continue
                with self.subTest(text):
                    self.check_line(text, node)
                    count += 1
        self.assertGreater(count, 900)

    def test_other_lines_have_no_parts(self):
        for text in ("pass", "del xs[a + 1]", "raise a", "import os", "else:", "try:", "def f(a):", "class A(b):", "with a as b:",
                     "if a: b", "a = 1; b = 2", "a = [", "b + c)", "xs[", "a if b", "match a:", "case a if b:", "return yield", "yield from a", "a = yield", "@a",
                     "lambda a=1: a"):
            writer = CodeWriter({"a", "b", "c", "xs", "f"})
            writer.code(lex(text))
            self.assertIsNone(line(writer.out), text)
        self.assertIsNone(line([]))
        self.assertIsNone(expression([]))

    def test_nothing_that_is_cut_or_mixed_up_fails(self):
        rng = Random(4)
        pool = [code["code"] for code in json.loads((DIRECTORY / "workings.json").read_text(encoding="utf-8"))["trees"]]
        for _ in range(4000):
            code = list(rng.choice(pool))
            for _ in range(rng.randint(1, 3)):
                at = rng.randint(0, len(code))
                code[at:at + rng.randint(0, 2)] = rng.choice(pool)[:rng.randint(0, 4)]
            for found in (expression(code), *((line(code) or ((), ()))[0])):
                self.check_spans(found, 0, len(code))

    def test_brackets_around_a_part_are_known(self):
        code = Code("((a)) + (b, c)[(0)] * (-(a - b))")
        left, right = expression(code.tokens).parts
        names = {token: name for name, token in code.slots.items()}

        def grouped(part: Part) -> str:
            return "".join(names.get(token, T.NAMES[token]) for token in code.tokens[part.begin:part.until])

        self.assertEqual([grouped(part) for part in (left, *right.parts, *right.parts[0].parts, *right.parts[1].parts)],
                         ["((a))", "(b,c)[(0)]", "(-(a-b))", "(b,c)", "(0)", "(a-b)"])

    def check_spans(self, part: Optional[Part], first: int, end: int) -> None:
        """Parts lie within what they are parts of, none of them empty, and only brackets stand around them."""
        if part is not None:
            self.assertTrue(first <= part.begin <= part.first < part.end <= part.until <= end)
            self.assertEqual(part.first - part.begin, part.until - part.end)
            self.assertTrue(first <= part.first < part.end <= end)
            for inner in part.parts:
                self.check_spans(inner, part.first, part.end)

    def test_deep_nesting_and_long_chains_end(self):
        a, plus = T.SLOT_BASE, T.CHARS["+"]
        self.assertEqual(expression([a, *[plus, a] * 5000]).kind, "binary")
        self.assertIsNone(expression([T.CHARS["("]] * 5000 + [a] + [T.CHARS[")"]] * 5000))
        self.assertIsNone(line([T.CHARS["-"]] * 5000 + [a]))


if __name__ == "__main__":
    unittest.main()
