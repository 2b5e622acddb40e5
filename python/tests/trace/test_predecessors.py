"""Predecessors: a real one is valid, a wrong one is not, and many-to-one steps have several that are."""

import io
import json
import random
import sys
import unittest
from contextlib import redirect_stdout

from foretrace.trace import TraceError, run
from foretrace.trace.predecessors import Candidate, judge
from foretrace.trace.replay_command import main
from foretrace.trace.sandbox import judge as judge_apart
from foretrace.trace.state_tree import REVERSE, available, step

# From 3.12 on no name can be unbound from outside, nor a jump leave one unbound: what would need that cannot be told.
CAN_UNBIND = sys.version_info < (3, 12)
FALSE_IF_UNBOUND = False if CAN_UNBIND else None

BRANCHES = '''def f(a, b):
    if a:
        x = 1
    else:
        x = 2
    y = x * 0
    return y + b
'''
LOOP = '''def g(n):
    return n % 3

def f(n):
    total = []
    for i in range(n):
        if i % 2:
            total.append(g(i))
    total = len(total)
    return total
'''


def line(number, **values):
    return Candidate('line', number, {name: repr(value) for name, value in values.items()})


class JudgeTest(unittest.TestCase):
    def setUp(self):
        self.trace = run(BRANCHES, 'f(True, 3)')

    def judge(self, index, action, *candidates, lines=()):
        return judge(self.trace, index, action, candidates, lines)

    def test_one_step_back(self):
        self.assertEqual(self.judge(3, 'inv_step_into', line(3, a=True, b=3), line(3, a=True, b=4), line(3, a=True, b=3, x=7),
                                    line(2, a=True, b=3), line(3, a=True)),
                         [True, False, True, False, FALSE_IF_UNBOUND])

    def test_many_to_one(self):
        self.assertEqual(self.judge(4, 'inv_step_over', line(6, a=True, b=3, x=1), line(6, a=True, b=3, x=2)), [True, False])
        later = run(BRANCHES.replace('y = x * 0', 'x = x * 0'), 'f(True, 3)')
        candidates = [line(6, a=True, b=3, x=value) for value in (1, 2, 99, 'text', [1])]
        self.assertEqual(judge(later, 4, 'inv_step_into', candidates), [True, True, True, False, False])

    def test_a_line_that_the_run_never_took(self):
        trace = run(BRANCHES.replace('x = 2', 'x = 1'), 'f(True, 3)')
        self.assertEqual(judge(trace, 3, 'inv_step_into', [line(5, a=True, b=3)]), [True if CAN_UNBIND else None])
        self.assertEqual(self.judge(3, 'inv_step_into', line(5, a=True, b=3)), [FALSE_IF_UNBOUND])

    def test_back_to_the_call_runs_the_function(self):
        trace = run('def f(n):\n    m = n % 4\n    n = 0\n    return m\n', 'f(9)')
        for action in ('inv_step_call', 'inv_continue'):
            found = judge(trace, 3, action, [Candidate('call', 1, {'n': text}) for text in ('9', '1', '-3', '2', "'%'", '1.0')]
                          + [Candidate('line', 2, {'n': '9'}), Candidate('call', 1, {'k': '9'})])
            self.assertEqual(found, [True, True, True, False, False, False, False, False])

    def test_breakpoints_allow_no_stop_on_the_way(self):
        trace = run(LOOP, 'f(4)')
        known = next(i for i, event in enumerate(trace.events) if event.line == 9)
        real = trace.events[step(trace, known, 'inv_breakpoint', (7,))]
        first = next(event for event in trace.events if event.line == 7)
        candidates = [Candidate(event.event, event.line, event.locals) for event in (real, first)]
        self.assertEqual(judge(trace, known, 'inv_breakpoint', candidates, (7,)), [True, False])
        self.assertEqual(judge(trace, known, 'inv_breakpoint', [line(9, n=4)], (7,)), [False])

    def test_what_is_no_literal_cannot_be_told(self):
        self.assertEqual(self.judge(4, 'inv_step_over', Candidate('line', 6, {'a': 'True', 'b': '3', 'x': '<A object>'}),
                                    Candidate('line', 6, {'a': 'True', 'b': '3', 'x': "'cut…"}),
                                    Candidate('line', 6, {'a': 'True', 'b': '3', 'x': '1.50'})), [None, None, None])

    def test_objects_are_kept_where_they_look_the_same(self):
        source = 'class A:\n    pass\n\ndef f(n):\n    a = A()\n    n = n % 2\n    return a, n\n'
        trace = run(source, 'f(5)')
        known = next(i for i, event in enumerate(trace.events) if event.line == 7)
        self.assertEqual(judge(trace, known, 'inv_step_into', [
            Candidate('line', 6, {'a': '<A object>', 'n': '7'}), Candidate('line', 6, {'a': '<A object>', 'n': '8'})]),
            [True, False])

    def test_real_predecessors_are_valid_and_random_ones_are_judged_alike_by_running(self):
        trace = run(LOOP, 'f(5)')
        rng = random.Random(2)
        count = 0
        for index in range(1, len(trace.events)):
            for action in REVERSE:
                if action not in available(trace, index):
                    continue
                lines = (7, 8) if action == 'inv_breakpoint' else ()
                real = trace.events[step(trace, index, action, lines)]
                self.assertEqual(judge(trace, index, action, [Candidate(real.event, real.line, real.locals, real.value)], lines),
                                 [True])
                if 'n' in real.locals and real.event == 'call' and real.function == 'f':
                    other = str(rng.randint(0, 9))
                    direct = run(LOOP, f'f({other})').events
                    known = trace.events[index]
                    expected = any((e.event, e.line, e.depth, e.locals, e.value) ==
                                   (known.event, known.line, known.depth, known.locals, known.value) for e in direct[1:])
                    if action == 'inv_continue':
                        self.assertEqual(judge(trace, index, action, [Candidate('call', real.line, {'n': other})]), [expected])
                        count += 1
        self.assertGreater(count, 10)

    def test_errors_are_coded(self):
        for arguments, code in (((0, 'inv_step_into'), 'past_start'), ((1, 'step_into'), 'unknown_action'),
                                ((1, 'inv_breakpoint'), 'no_lines'), ((99, 'inv_step_into'), 'index_out_of_range')):
            with self.assertRaises(TraceError) as caught:
                self.judge(*arguments)
            self.assertEqual(caught.exception.code, code)
        for data in ({}, {'event': 'line'}, {'event': 'go', 'line': 1}, {'event': 'line', 'line': '1'},
                     {'event': 'line', 'line': 1, 'locals': {'a': 1}}):
            with self.assertRaises(TraceError) as caught:
                Candidate.from_json(data)
            self.assertEqual(caught.exception.code, 'bad_candidate')


