import ast
import symtable
import sys
import unittest

from foretrace.language import tokens as T
from foretrace.language.errors import ProgramError
from foretrace.language.golden import PROGRAMS
from foretrace.language.program import Program
from foretrace.language.scopes import analyse

from .support import runs


def names(program: Program) -> str:
    return " ".join(T.to_names(program.tokens))


def symbol_tables(table: symtable.SymbolTable, out: list) -> list:
    """(name, local and free names) of every function, lambda and generator expression CPython sees."""
    for child in table.get_children():
        if child.get_type() == "function":
            name = {"lambda": "<lambda>", "genexpr": "<genexpr>"}.get(child.get_name(), child.get_name())
            if name not in ("listcomp", "setcomp", "dictcomp"):
                held = {s.get_name() for s in child.get_symbols() if s.is_local() or s.is_free() or s.is_parameter()}
                out.append((name, sorted(held - {".0", "__class__"})))
        symbol_tables(child, out)
    return out


class AgainstCPython(unittest.TestCase):
    """The static analysis against real runs and CPython's own symbol tables."""

    def test_every_event_is_on_a_line_of_its_scope(self):
        count = 0
        for program, trace, annotated in runs():
            for event, scope in zip(trace.events, annotated.scopes):
                line = program.code_line_of(event.line)
                with self.subTest(call=program.call, event=event):
                    self.assertIsNotNone(scope)
                    self.assertEqual(scope.name, event.function.rpartition(".")[2])
                    legal = {"call": scope.call_lines, "line": scope.lines}.get(
                        event.event, (*scope.lines, *scope.call_lines))
                    self.assertIn(line, legal)
                    self.assertLessEqual(set(event.locals), set(scope.names))
                count += 1
        self.assertGreater(count, 800)

    @unittest.skipIf(sys.version_info >= (3, 12), "its symbol tables put a comprehension's variables in the function")
    def test_names_are_those_of_the_symbol_tables(self):
        for source, _ in PROGRAMS:
            try:
                tree = ast.parse(source)
            except SyntaxError:
                continue
            expected = symbol_tables(symtable.symtable(source, "golden", "exec"), [])
            found = [(scope.name, sorted(scope.names)) for scope in analyse(tree).scopes]
            with self.subTest(source):
                self.assertEqual(sorted(found), sorted(expected))

    def test_scope_numbers_follow_the_source(self):
        program = Program.parse("@d(lambda: 1)\ndef f(x):\n  return [lambda: x, (y for y in x)]\n", "f(1)")
        self.assertEqual([scope.name for scope in program.scopes], ["f", "<lambda>", "<lambda>", "<genexpr>"])
        self.assertEqual([scope.first_line for scope in program.scopes], [1, 1, 3, 3])
        self.assertEqual([scope.parent for scope in program.scopes], [None, None, 0, 0])


