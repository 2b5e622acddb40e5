# main(1)
from contextlib import contextmanager, suppress
DATA = {'kind': 'wide', 'size': [4, 5, 6], 'rest': True}
SLOTS = {}
REST = None
def helper(n): return n + 1
def better(n): return n + 2
def strict(text):
    if not text.isdigit():
        raise ValueError(text)
    return int(text)

@contextmanager
def opened(value):
    SLOTS['open'] = value
    yield value
    SLOTS['closed'] = True

class Slot: pass
slot = Slot()
if len(DATA) > 2 and (width := len(DATA['size'])):
    helper = better
elif width:
    helper = None
try:
    ignored = strict('x1')
    LEVEL = 'low'
except ValueError as error:
    LEVEL = 'high'; reason = str(error)
else:
    LEVEL = 'none'
finally:
    SLOTS['tried'] = 1
with opened(7) as SLOTS['with'], suppress(KeyError):
    lookup = DATA['nothing']
    LEVEL = 'broken'
def remark(key): SLOTS[key] = True
if not remark('noted'): remark.__call__('done')
for SLOTS['for'], slot.last in enumerate('xyz'): pass
else: TAIL = SLOTS['for']
n = 10
while n > 3:
    n -= 4
    if n < 5: break
else:
    n = 'never'
match DATA:
    case {'kind': str() as kind, 'size': [head, *tail], **others}: REST = others, tail
    case _: REST = kind = head = 0
seen = [final := item for item in tail]
def unused_lines(text):
    return [line for line in text.split('\n') if line]

class Unused:
    def lines(self): return SLOTS
    def tail(self): return self.lines()[-1:]

def main(x):
    x = helper(x)
    found = LEVEL, reason, TAIL, n, kind
    return x, found, REST, final, head, width, slot, sorted(SLOTS.items())
