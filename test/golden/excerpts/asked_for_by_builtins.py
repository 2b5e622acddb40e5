# main(['b', 'abc', 'ab'])
import builtins
import csv
import sys

class Sink:
    def __init__(self): self.parts = []
    def write(self, text): self.parts.append(text)
    def flush(self): self.parts.append('|')
    def close(self): self.parts = None

class Pairs:
    def keys(self): return ['a', 'b']
    def __getitem__(self, key): return key * 2
    def items(self): return []

class Tee:
    def __init__(self, inner): self.inner, self.count = inner, 0
    def write(self, text):
        self.count += 1
        return self.inner.write(text)
    def __getattr__(self, name): return getattr(self.inner, name)

class Lines:
    def __init__(self): self.left = ['1,2', 'x']
    def __iter__(self): return self
    def __next__(self): return self.left.pop() if self.left else next(iter(()))

class Inner:
    def __iter__(self): return self
    def __next__(self): return 'first'
    def send(self, value): return value * 2
    def throw(self, *error): raise StopIteration('thrown')

def outer():
    result = yield from Inner()
    yield result

def on_break(*args): return 'paused'
sys.stdout = Tee(sys.stdout)
for target, name in ((sys, 'breakpoint' + 'hook'), (builtins, 'pause_now')):
    setattr(target, name, on_break)
def weigh(word):
    return -len(word)
def unused_table(rows):
    for row in rows:
        print(*row, sep='\t')

class Unused:
    def write(self, text): raise OSError
    def rows(self): return self.items

def main(words, key=weigh):
    sink = Sink()
    print(*words, file=sink, end='.', flush=True)
    print('out')
    pairs = dict(Pairs(), **Pairs())
    csv.writer(sink).writerow([1])
    steps = outer()
    got = next(steps), steps.send(4), steps.throw(KeyError), breakpoint(), pause_now()
    return sorted(words, key=key), pairs, got, list(csv.reader(Lines())), sink.parts
