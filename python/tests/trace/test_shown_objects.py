"""Objects of the program show what they hold, whatever its own methods would write of them."""

import sys
import unittest

from foretrace.trace import run

PRELUDE = '''
import functools
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

def loud(function):
    @functools.wraps(function)
    def inner(self):
        return function(self) + '!'
    return inner

class Own:
    def __init__(self, n):
        self.n = n
    def __repr__(self):
        return f'Own!{self.n}'

class Derived(Own):
    pass

class Wrapped(Own):
    @loud
    def __repr__(self):
        return 'wrapped'

class Raising(Own):
    def __repr__(self):
        raise ValueError(self.n)

class Items(list):
    __repr__ = lambda self: 'items'

class Text(str):
    def __repr__(self):
        return 'text'

class Failure(ValueError):
    def __repr__(self):
        return 'failure'

class Color(Enum):
    RED = 1
    def __repr__(self):
        return 'red'

class Name(str, Enum):
    FIRST = 'f'

class Loudly(str, Enum):
    FIRST = 'f'
    def __repr__(self):
        return 'first'

class Pair(NamedTuple):
    a: int
    b: int
    def __repr__(self):
        return 'pair'

@dataclass
class Data:
    own: Own
    hidden: list = field(default_factory=list, repr=False)
    shared: int = field(init=False, default=7)
    late: int = field(init=False)

@dataclass
class More(Data):
    more: int = 0

@dataclass
class Loud(Own):
    n: int = 1
    @loud
    def __repr__(self):
        return 'loud'

@dataclass
class Node:
    child: object = None

@dataclass(slots=True)
class Slots:
    x: int
    y: int = 2

def late():
    data = Data(Own(1))
    data.late = data
    return data

def cycle():
    node = Node()
    node.child = [node]
    return node
'''


class Shown(unittest.TestCase):
    def check(self, expression, text):
        trace = run(f'{PRELUDE}\ndef entry():\n    value = {expression}\n    return value\n', 'entry()')
        self.assertEqual(trace.events[-1].value, text, expression)

    def test_what_objects_hold(self):
        self.check('Own(1)', '<Own object {n: 1}>')
        self.check('Derived([Own(2)])', '<Derived object {n: [<Own object {n: 2}>]}>')
        self.check('Wrapped(1)', '<Wrapped object {n: 1}>')
        self.check('Raising(1)', '<Raising object {n: 1}>')
        self.check('Own(1).__repr__', '<bound method Own.__repr__ of <Own object {n: 1}>>')

    def test_classes_derived_from_others_are_written_as_those(self):
        self.check('Items([1])', '[1]')
        self.check("Text('a')", "'a'")
        self.check('Failure(Own(1))', 'Failure(<Own object {n: 1}>)')
        self.check('[Color.RED, Name.FIRST, Loudly.FIRST]', "[<Color.RED: 1>, <Name.FIRST: 'f'>, <Loudly.FIRST: 'f'>]")
        self.check('Pair(1, 2)', 'Pair(a=1, b=2)')

    def test_data_classes_show_the_fields_that_are_bound(self):
        self.check('Data(Own(1), [2])', 'Data(own=<Own object {n: 1}>, hidden=[2], shared=7)')
        self.check('More(Own(1), more=3)', 'More(own=<Own object {n: 1}>, hidden=[], shared=7, more=3)')
        self.check('late()', 'Data(own=<Own object {n: 1}>, hidden=[], shared=7, late=...)')
        self.check('cycle()', 'Node(child=[...])')
        self.check('Slots(1)', 'Slots(x=1, y=2)')
        self.check('Loud()', '<Loud object {n: 1}>')

    def test_no_event_is_of_what_is_shown(self):
        trace = run(f'{PRELUDE}\ndef entry():\n    value = Raising(1)\n    return repr(Own(2))\n', 'entry()')
        self.assertEqual(trace.events[-1].value, "'Own!2'")
        self.assertEqual([event.function for event in trace.events if event.event == 'call'],
                         ['entry', '__init__', '__init__', '__repr__'])
        self.assertEqual(sys.exc_info(), (None, None, None))


if __name__ == '__main__':
    unittest.main()
