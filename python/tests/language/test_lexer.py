import ast
import io
import os
import tokenize
import unittest
import warnings

from foretrace.language.errors import ProgramError
from foretrace.language.golden import PROGRAMS
from foretrace.language.lexer import Field, lex, normalise_source
from foretrace.language.strings import escape_text, literal_repr

MODULES = ("argparse.py", "ast.py", "dataclasses.py", "enum.py", "fractions.py", "functools.py", "statistics.py",
           "textwrap.py", "typing.py", "json/decoder.py", "asyncio/tasks.py", "inspect.py", "_pydecimal.py")


def reference(source: str) -> list[tuple]:
    """The tokens of the standard library's tokenizer; an f-string of 3.12 and later is put together again."""
    out: list[tuple] = []
    level, depth = 0, 0
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            depth += 1
            if depth == 1:
                start = token.start
        elif kind == "FSTRING_END":
            depth -= 1
            if depth == 0:
                out.append((_between(lines, start, token.end), *start, level))
        elif depth:
            continue
        elif kind == "INDENT":
            level += 1
        elif kind == "DEDENT":
            level -= 1
        elif kind not in ("ENCODING", "NEWLINE", "NL", "COMMENT", "ENDMARKER"):
            out.append((token.string, *token.start, level))
    return out


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    (a, left), (b, right) = start, end
    if a == b:
        return lines[a - 1][left:right]
    return "\n".join([lines[a - 1][left:], *lines[a:b - 1], lines[b - 1][:right]])


class Lexer(unittest.TestCase):
    def compare(self, source: str) -> int:
        found = [(token.text, token.line, token.column, token.level) for token in lex(source)]
        self.assertEqual(found, reference(source))
        return len(found)

    def test_agrees_with_the_standard_tokenizer_on_the_standard_library(self):
        count = 0
        for name in MODULES:
            path = os.path.join(os.path.dirname(os.__file__), name)
            with open(path, encoding="utf-8") as file, self.subTest(name):
                count += self.compare(normalise_source(file.read()))
        self.assertGreater(count, 20_000)

    def test_agrees_with_the_standard_tokenizer_on_the_golden_programs(self):
        for source, _ in PROGRAMS:
            try:
                ast.parse(source)
            except SyntaxError:
                continue
            if source.isascii():  # names in form NFKC differ on purpose
                with self.subTest(source):
                    self.compare(source)

    def test_f_string_parts(self):
        (token,) = lex("""f'a\\n{x!r:>{w}}{{}}{ d["k"] = }{y=:4}{a != b}{a:=3}'""")
        parts = [part if isinstance(part, str) else
                 (" ".join(t.text for t in part.tokens), part.conversion,
                  part.spec and [s.tokens[0].text if isinstance(s, Field) else s for s in part.spec])
                 for part in token.parts]
        self.assertEqual(parts, ["a\n", ("x", "r", [">", "w"]), "{", "}", ' d["k"] = ', ('d [ "k" ]', "r", None),
                                 "y=", ("y", "", ["4"]), ("a != b", "", None), ("a", "", ["=3"])])

    def test_f_string_may_nest_its_own_quotes(self):
        tokens = lex("f'{f'{x['k']}'}' + y")
        self.assertEqual([token.kind for token in tokens], ["fstring", "operator", "name"])
        self.assertEqual(tokens[0].parts[0].tokens[0].kind, "fstring")

    def test_raw_f_string_keeps_backslashes(self):
        (token,) = lex(r"rf'\n\'{x}\{{'")
        self.assertEqual([p for p in token.parts if isinstance(p, str)], ["\\n\\'", "\\", "{"])

    def test_names_are_normalised_and_lines_counted(self):
        tokens = lex("Ａ = '''x\ny''' + \\\n  ﬁ # c\n\nz")
        self.assertEqual([(t.text, t.line, t.column, t.logical) for t in tokens if t.kind == "name"],
                         [("A", 1, 0, 0), ("fi", 3, 2, 0), ("z", 5, 0, 1)])

    def test_what_is_no_token_is_a_coded_error(self):
        for source in ("x = $", "x = 'a\n", "f'{x'", "f'abc", "f'{x:>'", "`"):
            with self.subTest(source), self.assertRaises(ProgramError) as caught:
                lex(source)
            self.assertEqual(caught.exception.code, "invalid_python")


class Strings(unittest.TestCase):
    def test_literals_have_the_value_cpython_gives_them(self):
        cases = [r"'\x41\101\u00e9\U0001f600\a\b\f\n\r\t\v\\\'\"'", r"'\q\8'", r'"\0\01\777"', r"r'\n\''",
                 r"b'\x00\377\u\N'",
                 r"Rb'\n'", "'''a\n'b\\\nc'''", r"u'é'", r"b'\777'", "''", '""""""', r"'\ud800'"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for text in cases:
                value = ast.literal_eval(text)
                expected = repr(value)[1:] if isinstance(value, bytes) else repr(value)
                with self.subTest(text):
                    self.assertEqual(literal_repr(text), expected)

    def test_named_escape_is_refused(self):
        with self.assertRaises(ProgramError) as caught:
            literal_repr(r"'\N{BULLET}'")
        self.assertEqual(caught.exception.code, "invalid_python")
        self.assertEqual(literal_repr(r"r'\N{BULLET}'"), repr(r"\N{BULLET}"))

    def test_escaped_text_has_bare_quotes(self):
        self.assertEqual(escape_text("a'b\"c\\d\n\x7f\u200bé"), "a'b\"c\\\\d\\n\\x7f\\u200bé")


if __name__ == "__main__":
    unittest.main()
