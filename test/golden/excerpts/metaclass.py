# main('inc dbl dec', 3)
class Meta(type):
    made = []

    @classmethod
    def __prepare__(mcls, name, bases, **options):
        return {'extra_' + name.lower(): lambda self: self.value + options.get('size', 0)}

    def __new__(mcls, name, bases, space, **options):
        cls = super().__new__(mcls, name, bases, dict(space))
        cls.commands = {key[4:]: value for key, value in space.items() if key[:4] == 'cmd' + '_'}
        cls.width = len(space)
        return cls

    def __init__(cls, name, bases, space, **options):
        super().__init__(name, bases, space)
        Meta.made.append(cls)

    def __call__(cls, value):
        self = super().__call__(value + cls.width)
        return self

    def __getattr__(cls, key):
        return key.upper()

    def __instancecheck__(cls, other):
        return hasattr(other, 'commands') and len(other.commands) > 1
    def mro(cls):
        return super().mro()[:-1] + [Tail, object] if cls.__bases__ == (object,) else super().mro()

class Tail:
    def finish(self): return -self.value

class Calc(metaclass=Meta):
    def __init__(self, value): self.value = value
    def cmd_inc(self): self.value += 1
    def cmd_dbl(self): self.value *= 2

class Wide(Calc, size=50):
    def cmd_dec(self): self.value -= 1
    def unrelated(self): return None

class Memo:
    def __init__(self): self.kept = {}
    def keep(self, key): self.kept[key] = True
def junk_fibonacci(n):
    a, b = 0, 1
    while n:
        a, b, n = b, a + b, n - 1
    return a

def main(words, value):
    results = []
    for cls in Meta.made:
        item = cls(value)
        for word in words.split():
            if word in cls.commands:
                cls.commands[word](item)
        results.append((item.finish(), isinstance(item, Calc), cls.no_such_thing))
        results.append(getattr(item, 'extra_' + type(item).__name__.lower())())
    return results
