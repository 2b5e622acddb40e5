# main(3)
import functools
def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **named):
        wrapper.calls += 1
        return function(*args, **named)
    wrapper.calls = 0
    return wrapper
def replace_with(other): return lambda function: other
def hidden(n): return n - 100

@replace_with(hidden)
def visible(n): return n

@counted
@functools.lru_cache(maxsize=None)
def slow(n): return n * n

@functools.cache
def table(): return {'rows': [1]}

class adds:
    def __init__(self, **members): self.members = members
    def __call__(self, cls):
        for name, member in self.members.items():
            setattr(cls, name + '_all', member)
        return cls

@adds(greet=lambda self: 'hi ' + self.name, leave=lambda self: 'bye')
class Person:
    def __init__(self, name): self.name = name
    @counted
    def wave(self): return self.name[0]
    def unused(self): return self.name * 2

@lambda cls: cls('me')
class ME(Person):
    def wave(self): return super().wave().upper()

@(lambda function: function.__name__.replace('_', ' '))
def LONG_LABEL(): raise RuntimeError
def warm(*numbers): return [slow(k) for k in numbers]
assert warm(3, 3, 4)
table.__wrapped__.__call__()
(lambda rows: rows.append(2))(table()['rows'])
Person.wave.calls = 40
visible.unit = 'm'

class Timer:
    def start(self): self.running = True
    def stop(self): self.running = False
@counted
def unused_add(a, b):
    return a + b
def main(n):
    found = visible(n), slow(n), slow(5), slow.calls, table()
    people = [Person('bob'), ME]
    for person in people:
        found += person.greet_all(), person.wave()
    return found, ME.wave.__func__.__name__, Person.wave.calls, LONG_LABEL, getattr(hidden, 'unit', None)
