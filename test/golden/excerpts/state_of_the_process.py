# main(3)
import builtins
import codecs
import copyreg
import decimal
import os
import random
import sys
from copy import copy
from random import randint
from warnings import simplefilter

class Point:
    def __init__(self, x): self.x = x

class Oops(UserWarning):
    def __init__(self, text): super().__init__(text + '!')

def rebuild(point): return Point, (point.x * 10,)

def stars(error): return '*' * (error.end - error.start), error.end

def shout(text): return str(text).upper()

class Settings:
    RATE = 3
    def __getattr__(self, name): return name.lower()

simplefilter('error')
random.seed(7)
_ = [random.random() for _ in range(3)]
decimal.getcontext().prec = 5
low = sys.setrecursionlimit
low(4321)
codecs.register_error('st' + 'ars', stars)
copyreg.pickle(Point, rebuild)
builtins.__dict__['loud'] = shout
os.environ['TRACED' + '_MODE'] = 'on'
sys.modules['settings_of_019'] = Settings()
getattr(sys, 'set_int_max_str_digits', int)(700)
sys.argv[1:] = ['--fast']

class Junk:
    def __init__(self): self.state = random.Random(1)
    def roll(self): return self.state.randint(1, 6)
def unused_rolls(count):
    return [Junk().roll() for _ in range(count)]

def main(n):
    import warnings
    import settings_of_019 as settings
    third = decimal.Decimal(1) / n
    dice = randint(1, 1000)
    try:
        warnings.warn('old', Oops)
    except Oops as error:
        text = error
    try: str(10 ** 800)
    except ValueError: text = text, 'long'
    word = 'né'.encode('ascii', 'stars'[:5]), os.environ.get('TRACED_MODE'), sys.argv
    return third, dice, text, copy(Point(n)), loud(word), sys.getrecursionlimit(), settings.RATE, settings.SIZE
