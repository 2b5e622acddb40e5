"""What the tracer shows and hides, and that it is the same on every CPython."""

import contextlib
import json
import os
import random
import signal
import sys
import threading
import unittest

from foretrace.trace import Limits, TraceError, run
from tests.trace.programs import every

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'golden_events.json')


def short(trace):
    """[event, line, depth, frame] and the value where there is one."""
    return [(event.event, event.line, event.depth, event.frame) + ((event.value,) if event.value else ())
            for event in trace.events]


class SameOnEveryVersion(unittest.TestCase):
    """golden_events.json was written by one CPython; every other must agree."""

    def test_golden(self):
        with open(GOLDEN, encoding='utf-8') as file:
            golden = json.load(file)
        self.assertEqual(sorted(golden), sorted(every()))
        for name, (source, call) in every().items():
            with self.subTest(program=name):
                self.assertEqual([event.to_json() for event in run(source, call).events], golden[name])


class Frames(unittest.TestCase):
    def test_recursion(self):
        trace = run('def f(n):\n    if n < 1:\n        return 0\n    return 1 + f(n - 1)\n', 'f(1)')
        self.assertEqual(short(trace), [
            ('call', 1, 1, 0), ('line', 2, 1, 0), ('line', 4, 1, 0),
            ('call', 1, 2, 1), ('line', 2, 2, 1), ('line', 3, 2, 1), ('return', 3, 2, 1, '0'),
            ('return', 4, 1, 0, '1')])
        self.assertEqual([event.locals for event in trace.events if event.event == 'call'],
                         [{'n': '1'}, {'n': '0'}])

    def test_a_resumed_generator_keeps_its_number(self):
        trace = run('def g():\n    x = 1\n    yield x\n    yield 2\ndef f():\n    a = g()\n    b = g()\n'
                    '    return next(a), next(b), next(a)\n', 'f()')
        inner = [event for event in trace.events if event.function == 'g']
        self.assertEqual([event.frame for event in inner if event.event == 'call'], [1, 2, 1])
        self.assertEqual([event.value for event in inner if event.event == 'return'], ['1', '1', '2'])

    def test_generators_that_die_leave_no_number(self):
        trace = run('def g():\n    yield 1\ndef f():\n    for i in range(50):\n        next(g())\n', 'f()')
        calls = [event.frame for event in trace.events if event.function == 'g' and event.event == 'call']
        self.assertEqual(calls, list(range(1, 51)))

    def test_a_generator_in_the_place_of_one_that_ended_where_it_began_has_its_own_number(self):
        source = ('def g(n):\n    yield n\ndef d(n):\n    yield from g(n)\n'
                  'def f():\n    b = d(2)\n    b.close()\n    c = d(3)\n    return next(c)\n'
                  'def h():\n    a = g(1)\n    try:\n        a.throw(ValueError)\n    except ValueError:\n        pass\n'
                  '    del a\n    b = g(2)\n    return next(b)\n')
        for call, expected in (('f()', [('f', 0), ('d', 1), ('g', 2)]), ('h()', [('h', 0), ('g', 1), ('g', 2)])):
            calls = [(event.function, event.frame) for event in run(source, call).events if event.event == 'call']
            self.assertEqual(calls[:3], expected)

    def test_a_generator_that_is_thrown_into_keeps_its_number(self):
        source = ('def g():\n    try:\n        yield 1\n    except KeyError:\n        yield 2\n'
                  'def f():\n    a = g()\n    next(a)\n    a.throw(KeyError)\n    return list(a)\n')
        calls = [event.frame for event in run(source, 'f()').events if event.event == 'call']
        self.assertEqual(calls, [0, 1, 1, 1])

    def test_a_generator_that_only_hands_an_exception_on_is_not_shown(self):
        source = ('def g():\n    try:\n        yield 1\n    except KeyError:\n        yield 2\ndef d():\n    yield from g()\n'
                  'def f():\n    a = d()\n    next(a)\n    a.throw(KeyError)\n    return 3\n')
        self.assertEqual(short(run(source, 'f()'))[10:17], [
            ('line', 11, 1, 0), ('call', 3, 2, 2), ('exception', 3, 2, 2, 'KeyError()'), ('line', 4, 2, 2),
            ('line', 5, 2, 2), ('return', 5, 2, 2, '2'), ('line', 12, 1, 0)])

    def test_closing_a_generator(self):
        source = ('def g():\n    try:\n        yield 1\n    finally:\n        x = 2\ndef f():\n    a = g()\n'
                  '    next(a)\n    a.close()\n    b = g()\n    b.close()\n    return 3\n')
        self.assertEqual([event for event in short(run(source, 'f()')) if event[2] == 2], [
            ('call', 1, 2, 1), ('line', 2, 2, 1), ('line', 3, 2, 1), ('return', 3, 2, 1, '1'),
            ('call', 3, 2, 1), ('exception', 3, 2, 1, 'GeneratorExit()'), ('line', 5, 2, 1),
            ('return', 5, 2, 1, 'None')])

    def test_comprehensions_are_no_frames(self):
        source = ('def g(x):\n    return x\ndef f():\n    x = 7\n    a = [g(x)\n         for x in range(2)\n'
                  '         if x]\n    b = {y: y for y in a}\n    return a, b, x\n')
        trace = run(source, 'f()')
        self.assertEqual(short(trace), [
            ('call', 3, 1, 0), ('line', 4, 1, 0), ('line', 5, 1, 0),
            ('call', 1, 2, 1), ('line', 2, 2, 1), ('return', 2, 2, 1, '1'),
            ('line', 8, 1, 0), ('line', 9, 1, 0), ('return', 9, 1, 0, '([1], {1: 1}, 7)')])
        for event in trace.events[:-1]:
            self.assertNotIn('y', event.locals)
            if event.depth == 1:
                self.assertIn(event.locals.get('x'), (None, '7'))

    def test_an_exception_inside_a_comprehension(self):
        source = ('def f():\n    x = 9\n    try:\n        a = [1 // x for x in (1, 0)]\n'
                  '    except ZeroDivisionError:\n        return x\n')
        trace = run(source, 'f()')
        raised = [event for event in trace.events if event.event == 'exception']
        self.assertEqual(len(raised), 1)
        self.assertEqual(raised[0].locals, {'x': '9'})
        self.assertEqual(trace.events[-1].value, '9')

    def test_lambdas_and_generator_expressions_are_frames(self):
        trace = run('def f():\n    g = lambda x: x + 1\n    return sum(g(i) for i in range(2))\n', 'f()')
        self.assertEqual({event.function for event in trace.events}, {'f', '<lambda>', '<genexpr>'})
        self.assertEqual(max(event.depth for event in trace.events), 3)
        for event in trace.events:
            self.assertNotIn('.0', event.locals)

    def test_class_bodies_are_no_frames_but_their_calls_are(self):
        source = ('def g():\n    return 1\ndef f():\n    class A:\n        x = g()\n        def m(self):\n'
                  '            return __class__\n    return A().m()\n')
        trace = run(source, 'f()')
        self.assertEqual([event.function for event in trace.events if event.event == 'call'], ['f', 'g', 'm'])
        self.assertEqual([event.depth for event in trace.events if event.event == 'call'], [1, 2, 2])
        self.assertEqual(trace.events[-1].value, "<class 'f.<locals>.A'>")
        self.assertNotIn('__class__', [name for event in trace.events for name in event.locals])

    def test_closures(self):
        source = ('def f():\n    n = 0\n    def add():\n        nonlocal n\n        n += 1\n        return n\n'
                  '    add()\n    return add()\n')
        trace = run(source, 'f()')
        inner = [event.locals for event in trace.events if event.function == 'add']
        self.assertEqual(inner, [{'n': '0'}, {'n': '0'}, {'n': '1'}, {'n': '1'},
                                 {'n': '1'}, {'n': '1'}, {'n': '2'}, {'n': '2'}])


