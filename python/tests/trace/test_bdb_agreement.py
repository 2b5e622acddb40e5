"""The state tree against the standard library's debugger, driven with random actions.

bdb runs the code object that the tracer runs, because `compile_program` moves the positions inside
comprehensions; and it is not shown what the tracer hides (comprehension and class body frames, inlined
comprehensions, a line that CPython 3.12 repeats, the StopIteration that ends a `yield from` on some versions). Two documented differences:
from a `return` event step_return is step_over, so set_next is used there; and in a generator's frame bdb's
set_next and set_return wait for the generator's end across its yields, while here a yield is a `return`
event like any other, so only set_step is used there. (A third, which no program here meets: bdb counts a generator that hands an
exception thrown into it on to another one, although it has no events then; see `Recorder`.)
"""

import bdb
import sys
import unittest
from dis import opname
from random import Random

from foretrace.trace import run
from foretrace.trace.program import PROGRAM_FILE, collect, compile_entry, compile_program, plan_frame
from foretrace.trace.recorder import DELEGATIONS
from foretrace.trace.state_tree import step
from tests.trace.programs import every

SEQUENCES = 25


class Driver(bdb.Bdb):
    """Takes a random action at each stop and notes (action taken before, event, line, depth)."""

    def __init__(self, rng):
        super().__init__()
        self.rng = rng
        self.stops = []
        self.action = 'step_into'
        self.plans = {}
        self.lines = {}

    def shown(self, frame):
        if frame.f_code.co_filename != PROGRAM_FILE:
            return None
        if frame.f_code not in self.plans:
            self.plans[frame.f_code] = plan_frame(frame.f_code)
        plan = self.plans[frame.f_code]
        return None if plan.hidden else plan

    def trace_dispatch(self, frame, event, argument):
        plan = self.shown(frame)
        if plan is None:
            return None
        if event == 'line' and (plan.is_inlined(frame.f_lasti) or self.repeats(frame, plan)):
            return self.trace_dispatch
        if event == 'exception' and plan.generator and argument[0] is StopIteration and (
                opname[frame.f_code.co_code[frame.f_lasti]] in DELEGATIONS):
            return self.trace_dispatch
        return super().trace_dispatch(frame, event, argument)

    def repeats(self, frame, plan):
        line, offset = self.lines.get(frame, (0, 0))
        self.lines[frame] = frame.f_lineno, frame.f_lasti
        return (plan.shortcuts is not None and line == frame.f_lineno and frame.f_lasti > offset
                and frame.f_lasti in plan.shortcuts)

    def stop(self, frame, event):
        depth, walker = 0, frame
        while walker is not None:
            depth += self.shown(walker) is not None
            walker = walker.f_back
        self.stops.append((self.action, event, frame.f_lineno, depth))
        single = self.shown(frame).generator
        self.action = 'step_into' if single else self.rng.choice(['step_into', 'step_over', 'step_return'])
        if self.action == 'step_into':
            self.set_step()
        elif self.action == 'step_over' or event == 'return':
            self.set_next(frame)
        else:
            self.set_return(frame)

    def user_call(self, frame, arguments):
        self.stop(frame, 'call')

    def user_line(self, frame):
        self.stop(frame, 'line')

    def user_return(self, frame, value):
        self.stop(frame, 'return')

    def user_exception(self, frame, information):
        self.stop(frame, 'exception')


def drive(source, call, seed):
    """The stops of one random session of bdb."""
    driver = Driver(Random(seed))
    space = {'__name__': '__main__'}
    exec(compile_program(source), space)
    entry = compile_entry(call)
    function = eval(entry.callee, space)
    positional, named = eval(entry.arguments, space, {'__foretrace_collect__': collect})
    driver.reset()
    try:
        sys.settrace(driver.trace_dispatch)
        function(*positional, **named)
    except Exception:
        pass
    finally:
        sys.settrace(None)
    return driver.stops


class BdbAgreement(unittest.TestCase):
    def test_every_stop(self):
        taken = set()
        for name, (source, call) in every().items():
            trace = run(source, call)
            self.assertIsNone(trace.stopped, name)
            for seed in range(SEQUENCES):
                with self.subTest(program=name, seed=seed):
                    stops = drive(source, call, seed)
                    i = 0
                    for action, event, line, depth in stops:
                        i = step(trace, i, action)
                        found = trace.events[i]
                        self.assertEqual((found.event, found.line, found.depth), (event, line, depth),
                                         f'{action} to event {i}')
                        taken.add((action, event))
                    self.assertEqual(i, len(trace.events) - 1, 'both end at the last event')
        for action in ('step_into', 'step_over', 'step_return'):
            for event in ('line', 'return'):
                self.assertIn((action, event), taken)


if __name__ == '__main__':
    unittest.main()