class Tokens(unittest.TestCase):
    def test_words_bound_by_the_program_are_slots_everywhere(self):
        program = Program.parse("import math\ndef f(count):\n  return count.count(math.pi)\n", "f([1])")
        self.assertEqual(names(program),
                         "<|program|> <|L1|> <|I0|> <|w:import|> <|w:math|> <|L2|> <|I0|> <|w:def|> <|v0|> ( "
                         "<|v1|> ) : <|L3|> <|I1|> <|w:return|> <|v1|> . <|v1|> ( <|w:math|> . <|w:pi|> ) <|entry|> "
                         "<|v0|> ( [ 1 ] )")
        self.assertEqual(program.slots, {"f": T.SLOT_BASE, "count": T.SLOT_BASE + 1})

    def test_module_level_bindings_and_methods(self):
        program = Program.parse("key = 1\nclass A:\n  def pop(self):\n    pop = 2\n  def __init__(self): pass\n"
                                "def f(): return [get for get in ()]\n", "f()")
        self.assertEqual(sorted(program.slots), ["A", "f", "key", "pop", "self"])

    def test_docstrings_comments_and_blank_lines_are_no_code_lines(self):
        program = Program.parse('"""m"""\n\n# c\ndef f():\n  "doc" \'more\'\n  x = """a\nb""" + (\n   "c")\n  "kept"\n'
                                '  if x:\n    "kept too"\n', "f()")
        self.assertEqual(program.code_lines, [4, 6, 7, 8, 9, 10, 11])
        self.assertEqual(program.code_line_of(5), 4)
        self.assertEqual(program.code_line_of(1), 4)
        self.assertEqual(program.line_of_token(program.line_token(8)), 8)
        self.assertIsNone(program.line_of_token(T.LINE_BASE + 7))
        self.assertIsNone(program.line_of_token(T.LINE_BASE - 1))

    def test_f_string_tokens(self):
        program = Program.parse("def f(x):\n  return f'a\\'{x!r:>{x}}{{' f\"{x = }\"\n", "f(1)")
        self.assertIn("<|fstring|> a ' { <|v1|> ! r : > { <|v1|> } } { { <|fend|> <|fstring|> x   =   { <|v1|> ! r } <|fend|>",
                      names(program))

    def test_loops(self):
        program = Program.parse("def f(a):\n  for x in a:\n    for y in (\n      a):\n      g = lambda: [\n        a]\n"
                                "  else:\n    pass\n", "f(1)")
        scope, inner = program.scopes
        self.assertEqual(scope.loops, {2: (2,), 3: (2, 3), 4: (2, 3), 5: (2, 3)})
        self.assertEqual((inner.lines, inner.loops), ((5, 6), {}))

    def test_scope_of_a_frame(self):
        program = Program.parse("def f(a):\n  return (lambda b: b)((lambda c: c)(a))\ndef g(): return (lambda d: d)(1)\n", "f(1)")
        found = {names: program.scope_of_call(2, "<lambda>", names).names for names in (("b",), ("c",))}
        self.assertEqual(found, {("b",): ("b",), ("c",): ("c",)})
        self.assertEqual(program.scope_of_call(3, "g").name, "g")
        self.assertEqual(program.scope_of_call(3, "<lambda>").names, ("d",))
        self.assertIsNone(Program.parse("x = 1\n", "f()").scope_of_call(1))
        self.assertEqual(program.scope_of_state(2, ["a"]).name, "f")
        self.assertEqual(program.scope_of_state(2, ["c"]).names, ("c",))
        self.assertEqual(program.scope_of_state(3, ["d"]).names, ("d",))

    def test_errors_have_codes_and_places(self):
        cases = [("def f(:\n  pass", "f()", "invalid_python", 1), ("x = 1", "x", "invalid_entry", None),
                 ("x = 1", "f(", "invalid_entry", None), ("x = 1", "", "invalid_entry", None),
                 ("x = 1\0", "f()", "invalid_python", None), ("pass\n" * 161, "f()", "program_too_long", 161),
                 ("".join(f"x{i} = 1\n" for i in range(161)), "f()", "program_too_long", 161),
                 ("type X = int\n", "f()", "invalid_python", None),
                 ("x = '\\N{BULLET}'", "f()", "invalid_python", None),
                 ("x = " + "(" * 5000 + ")" * 5000, "f()", "invalid_python", None)]
        for source, call, code, line in cases:
            with self.subTest(code=code, source=source[:20]), self.assertRaises(ProgramError) as caught:
                Program.parse(source, call)
            self.assertEqual(caught.exception.code, code)
            if line is not None:
                self.assertEqual(caught.exception.line, line)

    def test_limits_are_exact(self):
        Program.parse("pass\n" * 160, "f()")
        Program.parse("\n".join(f"x{k} = {k}" for k in range(79)), "f()")
        with self.assertRaises(ProgramError) as caught:
            Program.parse("\n".join(f"x{k} = {k}" for k in range(80)), "f()")
        self.assertEqual(caught.exception.code, "too_many_names")


if __name__ == "__main__":
    unittest.main()
