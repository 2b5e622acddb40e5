# main(2)
from dataclasses import InitVar, dataclass, field, fields, make_dataclass, replace

MADE = []
KINDS = ['plain', 'rare', 'odd']

def fresh(): return [len(MADE)]

def pick(): return KINDS.pop()

@dataclass
class Quiet:
    x: int = 1

    def __repr__(self): return 'never asked, but without it x is written in another way'

@dataclass(order=True)
class Item:
    rank: int
    name: str = field(default='?', compare=False)
    tags: list = field(default_factory=fresh)
    scale: InitVar[int] = 2

    def __post_init__(self, scale):
        self.rank *= scale
        MADE.append(self.name)

@dataclass
class Special(Item):
    kind: str = field(default_factory=lambda: pick(), metadata={'ask': 'sho' + 'wy'})

    def showy(self): return self.kind.title()

    def unused(self): return self.tags

Both = make_dataclass('Both', [('a', int, 2), ('b', int, field(default=5))], bases=(Quiet,),
                      namespace={'sum': lambda self: self.a + self.b, 'rest': None})
Item.scale = 3
Item('early')
Both.__init__.__defaults__ = (1, 7, 50)

@dataclass(frozen=True)
class Address:
    street: str = ''
    town: str = ''

    def lines(self): return [self.street, self.town]

def unused_addresses(rows):
    return [Address(*row) for row in rows]

def main(n):
    items = [Special(n, 'b'), Special(1, 'c', [])]
    items.append(replace(items[0], rank=0))
    asked = [getattr(item, part.metadata['ask'])() for item in items for part in fields(item) if part.metadata]
    quiet = Quiet(n)
    both = Both(n)
    return min(items).name, asked, quiet, both, MADE
