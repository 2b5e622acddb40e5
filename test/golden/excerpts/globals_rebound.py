# main(4)
import sys

RATE = 1; BASE = 10; LIMIT = 3; STEP = 1; MODE = 'plain'; SCALE = 2; OFFSET = 0; FINAL = 0; i = 99

def configure():
    global RATE, i
    RATE = 5
    for i in range(4):
        pass

def shout(text): return text

def install():
    global shout, OFFSET

    def shout(text):
        return text + '!'
    from math import inf as OFFSET
    OFFSET = 12 if OFFSET > 1 else 0

configure()

class Settings:
    global BASE
    BASE = 20
    LIMIT = 77
    for STEP in (5, 6): pass

globals().update(LIMIT=6)
vars()['ST' + 'EP'] = 2
setattr(sys.modules[__name__], 'MO' + 'DE', 'loud')
exec('SC' + 'ALE = 4')
install()
(lambda g: g.__setitem__('FIN' + 'AL', 8))(configure.__globals__)
if '__main__' == __name__:
    locals()['EX' + 'TRA'] = [1, 2]

class Unused:
    RATE = 1000

    def apply(self): return self.RATE * 2

def unused_reset():
    global RATE, BASE
    RATE = BASE = 0

def main(n):
    parts = [RATE, BASE, LIMIT, STEP, i, FINAL]
    n += sum(parts) * SCALE + OFFSET
    word = shout(MODE)
    return n, word, EXTRA
