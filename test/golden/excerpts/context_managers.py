# main(0)
import contextlib
LOG = []
STACK = contextlib.ExitStack()

@contextlib.contextmanager
def tag(name):
    LOG.append('<' + name)
    try:
        yield name.upper()
    finally:
        LOG.append('>' + name)

class Guard(contextlib.ContextDecorator):
    def __enter__(self): return self
    def __exit__(self, kind, error, trace): return kind is ZeroDivisionError
    def _recreate_cm(self): return Quiet()

class Quiet(contextlib.nullcontext):
    def __exit__(self, *error): return True

class Door:
    def close(self): LOG.append('shut')
    def open(self): LOG.append('open')

class Ask:
    def __await__(self):
        got = yield 'ask'
        return got * 2
class Ticks:
    def __init__(self): self.n = 0
    def __aiter__(self): return self
    async def __anext__(self):
        self.n += 1
        if self.n > 2: raise StopAsyncIteration
        return self.n
    async def __aenter__(self): return await Ask()
    async def __aexit__(self, *error): self.n = 0
def closing_time(*error): LOG.append(error[0] is None)
STACK.enter_context(tag('outer'))
outer = STACK
outer.push(closing_time)
outer.callback(Door().close)
class Pool:
    def acquire(self): return self
    def release(self): LOG.clear()
def unused_pool(size):
    return [Pool().acquire() for _ in range(size)]
async def flow():
    async with Ticks() as value:
        return value + sum([n async for n in Ticks()])
def main(n):
    with STACK, contextlib.closing(Door()):
        risky = Guard()(lambda: 1 // n)
        value = risky()
    running = flow()
    asked = running.send(None)
    try:
        running.send(n + 5)
    except StopIteration as end:
        return asked, end.value, value, LOG
