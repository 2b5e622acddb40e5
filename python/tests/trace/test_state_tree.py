"""The ten actions against a definition-by-search, and the errors at both ends."""

import unittest
from random import Random

from foretrace.trace import Event, Limits, Trace, TraceError, run
from foretrace.trace.policy import choose_action
from foretrace.trace.state_tree import ACTIONS, FORWARD, REVERSE, available, step
from tests.trace.programs import every


def search(trace, i, action, lines):
    """DESIGN section 4 read literally, by looking at every event. None for past an end."""
    events = trace.events
    depth = events[i].depth
    later = range(i + 1, len(events))
    earlier = range(i - 1, -1, -1)
    if not (earlier if action.startswith('inv_') else later):
        return None
    if action == 'step_into':
        return i + 1
    if action == 'inv_step_into':
        return i - 1
    if action == 'step_over' or action == 'step_return' and events[i].event == 'return':
        return next((j for j in later if events[j].depth <= depth), None)
    if action == 'inv_step_over' or action == 'inv_step_call' and events[i].event == 'call':
        return next((j for j in earlier if events[j].depth <= depth), None)
    if action == 'step_return':
        return next((j for j in later if events[j].event == 'return' and events[j].depth == depth), None)
    if action == 'inv_step_call':
        return next((j for j in earlier if events[j].event == 'call' and events[j].depth == depth), None)
    end = len(events) - 1 if trace.stopped is None else None  # a run that was stopped has not shown its end
    if action == 'breakpoint':
        return next((j for j in later if events[j].event == 'line' and events[j].line in lines), end)
    if action == 'inv_breakpoint':
        return next((j for j in earlier if events[j].event == 'line' and events[j].line in lines), 0)
    return end if action == 'continue' else 0


class Actions(unittest.TestCase):
    def check(self, trace, rng):
        lines_of_program = list(range(1, len(trace.source.splitlines()) + 1))
        for i in range(len(trace.events)):
            possible = available(trace, i)
            for action in ACTIONS:
                lines = tuple(rng.sample(lines_of_program, 2)) if action.endswith('breakpoint') else ()
                expected = search(trace, i, action, lines)
                somewhere = expected is not None
                if action == 'breakpoint':
                    somewhere = search(trace, i, action, lines_of_program) is not None
                self.assertEqual(action in possible, somewhere, (i, action))
                if expected is None:
                    with self.assertRaises(TraceError) as caught:
                        step(trace, i, action, lines)
                    code = 'past_start' if action in REVERSE else 'past_end'
                    self.assertEqual(caught.exception.code, code)
                else:
                    self.assertEqual(step(trace, i, action, lines), expected, (i, action, lines))

    def test_against_search(self):
        for name, (source, call) in every().items():
            with self.subTest(program=name):
                self.check(run(source, call), Random(7))

    def test_a_stopped_run_lacks_returns(self):
        source, call = every()['raising']
        full = run(source, call)
        for count in range(1, len(full.events), 5):
            self.check(Trace(source, call, full.events[:count], 'event_limit'), Random(count))

    def test_a_stopped_run_has_no_end_to_go_to(self):
        trace = run('def f(n):\n    while n:\n        n -= 1\n    return n\n', 'f(9)', Limits(max_events=6))
        self.assertEqual((trace.stopped, len(trace.events)), ('event_limit', 6))
        for action, lines in (('continue', ()), ('breakpoint', (4,)), ('step_return', ())):
            with self.subTest(action=action), self.assertRaises(TraceError) as caught:
                step(trace, 0, action, lines)
            self.assertEqual(caught.exception.code, 'past_end')
            self.assertIn('event_limit', caught.exception.what)
        self.assertEqual(step(trace, 0, 'breakpoint', (3, 4)), 2)
        self.assertNotIn('continue', available(trace, 0))
        self.assertEqual(step(trace, 5, 'inv_continue'), 0)

    def test_both_ends(self):
        trace = run('def f():\n    return 1\n', 'f()')
        last = len(trace.events) - 1
        self.assertEqual(available(trace, 0), list(FORWARD))
        self.assertEqual(available(trace, last), list(REVERSE))
        for action, i, code in (('continue', last, 'past_end'), ('inv_continue', 0, 'past_start')):
            with self.assertRaises(TraceError) as caught:
                step(trace, i, action)
            self.assertEqual(caught.exception.code, code)

    def test_wrong_use(self):
        trace = run('def f():\n    return 1\n', 'f()')
        for arguments, code in (((0, 'jump'), 'unknown_action'), ((9, 'step_into'), 'index_out_of_range'),
                                ((-1, 'step_into'), 'index_out_of_range'), ((0, 'breakpoint'), 'no_lines')):
            with self.assertRaises(TraceError) as caught:
                step(trace, *arguments)
            self.assertEqual(caught.exception.code, code)


