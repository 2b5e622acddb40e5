"""Recursive functions: depth bounded by the size of the argument."""

from __future__ import annotations

from . import types as T
from .builder import Helper, Program
from .functions import claim, define
from .sample import Style

_NAMES = ("count_down", "walk", "recurse", "fold", "depth_of", "total", "step", "build", "solve_rec", "reduce_it",
          "search_in", "power",
          "go", "visit", "descend", "rec")


def recursive(program: Program, style: Style) -> Helper:
    """One recursive helper."""
    made = program.rng.choice((_on_number, _on_number, _on_text, _on_text, _on_list, _on_list, _two_calls, _digits,
                               _nested,
                               _two_arguments, _subsets))(program)
    program.helpers.append(made)
    program.tag("recursion")
    return made


def _on_number(program: Program) -> Helper:
    rng = program.rng
    name, n = claim(program, _NAMES), rng.choice(("n", "k", "x", "num"))
    base = rng.choice((0, 1, 1, 2))
    step = rng.choice((1, 1, 1, 2))
    again = f"{name}({n} - {step})"
    value = rng.choice((f"{n} + {again}", f"{n} * {again}", f"{again} + {rng.randrange(1, 9)}", f"{again} * 2 + 1",
                        f"{n} - {again}",
                        f"{n} % 3 + {again}", f"max({n} % 4, {again})"))
    lines = [f"def {name}({n}):", f"\tif {n} <= {base}:", f"\t\treturn {rng.choice((0, 1, 1, n, 3))}"]
    if rng.random() < 0.3:
        lines += [f"\tif {n} % {rng.choice((2, 3))} == 0:", f"\t\treturn {again}{rng.choice((' - 1', '', ' + ' + n))}"]
    if rng.random() < 0.3:
        local = rng.choice(("rest", "smaller", "sub_result"))
        lines += [f"\t{local} = {again}", f"\treturn {value.replace(again, local)}"]
    else:
        lines.append(f"\treturn {value}")
    define(program, lines)
    return Helper(name, ("shift",), T.INT)


def _on_text(program: Program) -> Helper:
    rng = program.rng
    name, s = claim(program, _NAMES), rng.choice(("s", "text", "word", "t"))
    first, rest = (f"{s}[0]", f"{s}[1:]") if rng.random() < 0.7 else (f"{s}[-1]", f"{s}[:-1]")
    again = f"{name}({rest})"
    test = rng.choice((f"{first}.isdigit()", f"{first} in 'aeiou'", f"{first}.isupper()",
                       f"{first} == {program.pool.character()!r}", f"{first} > 'k'"))
    if rng.random() < 0.5:
        base, values, result = "''", (f"{again} + {first}", f"{first} + {again}", again, f"{first}.upper() + {again}",
                                      f"{first} + '-' + {again}"), T.STR
    else:
        base, values, result = "0", (f"1 + {again}", again, f"{again} + 2", f"{again} * 2",
                                     f"ord({first}) % 7 + {again}"), T.INT
    lines = [f"def {name}({s}):", rng.choice((f"\tif not {s}:", f"\tif {s} == '':", f"\tif len({s}) == 0:")),
             f"\t\treturn {base}"]
    picked = rng.sample(values, 2)
    if rng.random() < 0.6:
        lines += [f"\tif {test}:", f"\t\treturn {picked[0]}"]
    lines.append(f"\treturn {picked[1]}")
    define(program, lines)
    return Helper(name, ("key",), result)


def _on_list(program: Program) -> Helper:
    rng = program.rng
    name, xs = claim(program, _NAMES), rng.choice(("xs", "items", "nums", "lst", "values"))
    again = f"{name}({xs}[1:])"
    if rng.random() < 0.6:
        lines = [f"def {name}({xs}):", f"\tif not {xs}:", f"\t\treturn {rng.choice((0, 0, 1))}"]
        if rng.random() < 0.5:
            lines += [f"\tif {xs}[0] {rng.choice(('% 2 == 0', '> 9', '< 0', '% 3 == 1'))}:",
                      f"\t\treturn {rng.choice((again, f'{again} + 1'))}"]
        lines.append(f"\treturn {rng.choice((f'{xs}[0] + {again}', f'max({xs}[0], {again})', f'{xs}[0] - {again}', f'1 + {again}'))}")
        result = T.INT
    else:
        head, tail = rng.choice((("head", "tail"), ("first", "rest"), ("x", "others")))
        again = f"{name}({tail})"
        lines = [f"def {name}({xs}):", f"\tif len({xs}) < {rng.choice((1, 2))}:", f"\t\treturn {xs}",
                 f"\t{head}, *{tail} = {xs}",
                 f"\treturn {rng.choice((f'{again} + [{head}]', f'[{head}] + {again}', f'[{head} * 2] + {again}', f'{again} + [{head}, {head}]'))}"]
        if rng.random() < 0.35:
            pivot = rng.choice(("pivot", "p", "middle"))
            small, large = rng.choice((("small", "large"), ("less", "more"), ("left", "right")))
            lines = [f"def {name}({xs}):", f"\tif len({xs}) <= 1:", f"\t\treturn {xs}",
                     f"\t{pivot} = {xs}[{rng.choice((0, -1, f'len({xs}) // 2'))}]",
                     f"\t{small} = [x for x in {xs} if x < {pivot}]", f"\t{large} = [x for x in {xs} if x > {pivot}]",
                     f"\treturn {name}({small}) + [{pivot}] + {name}({large})"]
        result = T.LIST_INT
    define(program, lines)
    return Helper(name, ("filled_ints",), result)


