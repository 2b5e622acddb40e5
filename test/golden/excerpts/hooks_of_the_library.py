# main('{0!b} {name}', [])
import random
import reprlib
import string
from collections import Counter, UserDict
from collections.abc import MutableSequence
from datetime import datetime, timedelta, tzinfo

class Soft(string.Formatter):
    def get_value(self, key, args, kwargs):
        return kwargs.get(key, '-') if isinstance(key, str) else args[key]

    def convert_field(self, value, conversion):
        return str(value)[::-1] if conversion == 'b' else super().convert_field(value, conversion)

    def check_unused_args(self, used, args, kwargs): kwargs['log'].append(len(used))

class Folded(UserDict):
    def __setitem__(self, key, item): super().__setitem__(key.lower(), item)

    def __missing__(self, key): return self.data.get(key.lower(), 0)

class Stack(MutableSequence):
    def __init__(self): self.items = []
    def __len__(self): return len(self.items)
    def __getitem__(self, at): return self.items[at]
    def __setitem__(self, at, item): self.items[at] = item
    def __delitem__(self, at): del self.items[at]
    def insert(self, at, item): self.items.insert(at, item * 2)

class Short(reprlib.Repr):
    def repr_Folded(self, value, level): return 'F' + self.repr1(dict(value), level - 1)

    def repr_int(self, value, level): return hex(value)

class Zone(tzinfo):
    def utcoffset(self, when): return timedelta(hours=2)

    def tzname(self, when): return 'HERE'
    def dst(self, when): return None

class Rigged(random.Random):
    def random(self): return 0.5

class Tally(Counter):
    def update(self, items=(), /, **more): super().update(item[:1] for item in items)

class Matrix:
    def rows(self): return []
    def columns(self): return []

def main(text, log):
    folded = Folded(Big=5)
    stack = Stack()
    stack += [1, 2]
    text = Soft().format(text, 7, log=log)
    short = Short().repr(folded), datetime(2020, 1, 1, tzinfo=Zone()).strftime('%z %Z')
    return text, folded['BIG'], stack.pop(), short, Rigged().choice('abc'), Tally(['ab', 'ac'])
