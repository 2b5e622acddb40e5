# main(4)
from functools import cached_property

class Field:
    order = []

    def __set_name__(self, owner, name):
        self.name = '_' + name
        Field.order.append(name)
        owner.fields = owner.__dict__.get('fields', ()) + (name,)

    def __get__(self, instance, owner=None):
        return self if instance is None else instance.__dict__.get(self.name, self.default())

    def __set__(self, instance, value):
        instance.__dict__[self.name] = self.check(value)
    def default(self): return 0
    def check(self, value): return value

class Positive(Field):
    def check(self, value): return abs(value)

class Missing(Field):
    def default(self): return 'none'

class Row:
    __slots__ = ('free', '__dict__')
    width = Positive()
    height = Positive()
    note = Missing()
    def __class_getitem__(cls, size): return lambda: cls().sized(size)
    def sized(self, size):
        for name, self.height in zip(self.fields, (size, -size)): self.free = name
        return self
    @property
    def area(self): return self.width * self.height
    @area.setter
    def area(self, value): self.width, self.height = value, 1
    @area.deleter
    def area(self): self.width = 0
    @cached_property
    def label(self): return 'x'.join(map(str, (self.width, self.height)))
    def __getattr__(self, name): return type(self).__dict__['_dynamic_' + name](self)
    def _dynamic_depth(self): return self.width + 1

def extra(self): return len(Field.order)

Row._dynamic_count = extra
Row.spare = Positive(); Row.spare.__set_name__(Row, 'spare')

class Unused:
    depth = Field.order.copy()
    def count(self): return len(self.depth)

def main(size):
    row = Row[size]()
    first = row.label, row.area, row.depth
    row.area = -7
    second = row.label, row.width, row.count
    del row.area
    return first, second, row.note, row.fields
