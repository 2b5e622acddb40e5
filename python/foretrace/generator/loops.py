"""Loops composed at random: over what, under which condition, with which update of which accumulator."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable

_ITERABLES = (T.STR, T.LIST_INT, T.LIST_INT, T.LIST_STR, T.LIST_STR, T.DICT_STR_INT, T.PAIRS, T.MATRIX, T.TUPLE_INT,
              T.STR)
_INITIAL = {T.INT: ("0", "0", "0", "1"), T.STR: ("''",), T.LIST_INT: ("[]",), T.LIST_STR: ("[]",),
            T.DICT_STR_INT: ("{}",),
            T.SET_INT: ("set()",), T.SET_STR: ("set()",), T.DICT_STR_LIST: ("{}",)}


def chosen(builder: Builder, last: Variable | None, *kinds: str) -> Variable:
    """The last result where it is of one of the kinds, else something of a random one of them."""
    if last is not None and last.type in kinds and last in builder.variables:
        return last
    return builder.source(builder.rng.choice(kinds))


def loop_idiom(builder: Builder, last: Variable | None) -> Variable:
    """A for loop over a sequence with a random accumulator, filter, early exit."""
    rng = builder.rng
    sequence = chosen(builder, last, *_ITERABLES)
    accumulator = _accumulator(builder, sequence)
    extra = builder.local(T.INT, "0", builder.names.accumulator(T.INT)) if rng.random() < 0.12 else None
    header, item, index = _header(builder, sequence)
    builder.locked.update((sequence.name, item.name))
    with builder.block(header):
        builder.variables.append(item)
        if index is not None:
            builder.variables.append(index)
        _loop_body(builder, item, index, accumulator, extra)
    builder.locked.discard(sequence.name)
    if rng.random() < 0.08:
        with builder.block("else:"):
            _update(builder, item if item in builder.variables else accumulator, None, accumulator)
    return accumulator if extra is None or rng.random() < 0.7 else extra


def _accumulator(builder: Builder, sequence: Variable) -> Variable:
    rng = builder.rng
    textual = sequence.type in (T.STR, T.LIST_STR)
    options = [T.INT, T.INT, T.LIST_STR if textual else T.LIST_INT, T.LIST_STR, T.STR,
               T.DICT_STR_INT if textual else T.LIST_INT]
    type_ = rng.choice(options)
    text = rng.choice(_INITIAL[type_])
    if type_ == T.INT and rng.random() < 0.15:
        text = builder.constant(T.INT)[0]
    return builder.local(type_, text, builder.names.accumulator(type_))


def _header(builder: Builder, sequence: Variable) -> tuple[str, Variable, Variable | None]:
    """The for line, the item variable and perhaps the index variable."""
    rng = builder.rng
    names = builder.names
    type_ = sequence.type
    if type_ == T.DICT_STR_INT:
        key = names.element("key")
        if rng.random() < 0.65:
            value = names.element(T.INT)
            return f"for {key}, {value} in {sequence.name}.items():", Variable(value, T.INT), Variable(key, T.STR)
        return f"for {key} in {rng.choice((sequence.name, f'sorted({sequence.name})'))}:", Variable(key, T.STR), None
    if type_ == T.PAIRS:
        key, value = names.element("key"), names.element(T.INT)
        return f"for {key}, {value} in {sequence.name}:", Variable(value, T.INT), Variable(key, T.STR)
    element = T.ELEMENT[type_]
    name = names.element("char" if type_ == T.STR else element)
    kind = element
    part = rng.random()
    if part < 0.6:
        return f"for {name} in {sequence.name}:", Variable(name, kind), None
    if part < 0.8:
        index = names.element("index")
        start = rng.choice(("", "", "", ", 1"))
        return (f"for {index}, {name} in enumerate({sequence.name}{start}):", Variable(name, kind),
                Variable(index, T.INT))
    if part < 0.88:
        return (f"for {name} in {rng.choice((f'reversed({sequence.name})', f'{sequence.name}[::-1]'))}:",
                Variable(name, kind), None)
    if part < 0.95 and type_ in (T.LIST_INT, T.LIST_STR, T.STR, T.TUPLE_INT):
        return f"for {name} in sorted({sequence.name}):", Variable(name, kind), None
    return f"for {name} in {sequence.name}[{rng.choice(('1:', ':3', '::2', ':-1'))}]:", Variable(name, kind), None


def _loop_body(builder: Builder, item: Variable, index: Variable | None, accumulator: Variable,
               extra: Variable | None) -> None:
    rng = builder.rng
    part = rng.random()
    tested = index if index is not None and rng.random() < 0.25 else item
    if part < 0.12:
        with builder.block(f"if {builder.condition_on(tested)}:"):
            builder.emit(rng.choice(("continue", "continue", "break")))
        _update(builder, item, index, accumulator)
    elif part < 0.45:
        with builder.block(f"if {builder.condition_on(tested)}:"):
            _update(builder, item, index, accumulator)
        if rng.random() < 0.35:
            with builder.block(f"elif {builder.condition_on(item)}:"):
                _update(builder, item, index, accumulator)
        if rng.random() < 0.5:
            with builder.block("else:"):
                _update(builder, item, index, accumulator)
    elif part < 0.6:
        type_ = item.type if item.type in (T.INT, T.STR) else T.INT
        value = builder.local(type_, builder.on(item, type_, 0.8) or item.name)
        _update(builder, value, index, accumulator)
    else:
        _update(builder, item, index, accumulator)
    if extra is not None:
        builder.emit(f"{extra.name} += {rng.choice(('1', '1', 'len(' + accumulator.name + ')' if accumulator.type != T.INT else '2'))}")
    if rng.random() < 0.08:
        limit = (f"len({accumulator.name}) > {rng.randrange(2, 5)}" if accumulator.type != T.INT
                 else f"{accumulator.name} > {rng.randrange(5, 99)}")
        with builder.block(f"if {limit}:"):
            builder.emit("break")


def _update(builder: Builder, item: Variable, index: Variable | None, accumulator: Variable) -> None:
    """One change of the accumulator that reads the item."""
    rng = builder.rng
    name = accumulator.name
    if accumulator.type == T.INT:
        value = _value(builder, item, index, T.INT)
        form = rng.random()
        if form < 0.7:
            builder.emit(f"{name} {rng.choice(('+=', '+=', '+=', '-='))} {value}")
        elif form < 0.85:
            builder.emit(f"{name} = {rng.choice(('max', 'min'))}({name}, {value})")
        else:
            builder.emit(f"{name} = ({name} * {rng.choice((2, 3, 7, 10, 31))} + {value}) % {rng.choice((10, 97, 100, 101, 256))}")
    elif accumulator.type == T.STR:
        value = _value(builder, item, index, T.STR)
        builder.emit(rng.choice((f"{name} += {value}", f"{name} += {value}", f"{name} = {value} + {name}"))
                     if " if " not in value
                     else f"{name} += {value}")
    elif accumulator.type in (T.LIST_INT, T.LIST_STR):
        value = _value(builder, item, index, T.ELEMENT[accumulator.type])
        form = rng.random()
        if form < 0.8:
            builder.emit(f"{name}.append({value})")
        elif form < 0.9:
            builder.emit(f"{name}.insert(0, {value})")
        else:
            with builder.block(f"if {item.name} not in {name}:"):
                builder.emit(f"{name}.append({value if rng.random() < 0.3 or item.type != T.ELEMENT[accumulator.type] else item.name})")
    else:
        key = item.name if item.type == T.STR else builder.on(item, T.STR) or "'x'"
        if rng.random() < 0.6:
            builder.emit(f"{name}[{key}] = {name}.get({key}, 0) + {rng.choice(('1', '1', '2', 'len(' + key + ')'))}")
        else:
            builder.emit(f"{name}[{key}] = {_value(builder, item, index, T.INT)}")


def _value(builder: Builder, item: Variable, index: Variable | None, type_: str) -> str:
    rng = builder.rng
    if item.type == type_ and rng.random() < 0.35:
        return item.name
    if index is not None and index.type == type_ and rng.random() < 0.35:
        return index.name
    if index is not None and {index.type, item.type} == {T.INT} == {type_} and rng.random() < 0.5:
        return f"{item.name} * {index.name}"
    return builder.on(item, type_, 0.75) or builder.constant(type_)[0]


def while_idiom(builder: Builder, last: Variable | None) -> Variable:
    """A while loop that counts an integer towards zero or a bound, so that it ends by construction."""
    rng = builder.rng
    accumulator = builder.local(T.INT, rng.choice(("0", "0", "1")), builder.names.accumulator(T.INT))
    if rng.random() < 0.55:
        counter = builder.source("digit" if rng.random() < 0.5 else "positive")
        step = rng.choice(("//= 2", "//= 10", "//= 3")) if counter.kind != "digit" else rng.choice(("-= 1", "-= 2",
                                                                                                    "//= 2"))
        header = f"while {counter.name} > 0:"
    else:
        counter = builder.local(T.INT, rng.choice(("0", "1", "2")), builder.names.element("index"))
        step = rng.choice(("+= 1", "+= 2", "*= 2",
                           "+= 3")) if builder.lines[-1].strip()[-1] != "0" else rng.choice(("+= 1", "+= 2"))
        header = f"while {counter.name} < {rng.randrange(4, 12)}:"
    builder.locked.add(counter.name)
    with builder.block(header):
        kind = rng.random()
        if kind < 0.35:
            with builder.block(f"if {builder.condition_on(counter)}:"):
                _update(builder, counter, None, accumulator)
            if rng.random() < 0.4:
                with builder.block("else:"):
                    _update(builder, counter, None, accumulator)
        else:
            _update(builder, counter, None, accumulator)
        builder.emit(f"{counter.name} {step}")
        if rng.random() < 0.1:
            with builder.block(f"if {accumulator.name} > {rng.randrange(5, 60)}:"):
                builder.emit("break")
    return accumulator


def consume_idiom(builder: Builder, last: Variable | None) -> Variable:
    """A while loop that takes items off a list until it is empty."""
    rng = builder.rng
    list_ = chosen(builder, last, T.LIST_INT, T.LIST_STR)
    item_type = T.ELEMENT[list_.type]
    accumulator = builder.local(item_type, _INITIAL[item_type][0], builder.names.accumulator(item_type))
    item = builder.names.element(item_type)
    with builder.block(f"while {rng.choice((list_.name, f'len({list_.name}) > {rng.randrange(3)}'))}:"):
        builder.emit(f"{item} = {list_.name}.pop({rng.choice(('', '', '0'))})")
        variable = builder.bind(item, item_type)
        if rng.random() < 0.4:
            with builder.block(f"if {builder.condition_on(variable)}:"):
                builder.emit(rng.choice(("continue", "break", "continue")))
        _update(builder, variable, None, accumulator)
    return accumulator


def range_idiom(builder: Builder, last: Variable | None) -> Variable:
    """A for loop over a range with a random update."""
    rng = builder.rng
    type_ = rng.choice((T.INT, T.LIST_INT, T.STR, T.LIST_STR))
    accumulator = builder.local(type_, rng.choice(_INITIAL[type_]), builder.names.accumulator(type_))
    index = builder.names.element("index")
    part = rng.random()
    if part < 0.4:
        bounds = str(rng.randrange(3, 8))
    elif part < 0.6:
        start = rng.randrange(1, 5)
        bounds = f"{start}, {start + rng.randrange(2, 6)}"
    elif part < 0.75:
        bounds = f"{rng.randrange(4)}, {rng.randrange(6, 16)}, {rng.choice((2, 3, 4))}"
    elif part < 0.85:
        bounds = f"{rng.randrange(4, 8)}, 0, -1"
    else:
        bounds = builder.source("digit").name
    with builder.block(f"for {index} in range({bounds}):"):
        variable = builder.bind(index, T.INT)
        _loop_body(builder, variable, None, accumulator, None)
    return accumulator


LOOP_IDIOMS = (loop_idiom, loop_idiom, loop_idiom, loop_idiom, while_idiom, consume_idiom, range_idiom, range_idiom)