def _two_calls(program: Program) -> Helper:
    rng = program.rng
    name, n = claim(program, _NAMES), rng.choice(("n", "k", "i"))
    memo = rng.random() < 0.35
    combined = rng.choice((f"{name}({n} - 1) + {name}({n} - 2)", f"{name}({n} - 1) * 2 + {name}({n} - 2)",
                           f"{name}({n} - 2) - {name}({n} - 1)",
                           f"{name}({n} - 1) + {name}({n} - 2) + 1"))
    if memo:
        store = rng.choice(("memo", "cache_", "known"))
        combined = combined.replace(")", f", {store})")
        lines = [f"def {name}({n}, {store}):", f"\tif {n} in {store}:", f"\t\treturn {store}[{n}]", f"\tif {n} < 2:",
                 f"\t\treturn {rng.choice((n, 1, 2))}",
                 f"\t{store}[{n}] = {combined}", f"\treturn {store}[{n}]"]
        define(program, lines)
        return Helper(name, ("shift",), T.INT, (), "{0}({1}, {{}})")
    decorator = []
    if rng.random() < 0.2:
        program.need("import functools")
        decorator = ["@functools.lru_cache(maxsize=None)" if rng.random() < 0.5 else "@functools.cache"]
    define(program, [*decorator, f"def {name}({n}):", f"\tif {n} < 2:", f"\t\treturn {rng.choice((n, 1))}",
                     f"\treturn {combined}"])
    return Helper(name, ("shift",), T.INT)


def _digits(program: Program) -> Helper:
    rng = program.rng
    name, n = claim(program, _NAMES), rng.choice(("n", "number", "x"))
    base = rng.choice((10, 10, 2))
    again = f"{name}({n} // {base})"
    text = rng.random() < 0.4
    lines = [f"def {name}({n}):", f"\tif {n} < {base}:", f"\t\treturn {f'str({n})' if text else n}"]
    result = f"{again} + str({n} % {base})" if text else rng.choice((
        f"{n} % {base} + {again}", f"max({n} % {base}, {again})", f"{again} * ({n} % {base})", f"{again} + 1"))
    lines.append(f"\treturn {result}")
    define(program, lines)
    return Helper(name, ("positive",), T.STR if text else T.INT)


def _nested(program: Program) -> Helper:
    rng = program.rng
    name, xs, x = claim(program, _NAMES), rng.choice(("nested", "tree", "data")), rng.choice(("x", "item", "part"))
    out = rng.choice(("total", "out", "acc"))
    if rng.random() < 0.5:
        lines = [f"def {name}({xs}):", f"\t{out} = 0", f"\tfor {x} in {xs}:", f"\t\tif isinstance({x}, list):",
                 f"\t\t\t{out} += {name}({x})",
                 "\t\telse:", f"\t\t\t{out} += {rng.choice((x, '1', f'{x} * 2'))}", f"\treturn {out}"]
        result = T.INT
    else:
        lines = [f"def {name}({xs}):", f"\t{out} = []", f"\tfor {x} in {xs}:", f"\t\tif isinstance({x}, list):",
                 rng.choice((f"\t\t\t{out}.extend({name}({x}))", f"\t\t\t{out} += {name}({x})")),
                 "\t\telse:", f"\t\t\t{out}.append({x})", f"\treturn {out}"]
        result = T.LIST_INT
    define(program, lines)
    return Helper(name, (T.MATRIX,), result)


def _two_arguments(program: Program) -> Helper:
    rng = program.rng
    name = claim(program, _NAMES)
    part = rng.random()
    if part < 0.4:
        a, b = rng.choice((("a", "b"), ("x", "y"), ("m", "n")))
        lines = [f"def {name}({a}, {b}):", f"\tif {b} == 0:", f"\t\treturn {a}", f"\treturn {name}({b}, {a} % {b})"]
        kinds = ("positive", "positive")
    elif part < 0.7:
        base, e = rng.choice((("base", "exp"), ("x", "n"), ("b", "e")))
        half = rng.choice(("half", "h", "part"))
        lines = [f"def {name}({base}, {e}):", f"\tif {e} == 0:", "\t\treturn 1", f"\t{half} = {name}({base}, {e} // 2)",
                 f"\tif {e} % 2:", f"\t\treturn {half} * {half} * {base}", f"\treturn {half} * {half}"]
        kinds = ("digit", "exponent")
    else:
        n, acc = rng.choice((("n", "acc"), ("k", "total"), ("count", "so_far")))
        lines = [f"def {name}({n}, {acc}):", f"\tif {n} <= 0:", f"\t\treturn {acc}",
                 f"\treturn {name}({n} - 1, {acc} {rng.choice(('+ ' + n, '* 2', '- ' + n, '+ 3'))})"]
        kinds = ("shift", "digit")
    define(program, lines)
    return Helper(name, kinds, T.INT)


def _subsets(program: Program) -> Helper:
    rng = program.rng
    name, s = claim(program, _NAMES), rng.choice(("s", "word", "chars"))
    out, rest = rng.choice(("out", "result")), rng.choice(("rest", "tail"))
    lines = [f"def {name}({s}):", f"\tif not {s}:", "\t\treturn ['']", f"\t{rest} = {name}({s}[1:])",
             rng.choice((f"\t{out} = {rest} + [{s}[0] + part for part in {rest}]",
                         f"\t{out} = [{s}[0] + part for part in {rest}] + {rest}[:2]")),
             f"\treturn {out}"]
    define(program, lines)
    return Helper(name, ("tiny_text",), T.LIST_STR)
