"""The subprocess: what a hostile program cannot do, and what its trace says then."""

import os
import tempfile
import unittest

from foretrace.trace import Limits, TraceError
from foretrace.trace.sandbox import trace


def run(source, call='f()', **limits):
    return trace(source, call, Limits(**{'seconds': 60.0, **limits}))


def run_until(stopped, source, **limits):
    """The run with the first time limit that lets it reach its call: the machine may be busy."""
    for seconds in (0.3, 3.0, 30.0):
        try:
            return run(source, seconds=seconds, **limits)
        except TraceError as error:
            if error.code != stopped:
                raise
    raise AssertionError('the call was never reached')


def exceptions(found):
    return [event.value for event in found.events if event.event == 'exception']


class LimitsReached(unittest.TestCase):
    def stopped(self, reason, source, **limits):
        found = run(source, **limits)
        self.assertEqual(found.stopped, reason)
        self.assertEqual(found.events[0].event, 'call')
        return found

    def test_infinite_loop(self):
        found = self.stopped('event_limit', 'def f():\n    while True:\n        x = 1\n', max_events=500)
        self.assertEqual(len(found.events), 500)

    def test_sleeping(self):
        found = run_until('time_limit', 'import time\ndef f():\n    time.sleep(600)\n')
        self.assertEqual((found.stopped, found.events[0].event), ('time_limit', 'call'))

    def test_loop_that_swallows_everything(self):
        source = ('def f():\n    while True:\n        try:\n            x = 1\n        except BaseException:\n'
                  '            pass\n')
        self.stopped('event_limit', source, max_events=200)

    def test_generator_that_swallows_its_close(self):
        source = ('def g():\n    while True:\n        try:\n            yield 1\n        except GeneratorExit:\n'
                  '            pass\ndef f():\n    for i in range(1000):\n        x = g()\n        next(x)\n'
                  '        del x\n')
        self.stopped('event_limit', source, max_events=100)

    def test_limit_inside_a_closing_generator(self):
        source = ('def g():\n    try:\n        yield 1\n    finally:\n        while True:\n            x = 2\n'
                  'def f():\n    for i in g():\n        break\n')
        self.stopped('event_limit', source, max_events=50)

    def test_limit_inside_a_finalizer(self):
        # Up to CPython 3.12 this one runs inside the trace function (see tracer._tick), later it is traced.
        source = ('def g():\n    try:\n        yield 1\n    finally:\n        while True:\n            x = 2\n'
                  'def f():\n    x = g()\n    next(x)\n    del x\n')
        found = run_until('time_limit', source, max_events=50)
        self.assertIn(found.stopped, ('time_limit', 'event_limit'))
        self.assertTrue(found.events)

    def test_memory_bomb(self):
        self.stopped('memory_limit', 'def f():\n    x = [0]\n    while True:\n        x = x + x\n',
                     memory_bytes=200 << 20)
        self.stopped('memory_limit', "def f():\n    return 'a' * 10 ** 11\n")

    def test_output_flood(self):
        found = self.stopped('output_limit', "def f():\n    while True:\n        print('x' * 100)\n",
                             max_output=1000)
        self.assertEqual(len(found.output), 1000)

    def test_output_flood_without_events(self):
        source = ("import sys, itertools\ndef f():\n    sys.stdout.writelines(itertools.repeat('x'))\n")
        self.stopped('output_limit', source, max_output=1000)

    def test_deep_recursion(self):
        found = self.stopped('depth_limit', 'def f():\n    return f()\n', max_depth=50)
        self.assertEqual(max(event.depth for event in found.events), 50)

    def test_removing_the_trace_function(self):
        self.stopped('tracing_lost', 'import sys\ndef f():\n    sys.settrace(None)\n    return 1\n')

    def test_removing_the_trace_function_of_a_frame(self):
        source = ('import sys\ndef g(x):\n    return x\ndef f():\n    sys._getframe().f_trace = None\n    g(1)\n    return 1\n'
                  'def h():\n    f()\n    return 2\n')
        for call in ('f()', 'h()'):
            self.assertEqual(run(source, call).stopped, 'tracing_lost')

    def test_replacing_the_trace_function(self):
        self.stopped('tracing_lost', 'import sys\ndef g():\n    return 2\ndef f():\n'
                                     '    sys.settrace(lambda *event: None)\n    return g()\n')

    def failed(self, code, source, **limits):
        with self.assertRaises(TraceError) as caught:
            run(source, **limits)
        self.assertEqual(caught.exception.code, code)

    def test_one_endless_c_call(self):
        self.failed('time_limit', 'def f():\n    return sum(range(10 ** 12))\n', seconds=0.3)

    def test_endless_module_body(self):
        self.failed('time_limit', 'while True:\n    pass\ndef f():\n    pass\n', seconds=0.3)
        self.failed('time_limit', 'while True:\n    try:\n        while True: pass\n    except BaseException: pass\n',
                    seconds=0.3)

    def test_leaving_the_process(self):
        self.failed('sandbox_failed', 'import os\ndef f():\n    os._exit(0)\n')

    def test_exit_is_an_exception_like_any_other(self):
        for name in ('exit', 'quit', 'sys.exit'):
            found = run(f'import sys\ndef f():\n    {name}(3)\n')
            self.assertEqual(exceptions(found), ['SystemExit(3)'], name)

    def test_repr_that_cannot_be_interrupted(self):
        source = ('from collections import UserList\n'
                  'class A:\n    def __repr__(self):\n        while True:\n            try:\n'
                  '                while True: pass\n            except BaseException: pass\n'
                  'def f():\n    a = UserList([A()])\n    return 1\n')
        found = run(source, seconds=20.0)
        # An interruption may still end it where it falls between two of its `try` blocks.
        if found.stopped is None:
            self.assertEqual(found.events[-1].locals, {'a': '<unrepresentable UserList>'})
        else:
            self.assertEqual(found.stopped, 'time_limit')


