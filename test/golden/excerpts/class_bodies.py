# globals()[ENTRY](*ARGS, **OPTIONS)
ARGS = [3]
OPTIONS = {'un' + 'it': 'km'}
ENTRY = 'm{}n'.format('ai')

class Outer:
    RANK = 2

    class Inner:
        depth = 1
        def value(self): return self.depth

    class Deeper(Inner):
        def value(self): return super().value() + 1
        def lonely(self): return None

    for _name in ('left', 'right'):
        locals()['go_' + _name] = (lambda word: lambda self: word + str(self.RANK))(_name)
    del _name
    vars()['RA' + 'NK'] = 5
    exec('def turn(self): return self.go_left() * 2')
    if RANK > 2:
        def mode(self): return 'deep'
    else:
        def mode(self): return 'flat'
    mode = property(mode)

    def hello(self): return 'hello ' + self.turn()

    greet = hello; del hello
    table = {}
    def enter(key, table=table):
        return lambda function: table.setdefault(key, function)
    @enter('a')
    def _one(self): return 1
    @enter('b')
    def _one(self): return self._two()
    def _two(self): return 2
    del enter
    RANK += 1; __lt__ = lambda self, other: True

Outer.Inner.depth = 9
Saved = Outer.Inner
Outer.Inner = type('Inner', (Saved,), {'value': lambda self: self.unit})
setattr(Saved, 'un' + 'it', 'cm')
Outer.Deeper.__init__ = lambda self: setattr(self, 'depth', self.depth + 1)
[ARGS.append(n) for n in (4,)]
OPTIONS.update(dict.fromkeys(['times'], Outer.RANK))

class Unused:
    class Inner:
        def value(self): return -1
    def mode(self): return self.Inner().value()

def unused_rank(n): return n * 2

def main(a, b, *, unit, times):
    outer = Outer()
    values = [kind().value() for kind in (Outer.Inner, Outer.Deeper)]
    called = [outer.table[key](outer) for key in sorted(outer.table)]
    return a * b * times, unit, values, called, outer.mode, outer.greet(), outer < 1