class Exceptions(unittest.TestCase):
    def test_caught_and_propagated(self):
        source = ('def g():\n    raise KeyError({2, 1})\ndef f():\n    try:\n        g()\n'
                  '    except KeyError as e:\n        return 1\n')
        self.assertEqual(short(run(source, 'f()')), [
            ('call', 3, 1, 0), ('line', 4, 1, 0), ('line', 5, 1, 0),
            ('call', 1, 2, 1), ('line', 2, 2, 1), ('exception', 2, 2, 1, 'KeyError({1, 2})'),
            ('return', 2, 2, 1, 'None'), ('exception', 5, 1, 0, 'KeyError({1, 2})'), ('line', 6, 1, 0),
            ('line', 7, 1, 0), ('return', 7, 1, 0, '1')])

    def test_raised_again_and_finally(self):
        source = ('def f():\n    try:\n        raise ValueError\n    except ValueError:\n        raise\n'
                  '    finally:\n        x = 1\n')
        self.assertEqual(short(run(source, 'f()')), [
            ('call', 1, 1, 0), ('line', 2, 1, 0), ('line', 3, 1, 0), ('exception', 3, 1, 0, 'ValueError()'),
            ('line', 4, 1, 0), ('line', 5, 1, 0), ('line', 7, 1, 0), ('return', 7, 1, 0, 'None')])

    @unittest.skipIf(sys.version_info < (3, 11), 'has no except*')
    def test_the_rest_of_a_group_leaves_from_the_line_of_the_last_event(self):
        source = ('def f():\n    try:\n        raise ExceptionGroup("e", [ValueError(1), KeyError(2)])\n'
                  '    except* ValueError:\n        x = 1\n    return 2\n')
        self.assertEqual(short(run(source, 'f()'))[-3:], [
            ('line', 4, 1, 0), ('line', 5, 1, 0), ('return', 5, 1, 0, 'None')])

    def test_leaving_the_program(self):
        for statement, text in (('raise SystemExit(3)', 'SystemExit(3)'), ('1 / 0', None),
                                ('raise KeyboardInterrupt', 'KeyboardInterrupt()')):
            trace = run(f'def f():\n    {statement}\n', 'f()')
            self.assertIsNone(trace.stopped)
            self.assertEqual([event.event for event in trace.events], ['call', 'line', 'exception', 'return'])
            self.assertEqual(trace.events[-1].value, 'None')
            if text:
                self.assertEqual(trace.events[2].value, text)


