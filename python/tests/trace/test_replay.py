"""Replays: answers are what the run's own values give, nothing of the run changes, edits are what a hook would do."""

import ast
import random
import sys
import unittest

from foretrace.trace import Limits, Trace, TraceError, run
from foretrace.trace.replay import edit, evaluate
from tests.trace.programs import every

STATEFUL = '''
log = [0]
class Box:
    def __init__(self):
        self.items = [1]
    def add(self, n):
        self.items.append(n)
        return len(self.items)
def note(n):
    log.append(n)
    return n * 2
def f(xs, k):
    total = 0
    box = Box()
    def more():
        nonlocal total
        total += 1
        return total
    for x in xs:
        total += note(x)
        box.add(x)
    waiting = (y for y in xs)
    more()
    del k
    return total + sum(waiting)
'''
CALL = 'f([1, 2, 3], 5)'
PLAIN = 'def f(a, b):\n    c = a + b\n    for i in range(2):\n        c += i\n    return [c, a]\n'


def at_line(trace, line, event='line'):
    return next(i for i, item in enumerate(trace.events) if item.line == line and item.event == event)


class EvaluateTest(unittest.TestCase):
    def setUp(self):
        self.trace = run(STATEFUL, CALL)
        self.inside = at_line(self.trace, 21)

    def ask(self, *texts, at=None):
        at = self.inside if at is None else at
        return evaluate(self.trace, {at: texts})[at]

    def test_names_are_found_in_frame_closure_module_and_builtins(self):
        self.assertEqual(self.ask('x', 'note(3)', 'log', 'len(xs)', 'k'),
                         [('value', '1'), ('value', '6'), ('value', '[0, 1]'), ('value', '3'), ('value', '5')])
        inner = at_line(self.trace, 17)
        self.assertEqual(self.ask('total', at=inner), [('value', '12')])

    def test_own_frames_of_the_expression_see_the_locals(self):
        self.assertEqual(self.ask('[n * total for n in xs]', '(lambda n: n + total)(1)', 'sum(n + x for n in xs)'),
                         [('value', '[2, 4, 6]'), ('value', '3'), ('value', '9')])

    def test_exceptions_are_answers(self):
        self.assertEqual(self.ask('1 / 0', 'unbound', 'xs[9]', "{}['a']"),
                         [('exception', "ZeroDivisionError('division by zero')"),
                          ('exception', 'NameError("name \'unbound\' is not defined")'),
                          ('exception', "IndexError('list index out of range')"), ('exception', "KeyError('a')")])

    def test_one_expression_does_not_see_what_another_changed(self):
        self.assertEqual(self.ask('xs.append(9)', 'xs', 'box.add(9)', 'box.add(9)', 'more()', 'more()', 'total',
                                  'note(7)', 'log', 'box.items'),
                         [('value', 'None'), ('value', '[1, 2, 3]'), ('value', '2'), ('value', '2'), ('value', '3'),
                          ('value', '3'), ('value', '2'), ('value', '14'), ('value', '[0, 1]'), ('value', '[1]')])

    def test_the_run_goes_on_as_if_nothing_had_been_asked(self):
        """A replay that lost its way would leave out the answers of later events."""
        asked = {i: ['xs.append(9)', 'box.add(1)', 'more()', 'log.clear()', 'note(1)', 'xs.sort(reverse=True)', '1']
                 for i in range(len(self.trace.events))}
        answers = evaluate(self.trace, asked)
        self.assertEqual({i: found[-1] for i, found in answers.items()}, {i: ('value', '1') for i in asked})
        self.assertEqual(answers[len(self.trace.events) - 1][2], ('value', '14'))

    def test_what_cannot_be_copied_or_ends_badly_has_no_answer(self):
        at = at_line(self.trace, 23)
        self.assertEqual(self.ask('waiting', 'next(waiting)', 'x', at=at), [None, None, ('value', '3')])
        self.assertEqual(self.ask('while', '(y := 1)', '(lambda g: g(g))(lambda g: g(g))', 'exit()', 'x'),
                         [None, None, None, None, ('value', '1')])

    def test_endless_expressions_end(self):
        self.assertEqual(self.ask('[0 for _ in iter(int, 1)]', 'x'), [None, ('value', '1')])

    def test_addresses_are_no_answers(self):
        self.assertEqual(self.ask('str(box)', "f'{more}'", 'box'), [None, None, ('value', '<Box object {items: [1]}>')])

    def test_places_of_modules_are_no_answers(self):
        trace = run('import math\nimport sys\ndef f(a):\n    return a\n', 'f(1)')
        self.assertEqual(evaluate(trace, {1: ['str(math)', "b'%r' % math", '{repr(sys)}', '[str(sys)[0:8]]', 'math', "'<module'"]})[1],
                         [None, None, None, ('value', "['<module ']"), ('value', "<module 'math'>"), ('value', "'<module'")])

    def test_long_values_are_cut_as_in_the_trace(self):
        trace = run(PLAIN, 'f(1, 2)', Limits(max_length=20))
        self.assertEqual(evaluate(trace, {1: ['list(range(99))']})[1], [('value', '[0, 1, 2, 3, 4, 5, …')])

    def test_every_event_of_every_program_can_be_asked(self):
        count = 0
        for source, call in every().values():
            trace = run(source, call)
            picked = random.Random(1).sample(range(len(trace.events)), min(25, len(trace.events)))
            answers = evaluate(trace, {i: [*trace.events[i].locals, '1'] for i in picked})
            for i in picked:
                self.assertEqual(answers[i][-1], ('value', '1'), (source, i))
                for (name, text), answer in zip(trace.events[i].locals.items(), answers[i]):
                    if answer is not None and '__' not in name and 'set' not in text:
                        self.assertEqual(answer, ('value', text), name)
                        count += 1
        self.assertGreater(count, 300)

    def test_unknown_events_are_refused(self):
        with self.assertRaises(TraceError) as caught:
            evaluate(self.trace, {len(self.trace.events): ['1']})
        self.assertEqual(caught.exception.code, 'index_out_of_range')


