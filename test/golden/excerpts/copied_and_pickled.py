# main(4)
import copy
import copyreg
import io
import pickle
import weakref
LOG = []

class Node:
    def __init__(self, value): self.value = value
    def __getstate__(self): return {'value': self.value + 1}
    def __setstate__(self, state): self.value = state['value'] * 10
    def tree(self): return [self]

class Pair:
    def __init__(self, *items): self.items = items
    def __copy__(self): return Pair('copied', *self.items)
    def __deepcopy__(self, memo): return Pair(*(copy.deepcopy(item) for item in reversed(self.items)))

class Slotted:
    __slots__ = 'a', '_b'
    def __reduce__(self): return _rebuild, (self.a,)

class Ghost:
    haunts = 'attic'
    def __init__(self): LOG.append('boo')
def _rebuild(a):
    made = Slotted()
    made.a = a * 2
    return made

class Archive(pickle.Pickler):
    def persistent_id(self, thing): return thing.value if isinstance(thing, Node) else None

class Reader(pickle.Unpickler):
    def persistent_load(self, value): return 'node %d' % value
    def find_class(self, module, name): return super().find_class(module, RENAMED.get(name, name))

class Complexish:
    def __init__(self, a): self.a = a
RENAMED = {'Missing': 'Gh' + 'ost'}
copyreg.pickle(Complexish, lambda value: (Complexish, ('re' + value.a,)))
TEMP = [Node(7)]
watch = weakref.ref(TEMP[0], lambda reference: LOG.append('died'))
Pair.__eq__ = lambda self, other: len(self.items) == len(other.items)

class Backup:
    def save(self): return pickle.dumps(self)
    def load(self, text): return pickle.loads(text)
def unused_size(thing):
    return len(pickle.dumps(thing))
def main(n):
    slotted = copy.copy(_rebuild(n))
    node = pickle.loads(pickle.dumps(TEMP[0]))
    pair = copy.deepcopy(copy.copy(Pair(node, [slotted])))
    buffer = io.BytesIO()
    Archive(buffer).dump([node, n])
    loaded = Reader(io.BytesIO(buffer.getvalue())).load()
    ghost = Reader(io.BytesIO(b'c__main__\nMis' + b'sing\n)R.')).load()
    TEMP.clear()
    return slotted, pair, loaded, ghost, copy.copy(Complexish('a')), LOG