class Refused(unittest.TestCase):
    def refused(self, statement, prelude='import os'):
        found = run(f'{prelude}\ndef f():\n    {statement}\n')
        self.assertTrue(exceptions(found), statement)
        self.assertRegex(exceptions(found)[0], r'^PermissionError\(', statement)

    def test_writing_outside(self):
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, 'target')
            for statement in (f'open({target!r}, "w")', f'os.open({target!r}, os.O_CREAT | os.O_WRONLY)',
                              f'os.mkdir({target!r})', f'os.rmdir({folder!r})', f'os.rename("a", {target!r})',
                              f'os.symlink("/", {target!r})', 'os.symlink("/", "here")', 'os.chdir("/")',
                              f'os.mkfifo({target!r})', f'os.chmod({folder!r}, 0)', 'open("../up", "a")',
                              f'os.utime({folder!r})', f'__import__("sqlite3").connect({target!r})'):
                with self.subTest(statement=statement):
                    self.refused(statement)
            for statement in ('os.open("target", os.O_CREAT | os.O_WRONLY, dir_fd=folder)',
                              'os.mkdir("target", dir_fd=folder)', 'os.rmdir("../scratch", dir_fd=folder)'):
                with self.subTest(statement=statement):
                    self.refused(statement, f'import os\nfolder = os.open({folder!r}, os.O_RDONLY)')
            self.assertEqual(os.listdir(folder), [])

    def test_processes_threads_network(self):
        for statement in ('os.fork()', 'os.system("true")', 'os.kill(os.getppid(), 0)',
                          'os.execv("/bin/true", ["true"])',
                          '__import__("subprocess").run(["true"])', '__import__("socket").socket()',
                          '__import__("threading").Thread(target=f).start()', '__import__("ctypes")',
                          '__import__("_thread").start_new_thread(f, ())', 'os.posix_spawn("/bin/true", ["true"], {})',
                          '__import__("multiprocessing.util").util.spawnv_passfds(b"/bin/true", [b"true"], ())',
                          '__import__("socket").socketpair()[0].connect("/nowhere")',
                          '__import__("resource").setrlimit(0, (1, 1))'):
            with self.subTest(statement=statement):
                self.refused(statement)

    def test_fork_bomb(self):
        found = run('import os\ndef f():\n    while True:\n        try:\n            os.fork()\n'
                    '        except OSError:\n            pass\n', max_events=300)
        self.assertEqual(found.stopped, 'event_limit')
        self.assertIn("PermissionError('os.fork is refused here')", exceptions(found))

    def test_big_file(self):
        found = run('def f():\n    with open("a", "w") as file:\n        file.write("x" * 10 ** 7)\n')
        self.assertTrue(exceptions(found)[0].startswith('OSError(27'))


class Allowed(unittest.TestCase):
    def test_scratch_folder(self):
        found = run('import os\ndef f():\n    with open("a", "w") as file:\n        file.write("hi")\n'
                    '    os.mkdir("d")\n    os.rename("a", "d/b")\n    with open("d/b") as file:\n'
                    '        return file.read(), os.getcwd()\n')
        text, folder = eval(found.events[-1].value)
        self.assertEqual(text, 'hi')
        self.assertFalse(os.path.exists(folder))

    def test_folders_are_removed_whole(self):
        found = run('import os, shutil, tempfile\ndef f():\n    os.makedirs("d/e")\n    open("d/e/a", "w").close()\n'
                    '    shutil.rmtree("d")\n    with tempfile.TemporaryDirectory() as folder:\n'
                    '        open(os.path.join(folder, "b"), "w").close()\n    return os.listdir(".")\n')
        self.assertEqual((exceptions(found), found.events[-1].value), ([], '[]'))

    def test_writing_to_nowhere(self):
        found = run('import os\ndef f():\n    with open(os.devnull, "w") as file:\n        return file.write("x")\n')
        self.assertEqual(found.events[-1].value, '1')

    def test_asyncio(self):
        found = run('import asyncio\nasync def g():\n    await asyncio.sleep(0)\n    return 4\n'
                    'def f():\n    return asyncio.run(g())\n')
        self.assertEqual(found.events[-1].value, '4')

    def test_surroundings_are_the_same_every_time(self):
        source = ('import random, sys\ndef f():\n    print("out")\n    print("err", file=sys.stderr)\n'
                  '    return random.random(), hash("a"), list({"p", "q", "r", "s"}), __name__, sys.stdin.read()\n')
        first, second = run(source), run(source)
        self.assertEqual(first, second)
        self.assertEqual(first.output, 'out\nerr\n')
        self.assertIn("'__main__', '')", first.events[-1].value)

    def test_input_is_empty(self):
        self.assertIn("EOFError('EOF when reading a line')", exceptions(run('def f():\n    return input()\n')))

    def test_errors_cross_the_pipe(self):
        for source, call, code in (('def f(:', 'f()', 'invalid_python'), ('def f(): pass', 'f', 'invalid_entry'),
                                   ('def f(): pass', 'f(1 / 0)', 'entry_failed'),
                                   ('1 / 0', 'f()', 'entry_failed'), ('', 'len("a")', 'not_traced')):
            with self.assertRaises(TraceError) as caught:
                run(source, call)
            self.assertEqual(caught.exception.code, code)


if __name__ == '__main__':
    unittest.main()
