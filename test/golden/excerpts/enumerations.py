# main(' Green ')
import enum
'not the docstring, as long as something is before it'
from enum import Enum, Flag, auto

class Named(str, Enum):
    def _generate_next_value_(name, start, count, last_values):
        return name.lower() + str(count)

    @classmethod
    def _missing_(cls, value):
        for member in cls:
            if member.value[:-1] == str(value).strip().lower():
                return member
        return None
    @property
    def flipped(self):
        return self.value[::-1]

def mass_factor(): return 2

class Colour(Named):
    RED = auto()
    GREEN = auto()
    CRIMSON = RED

class Planet(Enum):
    _ignore_ = ['n']
    for n in ('A', 'B'): locals()['P_' + n] = (ord(n), n)
    def __init__(self, mass, label):
        self.mass = mass - 60
    def __new__(cls, mass, label):
        made = object.__new__(cls)
        made._value_ = label * mass_factor()
        return made
    def weigh(self): return self.mass * SCALE

class Access(Flag):
    READ = auto()
    WRITE = auto()
    BOTH = READ | WRITE
    def __bool__(self): return self.value > 1

mass_factor = None
SCALE = 3
Planet.weigh, Planet.orbit = lambda self: self.mass + SCALE, Planet.weigh

class Weekday(Enum):
    MONDAY = 1
    TUESDAY = 2
    def short(self): return self.name[:3]

def unused_next(day):
    return Weekday(day.value % 2 + 1)

def main(word):
    colour = Colour(word)
    found = Colour['CRIM' + 'SON'].flipped
    planets = [(planet.value, planet.orbit()) for planet in Planet]
    access = Access(3) & Access['READ']
    return colour, found, planets, 'yes' if access else 'no', Planet('BB').weigh(), __doc__
