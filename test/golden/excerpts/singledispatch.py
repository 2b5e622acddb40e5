# main([1, 'a', 2.0])
from abc import ABC, abstractmethod
from collections.abc import Sequence, Sized
from functools import singledispatch, singledispatchmethod
from typing import Protocol, runtime_checkable

@singledispatch
def show(value): return 'any'

@show.register
def _(value: int): return 'int %d' % value
@show.register
def _(value: list):
    return [show(item) for item in value]
@show.register(str)
@show.register(bytes)
def _(value): return 'text'
class Writer:
    @singledispatchmethod
    def put(self, value): return '?'
    @put.register
    def _(self, value: int): return '#'
    @put.register
    def _(self, value: Sized): return '()'
@runtime_checkable
class Drawable(Protocol):
    def draw(self): ...
class Shape(ABC):
    @abstractmethod
    def area(self): ...
class Flying(ABC):
    @classmethod
    def __subclasshook__(cls, other): return any('fl' + 'y' in vars(base) for base in other.__mro__)
class Bird:
    def fly(self): return 'up'
    def sing(self): return 'tweet'
class Ring:
    def __len__(self): return 2
    def __getitem__(self, at): return (3, 4)[at]
    def draw(self): return 'o'
Sequence.register(Ring)
late = show.register
class Queue:
    def __init__(self): self.waiting = []
    def push(self, item): self.waiting.append(item)
    def pop(self): return self.waiting.pop(0)
def unused_total(shapes):
    return sum(shape.area() for shape in shapes)
late(float, lambda value: 'float')
def main(value):
    out = [show(value), show(2.5), show(b''), Writer().put('ab'), Writer().put(3)]
    for thing in (Bird(), Ring()):
        out.append((isinstance(thing, Drawable), isinstance(thing, Flying)))
    try:
        Shape()
    except TypeError:
        out.append('abstract')
    match thing:
        case [a, b]: out.append(a + b)
        case _: out.append(None)
    return out