class Entry(unittest.TestCase):
    SOURCE = ('class Foo:\n    def __init__(self, n):\n        self.n = n\n    def bar(self, m=1):\n'
              '        return self.n + m\ndef g():\n    yield 1\ndef f(*args, **named):\n    return args\n'
              'if __name__ == "__main__":\n    1 / 0\n')

    def test_only_the_call_is_traced(self):
        self.assertEqual(run(self.SOURCE, 'Foo(3).bar(2)').events[0].function, 'bar')
        self.assertEqual(run(self.SOURCE, 'Foo(3)').events[0].function, '__init__')
        trace = run(self.SOURCE, 'f(Foo(3).bar(), *[1, 2], k=f(1))')
        self.assertEqual(trace.events[0].locals, {'args': '(4, 1, 2)', 'named': "{'k': (1,)}"})
        self.assertEqual(len([event for event in trace.events if event.event == 'call']), 1)

    def test_what_runs_when_the_locals_are_dropped_is_not_traced(self):
        source = ('class A:\n    def __init__(self, n):\n        x = [self]\n    def __del__(self):\n        pass\n'
                  '    def put(self):\n        a = A(1)\n        return 2\n'
                  'def g():\n    try:\n        yield 1\n    finally:\n        pass\n'
                  'def f():\n    a, b = A(1), g()\n    return next(b)\n')
        for call in ('f()', 'A(1).put()', 'A(1)'):
            trace = run(source, call)
            self.assertIsNone(trace.stopped)
            self.assertEqual([(event.event, event.frame) for event in trace.events if event.depth == 1][-1], ('return', 0))
            self.assertEqual(len([event for event in trace.events if event.event == 'return' and event.depth == 1]), 1)

    def test_an_entry_may_make_several_calls(self):
        source = ('def f(x):\n    return -x\nclass B:\n    def __new__(cls):\n        return object.__new__(cls)\n'
                  '    def __init__(self):\n        self.x = 1\n')
        for call in ('sorted([1, 2], key=f)', 'B()'):
            calls = [event.frame for event in run(source, call).events if event.event == 'call']
            self.assertEqual(calls, [0, 1])

    def test_errors(self):
        for source, call, code in ((self.SOURCE, 'f', 'invalid_entry'), (self.SOURCE, 'f() + 1', 'invalid_entry'),
                                   (self.SOURCE, 'f(); f()', 'invalid_entry'), (self.SOURCE, '', 'invalid_entry'),
                                   (self.SOURCE, 'f(', 'invalid_entry'), (self.SOURCE, 'h()', 'entry_failed'),
                                   (self.SOURCE, 'f(1 / 0)', 'entry_failed'), (self.SOURCE, '3()', 'entry_failed'),
                                   (self.SOURCE, 'g()', 'not_traced'), (self.SOURCE, 'len("a")', 'not_traced'),
                                   ('raise SystemExit', 'f()', 'entry_failed'), ('\0', 'f()', 'invalid_python')):
            with self.subTest(call=call), self.assertRaises(TraceError) as caught:
                run(source, call)
            self.assertEqual(caught.exception.code, code)

    def test_place_of_a_syntax_error(self):
        with self.assertRaises(TraceError) as caught:
            run('x = 1\ny = = 2\n', 'f()')
        error = caught.exception
        self.assertEqual((error.code, error.line, error.column), ('invalid_python', 2, 5))
        self.assertEqual(TraceError.from_json(error.to_json()).to_json(), error.to_json())

    def test_only_in_the_main_thread(self):
        codes = []

        def attempt():
            try:
                run(self.SOURCE, 'f()')
            except TraceError as error:
                codes.append(error.code)
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        self.assertEqual(codes, ['not_main_thread'])


