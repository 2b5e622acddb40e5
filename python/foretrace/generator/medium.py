"""Medium and long programs: several definitions and an entry function that uses them."""

from __future__ import annotations

import random
from collections.abc import Callable

from . import classes, classes_attributes, classes_special, closures, functions, handlers, recursion
from . import types as T
from .builder import Builder, Program, Variable
from .control import CONTROL_IDIOMS
from .idioms import IDIOMS
from .modules import MODULE_IDIOMS
from .names import ENTRY, VERBS
from .raising import trouble
from .sample import Sample, Style, assemble, signature
from .short import finish
from .statements import early_return, statement

Feature = Callable[[Program, Style], object]

FEATURES: tuple[Feature, ...] = (
    *(functions.helper,) * 8, functions.star_function, functions.decorated, *(recursion.recursive,) * 5,
    *(closures.closure,) * 2, closures.lambda_local, closures.higher_order, *(closures.generator,) * 2,
                                 closures.receiver_generator,
    *(classes.number_class,) * 4, classes.list_class, classes.family, classes.context_manager, classes.data_class,
    classes_special.iterator_class, classes_special.ordered_class, classes_special.arithmetic_class,
                                 classes_special.attribute_bag,
    *(classes_attributes.record_class,) * 6, *(classes_attributes.linked_list,) * 2, *(classes_attributes.search_tree,) * 2,
                                 *(classes_attributes.table_class,) * 2, *(classes_attributes.holding_class,) * 2,
    handlers.custom_error, handlers.reraise,
)
_LOCAL_IDIOMS = IDIOMS[::3] + CONTROL_IDIOMS * 2 + (handlers.try_idiom,) * 4 + (handlers.try_loop,) * 3 + MODULE_IDIOMS
_COMMENTS = ("# collect the results", "# first pass", "# count", "# update", "# check", "# done",
             "# keep only what we need", "# main loop", "# TODO: simplify")
_DOCSTRINGS = ("Entry point.", "Run all the steps and return the outcome.", "Return a summary of the input.",
               "Do the work.")


def medium(rng: random.Random, raising: bool = False) -> Sample:
    """One or two definitions and an entry of a few steps; the caller checks it."""
    return _program(rng, raising, "medium", rng.choice((0, 1, 1, 1, 2)), rng.choice((0, 1, 1)), rng.choice((0, 0, 1)))


def long(rng: random.Random, raising: bool = False) -> Sample:
    """Several definitions and an entry of many steps; the caller checks it."""
    return _program(rng, raising, "long", rng.choice((1, 2, 2, 3)), rng.choice((2, 2, 3)), rng.choice((0, 1, 1, 2)))


def _program(rng: random.Random, raising: bool, level: str, features: int, idioms: int, statements: int) -> Sample:
    program = Program(rng, raising)
    style = Style(program)
    name = rng.choice(ENTRY) if rng.random() < 0.8 else rng.choice(VERBS)
    program.globals.add(name)
    for _ in range(features):
        rng.choice(FEATURES)(program, style)
    program.tag(level)
    builder = Builder(program, rng.choice((1, 2, 2, 3)))
    result = _entry(builder, program, idioms if features else max(idioms, 1), statements)
    lines = [signature(name, builder, style, result), *_commented(rng, builder.lines)]
    if rng.random() < 0.06:
        lines.insert(1, f'\t"""{rng.choice(_DOCSTRINGS)}"""')
    definitions = [*program.definitions, lines]
    return assemble(program, style, definitions, name, builder)


def _entry(builder: Builder, program: Program, idioms: int, statements: int) -> str | None:
    """Steps of the entry in random order: uses of the definitions, calls of helpers, idioms, statements."""
    rng = program.rng
    plan: list[object] = [*program.uses, *program.helpers]
    plan += [rng.choice(_LOCAL_IDIOMS) for _ in range(idioms)]
    plan += ["statement"] * statements
    rng.shuffle(plan)
    if program.raising:
        plan.insert(rng.randrange(len(plan) + 1), "trouble")
    if rng.random() < 0.1:
        early_return(builder)
    made: list[Variable] = []
    for step in plan:
        last = made[-1] if made and made[-1] in builder.variables and rng.random() < 0.6 else None
        variable = _step(builder, program, step, last)
        if variable is not None:
            made.append(variable)
    return finish(builder, [variable for variable in made if variable in builder.variables or variable.type == "Any"])


def _step(builder: Builder, program: Program, step: object, last: Variable | None) -> Variable | None:
    if step == "statement":
        return statement(builder)
    if step == "trouble":
        return trouble(builder)
    if step in program.uses:
        return step(builder)
    if step in program.helpers:
        return _helper_use(builder, step, last)
    program.tag(step.__name__)
    return step(builder, last)


def _helper_use(builder: Builder, helper, last: Variable | None) -> Variable:
    """A call of a helper, alone or over a list of arguments."""
    rng = builder.rng
    if len(helper.arguments) == 1 and helper.form == "{0}({1})":
        kind = T.type_of(helper.arguments[0])
        lists = {T.INT: T.LIST_INT, T.STR: T.LIST_STR}
        if kind in lists and helper.arguments[0] == kind and rng.random() < 0.3:
            sequence = builder.source(lists[kind])
            if rng.random() < 0.5:
                return builder.local("list", f"[{helper.name}(v) for v in {sequence.name}]",
                                     builder.names.accumulator(T.LIST_INT))
            out = builder.local("list", "[]", builder.names.accumulator(T.LIST_INT))
            item = builder.names.element(kind)
            with builder.block(f"for {item} in {sequence.name}:"):
                builder.emit(f"{out.name}.append({helper.name}({item}))")
            return out
    if rng.random() < 0.7:
        first = last if last is not None and last.type == helper.arguments[0] else builder.source(helper.arguments[0])
        return builder.local(helper.result, builder.call(helper, first))
    return builder.local(helper.result, builder.call(helper))


def _commented(rng: random.Random, lines: list[str]) -> list[str]:
    """The lines with a comment or blank line here and there."""
    out = []
    for position, line in enumerate(lines):
        top = line.startswith("\t") and not line.startswith("\t\t")
        follows = top and not line.lstrip("\t").startswith(("else", "elif", "except", "finally"))
        if follows and position and rng.random() < 0.04:
            out.append("")
        if follows and rng.random() < 0.03:
            out.append("\t" + rng.choice(_COMMENTS))
        out.append(line)
    return out
