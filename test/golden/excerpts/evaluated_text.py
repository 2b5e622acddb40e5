# main(2)
import builtins
import sys
import types
from importlib.machinery import ModuleSpec

HOOKS = []
PLAN = '3=step 4=leap'

def helper(n): return n * OFFSET

def step(n): return n + 1

def leap(n): return step(n) * 10

def secret(n, hint='x'): return hint * n

def _code(text): return compile(text.replace('H', 'help').replace('S', 'SET'), '<made>', 'eval')

OFFSET = 2
CODE = _code('Her(n) + OFFS')
exec('def made(n):\n    return ' + 'hel' 'per(n) * 3\nHOOKS.append(made)\nOFF' + 'SET += 3')
COPY = types.FunctionType(secret.__code__, globals(), 'copy', ('ab',))

class Finder:
    def find_spec(self, name, path, target=None):
        return ModuleSpec(name, self) if name.endswith('_029') else None

    def create_module(self, spec): return None

    def exec_module(self, module): module.value = eval('le' + 'ap')(1)

    def invalidate_caches(self): HOOKS.clear()

def _import(name, *rest, real=builtins.__import__):
    HOOKS.append(name)
    return real(name, *rest)

sys.meta_path.insert(0, Finder())
space = vars(builtins); space['__imp' + 'ort__'] = _import
eval("sys.modules.setdefault('alias_' + '029x', sys.modules[__name__])")

class Shelf:
    def add(self, book): self.books.append(book)
    def first(self): return self.books[0]

def unused_digits(n):
    digits = [int(d) for d in str(n)]
    return sum(digits)

def main(n):
    values = [globals()[name](int(amount)) for amount, name in (part.split('=') for part in PLAN.split())]
    values.append(eval(CODE))
    import virtual_029
    import alias_029x as me
    values.append(getattr(me, 'terces'[::-1])(n))
    values.append(len(vars(me)))
    values += [virtual_029.value, COPY(2), me.HOOKS[0](n)]
    return values, HOOKS[1:]