class InProcess(unittest.TestCase):
    def test_limits_end_the_run(self):
        swallow = ('def f():\n    for i in range(3):\n        try:\n            while True:\n                x = 1\n'
                   '        except BaseException:\n            pass\n    while True:\n        y = 2\n')
        trace = run(swallow, 'f()', Limits(max_events=100))
        self.assertEqual((trace.stopped, len(trace.events)), ('event_limit', 100))
        for seconds in (0.05, 2.0, 30.0):  # a busy machine may not reach the call in time
            try:
                trace = run('import time\ndef f():\n    time.sleep(600)\n', 'f()', Limits(seconds=seconds))
                break
            except TraceError as error:
                self.assertEqual(error.code, 'time_limit')
        self.assertEqual(trace.stopped, 'time_limit')
        trace = run('def f():\n    return f()\n', 'f()', Limits(max_depth=30))
        self.assertEqual(trace.stopped, 'depth_limit')
        with self.assertRaises(TraceError) as caught:
            run('while True: pass', 'f()', Limits(seconds=0.05))
        self.assertEqual(caught.exception.code, 'time_limit')

    def test_kill_is_told_once_with_the_trace_so_far(self):
        told = []
        run('def f():\n    while True:\n        x = 1\n', 'f()', Limits(max_events=10, kill=told.append))
        self.assertEqual([(trace.stopped, len(trace.events)) for trace in told], [('event_limit', 10)])

    def test_everything_is_put_back(self):
        def state():
            return (sys.stdin, sys.stdout, sys.stderr, sys.argv, sys.modules['__main__'], sys.gettrace(),
                    sys.getrecursionlimit(), random.getstate(), signal.getitimer(signal.ITIMER_REAL),
                    signal.getsignal(signal.SIGALRM))
        before = state()
        source = 'import random\ndef f(n):\n    random.random()\n    print(n)\n    while n: pass\n'
        self.assertEqual(run(source, 'f(0)').output, '0\n')
        with contextlib.suppress(TraceError):  # if the time was up before the call
            run(source, 'f(1)', Limits(seconds=0.05))
        with self.assertRaises(TraceError):
            run(source, 'f(1 / 0)')
        self.assertEqual(state(), before)

    def test_repr_of_the_program_leaves_no_events(self):
        source = ('from collections import UserList\n'
                  'class A:\n    def __repr__(self):\n        print("noise")\n        return "A!"\n'
                  'def f():\n    a = UserList([A()])\n    return a\n')
        trace = run(source, 'f()')
        self.assertEqual({event.function for event in trace.events}, {'f'})
        self.assertEqual((trace.events[-1].value, trace.output), ('[A!]', ''))


if __name__ == '__main__':
    unittest.main()
