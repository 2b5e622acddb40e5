# main(3)
import itertools

IDS = itertools.count(1)
LOG = []

def numbers():
    step = 1
    total = 0
    while True:
        got = yield total
        total += got or step

GEN = numbers()
next(GEN)
FEED = iter('abcdefghijklm')

def mark(value, log=LOG):
    log.append(value)
    return value

def numbered(function):
    function.number = next(IDS)
    return function

@numbered
def junk_one(text='x'): return text * 2

def junk_two(a=next(IDS), *, b: mark('b') = GEN.send(10), c: next(FEED) = None) -> mark('end'):
    return a, b, c

class JunkBase:
    def __init_subclass__(cls, by=0): GEN.send(by)

class Junk(JunkBase, by=mark(5)):
    uid = next(IDS)
    name: next(FEED) = 'junk'
    @numbered
    def method(self, default=next(FEED)): return self.uid
    class Inner: LOG.extend(['inner'])
odd: mark('odd')
lambda x=mark('lambda'): x
advance = GEN.__next__
advance()
skip, IDS = itertools.tee(IDS)
(IDS.__next__(), skip.__next__())
_, *_ = itertools.islice(FEED, 2)
def real_junk(a=1, *, b: int = 2) -> int:
    return a + b

class RealJunk:
    kind = 'plain'
    def method(self): return self.kind
    def other(self): return real_junk(3)

@numbered
def main(n):
    values = [next(IDS) for _ in range(n)]
    value = GEN.send(100)
    main.calls = getattr(main, 'calls', 0) + 1
    return values, value, next(FEED), LOG, main.number