class Stack(unittest.TestCase):
    def test_latest_event_of_each_frame(self):
        for name, (source, call) in every().items():
            trace = run(source, call)
            open_frames, latest = [], {}
            for i, event in enumerate(trace.events):
                if event.event == 'call':
                    open_frames.append(event.frame)
                latest[event.frame] = i
                with self.subTest(program=name, event=i):
                    self.assertEqual(trace.stack(i), [latest[frame] for frame in open_frames])
                    self.assertEqual(len(open_frames), event.depth)
                if event.event == 'return':
                    self.assertEqual(open_frames.pop(), event.frame)

    def test_children_are_one_frame_deeper(self):
        source, call = every()['recursion.py']
        trace = run(source, call)
        seen = 0
        for i in range(-1, len(trace.events)):
            for child in trace.index.children(i):
                seen += 1
                self.assertEqual(trace.index.parent[child], i)
                self.assertEqual(trace.events[child].depth, trace.events[i].depth + 1 if i >= 0 else 1)
        self.assertEqual(seen, len(trace.events))

    def test_json(self):
        source, call = every()['exception_path.py']
        trace = run(source, call)
        self.assertEqual(Trace.from_json(trace.to_json()), trace)
        with self.assertRaises(ValueError):
            Event.from_json({**trace.events[0].to_json(), 'event': 'jump'})


class Policy(unittest.TestCase):
    def sample(self, reverse, count=6000):
        source, call = every()['exception_path.py']
        trace = run(source, call)
        rng = Random(1)
        i = next(j for j, event in enumerate(trace.events) if event.event == 'line' and event.depth == 2)
        return trace, i, [choose_action(rng, trace, i, reverse) for _ in range(count)]

    def test_shares(self):
        for reverse, steps, actions in ((False, ('step_into', 'step_over'), FORWARD),
                                        (True, ('inv_step_into', 'inv_step_over'), REVERSE)):
            _, _, chosen = self.sample(reverse)
            for action in actions:
                share = sum(name == action for name, _ in chosen) / len(chosen)
                expected = 0.1 + (0.25 if action in steps else 0)
                self.assertAlmostEqual(share, expected, delta=0.03, msg=action)

    def test_breakpoints_are_mostly_reached(self):
        for reverse in (False, True):
            trace, i, chosen = self.sample(reverse)
            reached = set(trace.index.lines_before(i) if reverse else trace.index.lines_after(i))
            every_line = set(trace.index.lines_after(-1))
            self.assertTrue(every_line - reached, 'the program must have a line that is not reached')
            sizes = set()
            hits = total = 0
            for name, lines in chosen:
                self.assertEqual(bool(lines), name.endswith('breakpoint'))
                self.assertEqual(list(lines), sorted(set(lines)))
                if lines:
                    sizes.add(len(lines))
                    total += len(lines)
                    hits += sum(line in reached for line in lines)
            self.assertEqual(sizes, {1, 2, 3})
            self.assertGreater(hits / total, 0.85)
            self.assertLess(hits / total, 1)

    def test_every_choice_leads_somewhere(self):
        for source, call in every().values():
            trace = run(source, call)
            rng = Random(3)
            for reverse in (False, True):
                end = 0 if reverse else len(trace.events) - 1
                for i in range(len(trace.events)):
                    chosen = choose_action(rng, trace, i, reverse)
                    self.assertEqual(chosen is None, i == end)
                    if chosen is not None:
                        step(trace, i, *chosen)

    def test_every_choice_leads_somewhere_in_a_stopped_run(self):
        source, call = every()['loops']
        full = run(source, call)
        rng = Random(4)
        for count in range(2, len(full.events), 3):
            trace = Trace(source, call, full.events[:count], 'event_limit')
            for i in range(count - 1):
                for _ in range(20):
                    chosen = choose_action(rng, trace, i)
                    self.assertNotEqual(chosen[0], 'continue')
                    at = step(trace, i, *chosen)
                    if chosen[1]:
                        self.assertIn(trace.events[at].line, chosen[1])

    def test_the_seed_decides(self):
        self.assertEqual(self.sample(False, 50)[2], self.sample(False, 50)[2])


if __name__ == '__main__':
    unittest.main()