class EditTest(unittest.TestCase):
    def setUp(self):
        self.trace = run(PLAIN, 'f(1, [2][0])')

    def code(self, *arguments, **named):
        with self.assertRaises(TraceError) as caught:
            edit(self.trace, *arguments, **named)
        return caught.exception.code

    def test_the_run_goes_on_with_the_new_value(self):
        at = at_line(self.trace, 4)
        found = edit(self.trace, at, {'c': 'c + 100', 'a': "[a, 'x']"})
        self.assertEqual(found.events[:at], self.trace.events[:at])
        self.assertEqual(found.events[at].locals, {'a': "[1, 'x']", 'b': '2', 'c': '103', 'i': '0'})
        self.assertEqual(found.events[-1].value, "[104, [1, 'x']]")
        self.assertIsNone(found.stopped)

    def test_at_the_call_itself(self):
        self.assertEqual(edit(self.trace, 0, {'a': '10'}).events[-1].value, '[13, 10]')

    def test_all_new_values_are_made_before_any_is_set(self):
        self.assertEqual(edit(self.trace, 1, {'a': 'b', 'b': 'a'}).events[1].locals, {'a': '2', 'b': '1'})

    @unittest.skipIf(sys.version_info >= (3, 12), 'names cannot be unbound from outside')
    def test_a_name_can_be_unbound(self):
        found = edit(self.trace, at_line(self.trace, 4), {'c': None})
        self.assertNotIn('c', found.events[at_line(self.trace, 4)].locals)
        self.assertIn('UnboundLocalError', ''.join(event.value or '' for event in found.events))

    @unittest.skipIf(sys.version_info < (3, 12), 'names can be unbound')
    def test_or_it_is_refused(self):
        with self.assertRaises(TraceError) as caught:
            edit(self.trace, at_line(self.trace, 4), {'c': None})
        self.assertEqual(caught.exception.code, 'edit_failed')

    def test_a_name_not_yet_bound_can_be_bound(self):
        found = edit(self.trace, 1, {'i': '7'})
        self.assertEqual(found.events[1].locals, {'a': '1', 'b': '2', 'i': '7'})

    def test_names_of_closures(self):
        trace = run(STATEFUL, CALL)
        at = at_line(trace, 17)  # in the inner function: a free variable
        found = edit(trace, at, {'total': '50'})
        self.assertEqual(found.events[at].locals, {'total': '50'})
        self.assertEqual(found.events[-1].value, '57')
        at = at_line(trace, 21)  # in the outer function: a cell
        self.assertEqual(edit(trace, at, {'total': '1000'}).events[-1].value, '1017')

    def test_a_running_loop_keeps_its_iterator(self):
        trace = run(STATEFUL, CALL)
        found = edit(trace, at_line(trace, 20), {'xs': '[]'})
        self.assertEqual([event.locals['x'] for event in found.events if event.line == 20], ['1', '2', '3'])

    def test_limits_end_an_edited_run(self):
        source = 'def f(n):\n    while n:\n        n -= 1\n    return n\n'
        found = edit(run(source, 'f(2)'), 1, {'n': '-1'}, more=9)
        self.assertEqual((len(found.events), found.stopped), (11, 'event_limit'))

    def test_errors_are_coded(self):
        self.assertEqual(self.code(1, {'zz': '1'}), 'unknown_name')
        self.assertEqual(self.code(1, {'a': '1 +'}), 'edit_failed')
        self.assertEqual(self.code(1, {'a': '1 / 0'}), 'edit_failed')
        self.assertEqual(self.code(1, {'a': '[0 for _ in iter(int, 1)]'}), 'edit_failed')
        self.assertEqual(self.code(99, {'a': '1'}), 'index_out_of_range')
        self.assertEqual(self.code(at_line(self.trace, 2), {}, line=4), 'edit_failed')  # into a loop

    def test_a_failed_edit_does_not_stay(self):
        before = [event.to_json() for event in self.trace.events]
        self.code(1, {'a': '5', 'b': '1 / 0'})
        self.assertEqual([event.to_json() for event in self.trace.events], before)

    def test_a_run_that_does_something_else_is_noticed(self):
        other = Trace(PLAIN, 'f(5, 5)', self.trace.events)
        with self.assertRaises(TraceError) as caught:
            edit(other, 3, {'c': '1'})
        self.assertEqual(caught.exception.code, 'diverged')
        self.assertEqual(evaluate(other, {3: ['1']}), {3: [None]})

    def test_jumps(self):
        source = 'def f(a):\n    if a:\n        x = 1\n    else:\n        x = 2\n    return x\n'
        trace = run(source, 'f(True)')
        found = edit(trace, 2, {}, line=5)
        self.assertEqual([(event.event, event.line) for event in found.events[2:]],
                         [('line', 5), ('line', 6), ('return', 6)])
        self.assertEqual(found.events[-1].value, '2')

    def test_random_edits_against_literals(self):
        """`f` depends on its arguments alone: an edit at the call is the call with other arguments."""
        rng = random.Random(5)
        for _ in range(60):
            values = [rng.choice([rng.randint(-99, 99), rng.random(), True]) for _ in range(2)]
            found = edit(self.trace, 0, dict(zip('ab', map(repr, values))))
            direct = run(PLAIN, f'f({values[0]!r}, {values[1]!r})')
            self.assertEqual(found.events, direct.events)

    def test_the_length_of_values_travels_with_the_trace(self):
        trace = run(PLAIN, 'f(1, 2)', Limits(max_length=33))
        again = Trace.from_json(trace.to_json())
        self.assertEqual((again.max_length, again), (33, trace))
        self.assertEqual(ast.literal_eval(edit(again, 1, {'a': '7'}).events[-1].value), [10, 7])


if __name__ == '__main__':
    unittest.main()
