"""The statements that drills ask for, by kind of the value that they begin with: templates as those of quiz_templates.py, and t, u: names to assign to.

{a} is always a name.
"""

from __future__ import annotations

_INTEGER = (
    "{a} += {c}", "{a} -= {c}", "{a} *= {d}", "{a} //= {d}", "{a} %= {d}", "{a} += {b}", "{a} -= {b}", "{a} -= 1", "{a} += 1",
    "{t} = {a} + {b}", "{t} = {a} - {b}", "{t} = {a} * {b}", "{t} = {a} * {d}", "{t} = {a} // {d}", "{t} = {a} % {d}", "{t} = {a} + {n}",
    "{t}, {u} = divmod({a}, {d})", "{t} = {u} = {a}", "{a} = {t} = {n}", "{t}, {u} = {b}, {a}", "{a}, {t} = {b}, {a} + {b}", "{a}, {t} = {t}, {a}",
    "{t} = min({a}, {b})", "{t} = max({a}, {b})", "{a} = max({a}, {n})", "{a} = -{a}", "{a} |= {d}", "{a} &= {n}", "{a} ^= {b}", "{a} <<= 1",
    "{a} >>= 1", "{t} = [{a}] * {d}", "{t} = [0] * {w}", "{t} = [{m}] * ({d} + {d})", "{t} = [[{m}] * {d}] * 2", "{t} = {a} / {d}", "{t} = str({a})",
    "{a} **= 2", "{t} = {a} <= {b}", "{t} = {a} == {n}", "{t} = ({a}, {b})", "{t} = {{{a}: {b}}}", "{t} = {a} - {n}", "{a} = {a} * {d} + {c}",
)
_FLOAT = (
    "{a} += {c}", "{a} -= {b}", "{a} *= 2", "{a} /= 2", "{t} = {a} + {b}", "{t} = {a} - {c}", "{t} = {a} * {d}", "{t} = round({a}, 1)",
    "{t} = int({a})", "{t}, {u} = {b}, {a}", "{t} = {u} = {a}", "{a} += {b}", "{t} = {a} < {n}",
)
_LIST = (
    "{a}.append({e})", "{a}.append({n})", "{a}.sort()", "{a}.sort(reverse=True)", "{a}.reverse()", "{a}.insert({i}, {e})", "{a}.insert(0, {n})",
    "{a}.insert(-{d}, {e})", "{a}.extend({b})", "{a}.extend([{e}, {e}])", "{a}.pop()", "{a}.pop(0)", "{a}.pop({i})", "{t} = {a}.pop()", "{t} = {a}.pop({i})",
    "{a}.remove({e})", "{a}.clear()", "{a}[{i}] = {e}", "{a}[{i}] = {n}", "{a}[{j}] = {a}[{i}]", "{a}[{i}] += {c}", "{a}[{i}] -= 1",
    "{a}[{i}], {a}[{j}] = {a}[{j}], {a}[{i}]", "del {a}[{i}]", "del {a}[{i}:]", "{a} += [{e}]", "{a} += {b}", "{a}[{i}:{j}] = [{e}]", "{a}[:{i}] = []",
    "{t} = {a}[::-1]", "{t} = {a}[1:]", "{t} = {a}[{i}:{j}]", "{t} = sorted({a})", "{t} = sorted({a}, reverse=True)", "{t} = {a} + {b}", "{t} = {a} * 2",
    "{a} *= 2", "{t} = {a}[:]", "{t} = {a}[{i}]", "{a}[{i}] = {a}[{j}] = {e}", "{t}, {u} = {b}, {a}", "{t}, *{u} = {a}", "{t} = {u} = {a}",
    "{t} = list(reversed({a}))", "{t} = len({a})", "{t} = sum({a})", "{t} = max({a})", "{t} = min({a})", "{t} = {a}.index({e})", "{t} = set({a})",
    "{t} = [{v} for {v} in {a} if {v} != {e}]", "{a}[{i}] *= {d}", "{t} = {a}.copy()", "{t} = tuple({a})", "{a}[-{d}] = {n}",
)
_TUPLE = (
    "{t} = {a} + ({e},)", "{t} = {a}[{i}]", "{t} = list({a})", "{t} = sorted({a})", "{t} = {a}[::-1]", "{t} = {u} = {a}", "{t} = {a}[{i}:]", "{t} = max({a})",
    "{a}[{i}] = {e}", "{t} = {a} * 2", "{t} = sum({a})", "{t}, {u} = {a}",
)
_TEXT = (
    "{a} += {e}", "{t} = {a} + {b}", "{t} = {a}[{i}:]", "{t} = {a}[:{i}]", "{t} = {a}[::-1]", "{t} = {a}[1:]", "{t} = {a}[:-1]", "{t} = {a}[{i}]",
    "{t} = {a}.upper()", "{t} = {a}.lower()", "{t} = {a}.replace({e}, '-')", "{t} = {a}.strip()", "{t} = {a}.split({e})", "{t} = list({a})",
    "{t} = {a} * 2", "{a} = {e} + {a}", "{t}, {u} = {b}, {a}", "{t} = {u} = {a}", "{t} = {a}[{i}:{j}]", "{t} = {a}[::2]", "{t} = {a}[1::2]",
    "{t} = {a}.title()", "{t} = {a}.swapcase()", "{t} = {a}.casefold()", "{t} = {a}.zfill({w})", "{t} = {a}.rjust({w}, '0')", "{t} = {a}.ljust({w}, '*')",
    "{t} = sorted({a})", "{t} = ''.join(reversed({a}))", "{t} = {a}.count({e})", "{t} = {a}.find({e})", "{t} = len({a})", "{t} = set({a})",
    "{t} = f'{{{a}}}-{{{b}}}'", "{t} = {a}.capitalize()", "{a}[{i}] = {e}", "{t} = {a}.join(['a', {e}])", "{t} = {a}.partition({e})",
    "{t} = min({a}, {b})", "{t} = max({a})", "{a} *= {d}",
)
_MAPPING = (
    "{a}[{k}] = {n}", "{a}[{k}] += {c}", "{a}[{k}] = {a}.get({k}, 0) + 1", "del {a}[{k}]", "{a}.pop({k})", "{a}.pop({k}, None)", "{t} = {a}.pop({k})",
    "{a}.update({{{k}: {n}}})", "{a}.update({b})", "{a}.setdefault({k}, {n})", "{t} = {a}.setdefault({k}, [])", "{a}.clear()", "{a}.popitem()",
    "{t} = {a}[{k}]", "{t} = {a}.get({k})", "{t} = list({a})", "{t} = sorted({a})", "{t} = list({a}.items())", "{t} = list({a}.values())",
    "{t} = {{**{a}, {k}: {n}}}", "{t} = {{{u}: {t} for {t}, {u} in {a}.items()}}", "{t} = {a}.copy()", "{t} = {a} | {b}", "{a}[{k}] -= 1", "{t}, {u} = {b}, {a}",
    "{t} = {u} = {a}", "{t} = len({a})", "{a}[{k}] = [{n}]", "{t} = dict({a})", "{t} = sum({a}.values())",
)
_SET = (
    "{a}.add({e})", "{a}.add({n})", "{a}.discard({e})", "{a}.remove({e})", "{a}.update([{e}, {n}])", "{a}.clear()", "{a} |= {b}", "{a} &= {b}",
    "{a} -= {b}", "{a} ^= {b}", "{t} = {a} | {b}", "{t} = {a} & {b}", "{t} = {a} - {b}", "{t} = {a} ^ {b}", "{t} = sorted({a})", "{t} = {a} | {{{n}}}",
    "{t} = {a}.union({b})", "{t} = {a}.difference({b})", "{t} = {a}.symmetric_difference({b})", "{t} = len({a})", "{t} = {u} = {a}", "{t} = {a}.copy()",
)
_TRUTH = ("{a} = not {a}", "{t} = {a} and {b}", "{t} = {a} or {b}", "{t}, {u} = {b}, {a}", "{t} = {u} = {a}", "{t} = int({a})")
_NOTHING = ("{a} = {n}", "{t} = {u} = {a}", "{t} = {a} or {n}", "{t} = {a} is None")
STATEMENTS = {"int": _INTEGER, "float": _FLOAT, "list": _LIST, "tuple": _TUPLE, "str": _TEXT, "dict": _MAPPING, "set": _SET, "bool": _TRUTH,
              "none": _NOTHING}
