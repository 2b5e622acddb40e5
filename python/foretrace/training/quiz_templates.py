"""The operations that quizzes ask for, by kind of value: templates whose fields `quiz.drawn` fills in.

a, b: operands of the kind. c, d: small numbers, d at least 2. n, o: numbers near the first operand, or near its size. m: 0 or 1. e, k: something that
may or may not be in it. i, j: indices. v: the variable of a comprehension. w: a width. xs: a list.
"""

from __future__ import annotations

import re

_COMPARED = (
    "{a} == {n}", "{a} != {n}", "{a} < {n}", "{a} <= {n}", "{a} > {n}", "{a} >= {n}", "{a} == {b}", "{a} < {b}", "{a} > {b}",
    "{a} <= {b}", "not {a}", "{a} % {d} == {m}", "{n} <= {a} < {o}", "{a} > {n} and {b} < {o}", "{a} < {n} or {b} == {o}", "{a} in {xs}",
    "{a} not in {xs}", "{a} != {b}",
)
_INTEGER = _COMPARED + (
    "{a} + {c}", "{a} - {c}", "{a} + {b}", "{a} - {b}", "{a} * {c}", "{a} * {b}", "{a} // {d}", "{a} % {d}", "{a} + 1", "{a} - 1",
    "{a} // 2", "{a} % 10", "{a} // 10", "-{a}", "abs({a})", "max({a}, {b})", "min({a}, {n})", "({a} + {b}) // 2", "{a} * {c} + {b}",
    "str({a})", "divmod({a}, {d})", "{a} ** 2", "range({a})", "{xs} + [{a}]", "chr({d} + 97)", "f'{{{a}}}'", "{a} & 1", "{a} >> 1",
    "{a} / {d}", "{a} * {b}", "{a} * {d}", "{a} - {n}", "{a} % {b}", "{a} // {b}", "{a} / {b}", "{a} | {d}", "{a} ^ {d}", "{a} & {b}",
    "~{a}", "1 << {d}", "{a}.bit_length()", "bin({a})", "max({a}, {b}, {n})", "float({a})", "{a} + {n} + {b}", "str({a}).zfill({d})",
    "({a}, {b})", "[{a}, {c}]", "[{a}] * {d}", "[0] * {a}", "[{m}] * ({d} + 1)", "[[0] * {d}] * 2",
)
_FLOAT = (
    "{a} < {n}", "{a} > {b}", "{a} + {c}", "{a} * 2", "{a} == {b}", "int({a})", "round({a}, 1)", "-{a}",
)
_SEQUENCE = (
    "len({a})", "{a}[0]", "{a}[-1]", "{a}[{i}]", "{a}[{i}]", "{a}[{j}]", "{a}[{i}] == {e}", "{a}[{i}] != {a}[{j}]",
    "{a}[{i}] < {a}[{j}]", "{a}[{i}] > {n}", "len({a}) > {n}", "len({a}) == {n}", "len({a}) - 1", "not {a}", "bool({a})", "{e} in {a}",
    "{e} not in {a}", "{a}[1:]", "{a}[:-1]", "{a}[:{i}]", "{a}[{i}:]", "{a}[{i}:{j}]", "{a}[::-1]", "sum({a})", "max({a})", "min({a})",
    "sorted({a})", "{a}.index({e})", "{a}.count({e})", "{a} == {b}", "range(len({a}))", "list(enumerate({a}))", "{a}[{i}] + {c}",
    "set({a})", "{a}[-2]", "{i} < len({a})", "{a} + [{e}]", "[{e}] + {a}", "len({a})", "{a}[::2]", "{a}[-{d}:]", "{a}[:-{d}]",
    "{a}[1::2]", "{a} * 2", "list({a})", "tuple({a})", "list(reversed({a}))", "len(set({a}))", "len({a}[0])",
    "sorted({a}, reverse=True)", "[{v} + 1 for {v} in {a}]", "[{v} * 2 for {v} in {a}]", "[{v} for {v} in {a} if {v} != {e}]",
    "[{v} > {n} for {v} in {a}]", "[{v}[0] for {v} in {a}]", "sum({a}) / len({a})",
)
_TEXT = (
    "len({a})", "{a}[0]", "{a}[-1]", "{a}[{i}]", "{a}[{j}]", "{a}[{i}] == {e}", "{a}[{i}] == {a}[{j}]", "len({a}) > {n}",
    "len({a}) == {n}", "not {a}", "{e} in {a}", "{e} not in {a}", "{a}[1:]", "{a}[:-1]", "{a}[:{i}]", "{a}[{i}:]", "{a}[::-1]",
    "{a} + {e}", "{e} + {a}", "{a} + {b}", "{a} == {b}", "{a} < {b}", "{a}.upper()", "{a}.lower()", "{a}.isdigit()", "{a}.isalpha()",
    "{a}.isupper()", "{a}.startswith({e})", "{a}.endswith({e})", "{a}.split({e})", "{a}.split()", "{a}.replace({e}, '-')",
    "{a}.count({e})", "{a}.find({e})", "{a}.index({e})", "{a} * 2", "list({a})", "{a}.strip()", "ord({a}[0])", "ord({e})",
    "ord({e}) - ord('a')", "{a}.title()", "sorted({a})", "set({a})", "f'{{{a}}}-{{{b}}}'", "{i} < len({a})", "len({a})", "{a}[::2]",
    "{a}[-{d}:]", "{a}[:-{d}]", "{a}[{i}:{j}]", "{a}.zfill({w})", "{a}.rjust({w})", "{a}.ljust({w}, '*')", "{a}.center({w})",
    "{a}.partition({e})", "{a}.swapcase()", "{a}.capitalize()", "{a}.replace({e}, '')", "{a}.isalnum()", "{a}.islower()", "int({a})",
    "{a}.rfind({e})", "{a}.lstrip({e})", "{a}.rstrip()", "{a}.join([{e}, 'b'])", "''.join(sorted({a}))", "{a} + {b} + {e}",
    "[{v} for {v} in {a}]", "[{v} * 2 for {v} in {a}]", "[{v} for {v} in {a} if {v} != {e}]", "tuple({a})", "len(set({a}))",
)
_MAPPING = (
    "{a}[{k}]", "{a}.get({k})", "{a}.get({k}, 0)", "{a}.get({k}, 0) + 1", "{k} in {a}", "{k} not in {a}", "len({a})", "list({a})",
    "sorted({a})", "list({a}.values())", "list({a}.items())", "not {a}", "{a}[{k}] == {n}", "max({a})", "sum({a}.values())",
    "{{**{a}, {k}: {n}}}", "{a}.get({k}, {n})", "min({a})", "[{v} for {v} in {a}]", "{a}[{k}] + 1", "max({a}.values())",
    "sorted({a}.values())", "list({a})[0]", "{a}.get({k}) is None",
)
_SET = (
    "{e} in {a}", "{e} not in {a}", "len({a})", "{a} | {{{e}}}", "{a} - {{{e}}}", "{a} & {{{e}}}", "sorted({a})", "not {a}",
    "{a} == {b}", "max({a})",
)
_TRUTH = (
    "not {a}", "{a} and {b}", "{a} or {b}", "{a} == {b}", "int({a})", "not {a} or {b}",
)
_NOTHING = (
    "{a} is None", "{a} is not None", "not {a}", "{a} or {n}", "{a} == {b}",
)
TEMPLATES = {"int": _INTEGER, "float": _FLOAT, "list": _SEQUENCE, "tuple": _SEQUENCE, "str": _TEXT, "dict": _MAPPING, "set": _SET,
              "bool": _TRUTH, "none": _NOTHING}
_DECIDES = re.compile(r"[<>]|[!=]=|\b(in|not|and|or|is)\b|\.(is|starts|ends)|^bool|% \{d\}$|& 1$|\.get")
DECIDING = {kind: ("{a}", "{a}", *(text for text in templates if _DECIDES.search(text) and " for " not in text))
            for kind, templates in TEMPLATES.items()}
"""Those that are asked in conditions, by kind of value."""
