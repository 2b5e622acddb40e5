# total(['tea', 'milk', 'cake', 'jam', 'rye', 'cup', 'egg', 'oat'])
import functools
import operator

PRICES = {}
LIMITS = [10]
SEEN = set()

class Box:
    def __init__(self, *content): self.content = content

def fill(target, **items):
    target.update(items)
    return True

def put(key, value, store=PRICES, log=SEEN.add):
    store[key] = value
    log(key)

def prices(): return PRICES

def relay(function, *args, **named): return function(*args, **named)

fill(PRICES, tea=3)
put('milk', 2)
prices()['cake'] = 7
set_cup = functools.partial(dict.__setitem__, prices(), 'cup')
set_cup(1)
box = Box(LIMITS, {'deep': PRICES})
box.content[1]['deep']['tea'] += 4
last = box.content[0]
last += [5]
for store in [PRICES]: store.pop('cup')
(lambda limits: limits.insert(0, 20))(LIMITS)
relay(relay, fill, box.content[1]['deep'], egg=1)
assert relay(fill, box.content[1]['deep'], oat=8), 'always true'

class Shop: stock = PRICES

operator.setitem(Shop.stock, 'rye', 6)
Shop.stock |= {'jam': 4}

class Invoice:
    def __init__(self, number): self.number = number
    def title(self): return 'No. %d' % self.number

def unused_discount(price, percent):
    reduced = price * (100 - percent)
    return reduced // 100

def total(names):
    known = [name for name in names if name in PRICES]
    result = sum(map(PRICES.get, known))
    return result, len(PRICES), min(result, LIMITS[0]), LIMITS[-1], sorted(SEEN)
