# main()
import heapq
import weakref

CACHE = weakref.WeakValueDictionary()
FREED = []
HEAP = []

class Task:
    def __init__(self, name, rank):
        self.name, self.rank = name, rank
        CACHE[name] = self

    def __lt__(self, other): return self.rank < other.rank

    def work(self): return self.name

class Urgent(Task):
    def __lt__(self, other): return True
    def work(self): return self.name.upper()
    def __del__(self): FREED.append(self.name)

def make(name, rank, kind=Task): return kind(name, rank)

def counter():
    count = 0
    def bump(by=1):
        nonlocal count
        count += by
    def get(): return count
    return get, bump

keep = [make('a', 3), make('b', 1, Urgent)]
make('gone', 0, Urgent)
watch = weakref.finalize(keep[0], FREED.append, 'never')
get, *others = counter()
others[0](); others[-1](5)
for task in keep: heapq.heappush(HEAP, task)
def load(*names):
    for name in names: heapq.heappush(HEAP, make(name, 2))
(lambda: load('c'))()
later = {n: (lambda n=n: get() * n) for n in (2, 3)}
FUNCTIONS = [later[2], get.__call__]
get.__closure__[0].cell_contents += 10
pin = make('d', 9, type('Quiet', (Task,), {'work': None}))
del keep, task

class Clock:
    ticks = 0
    def tick(self): self.ticks += 1
    def reset(self): self.ticks = 0

def unused_merge(*lists):
    return list(heapq.merge(*lists))

def main():
    names = []
    while HEAP:
        names.append(heapq.heappop(HEAP).work())
    values = [function() for function in FUNCTIONS]
    return names, values, sorted(CACHE), FREED