class CommandTest(unittest.TestCase):
    REQUEST = {'source': BRANCHES, 'call': 'f(True, 3)', 'index': 3, 'action': 'inv_step_into', 'candidates': [
        {'event': 'line', 'line': 3, 'locals': {'a': 'True', 'b': '3'}}, {'event': 'line', 'line': 3, 'locals': {'b': '3'}}]}

    def answers(self, arguments, *lines):
        out = io.StringIO()
        with redirect_stdout(out):
            status = main(arguments, io.StringIO('\n'.join(lines) + '\n'))
        return status, [json.loads(text) for text in out.getvalue().splitlines()]

    def test_with_and_without_the_sandbox(self):
        for arguments in ([], ['--trusted']):
            self.assertEqual(self.answers(arguments, json.dumps(self.REQUEST)), (0, [{'valid': [True, FALSE_IF_UNBOUND]}]))

    def test_a_bad_line_does_not_stop_the_others(self):
        bad = [json.dumps({**self.REQUEST, **change}) for change in
               ({'index': 99}, {'candidates': [1]}, {'candidates': [{}]}, {'call': 'g()'}, {'lines': ['a']}, {'source': 1})]
        status, found = self.answers(['--trusted'], 'x', '[]', *bad, json.dumps(self.REQUEST))
        self.assertEqual(status, 1)
        self.assertEqual([item.get('error', {}).get('code') for item in found],
                         ['bad_request', 'bad_request', 'index_out_of_range', 'bad_request', 'bad_candidate', 'entry_failed',
                          'bad_request', 'bad_request', None])

    def test_an_endless_candidate_is_told_from_the_others(self):
        source = 'def f(n):\n    while n:\n        n -= 1\n    return n\n'
        candidates = [{'event': 'call', 'line': 1, 'locals': {'n': text}} for text in ('2', '-1', '3')]
        found = judge_apart(source, 'f(2)', 5, 'inv_continue', candidates)
        self.assertEqual(found[0], True)
        self.assertIsNone(found[1])
        self.assertEqual(found[2], True)


if __name__ == '__main__':
    unittest.main()
