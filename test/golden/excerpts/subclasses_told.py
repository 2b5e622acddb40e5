# main('ab')
import itertools

IDS = itertools.count(10)

class Plugin:
    kinds = {}

    def __init_subclass__(cls, tag=None, **rest):
        super().__init_subclass__(**rest)
        cls.uid = next(IDS)
        Plugin.kinds[tag or cls.__name__.lower()] = cls

    def handle(self, text):
        return f'{self.uid}{text}'

class Silent(Plugin):
    """Never used, but takes a number."""

class Upper(Plugin, tag='up'):
    def handle(self, text):
        return super().handle(text.upper())

class Repeat(Upper, tag='rep'): times = 2

type('Made', (Plugin,), {'handle': lambda self, text: text * self.times, 'times': 3}, tag='made')

class Check:
    def verdict(self, text): return len(text)

def install():
    class Hidden(Check):
        def verdict(self, text): return text[:3]
    return Hidden

HELD = [install()]

class Blueprint:
    def __init__(self, **members): self.members = members
    def __mro_entries__(self, bases): return type('Base', (Plugin,), self.members, tag='base'),

class Drawn(Blueprint(handle=lambda self, text: text + '~')): pass

class Ledger:
    def __init__(self): self.rows = []
    def post(self, row): self.rows.append(row)
    def balance(self): return sum(self.rows)

def unused_average(values):
    return sum(values) / len(values)

def main(text):
    for tag in sorted(Plugin.kinds):
        text = Plugin.kinds[tag]().handle(text)
    return [kind().verdict(text) for kind in Check.__subclasses__()]
