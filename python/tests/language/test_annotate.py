import unittest

from foretrace.language.annotate import annotate
from foretrace.language.program import Program
from foretrace.trace.tracer import Limits, run

from .support import runs, trace_of


def annotated(source, call):
    program = Program.parse(source, call)
    return annotate(program, run(program.source, program.call, Limits()))


class Annotate(unittest.TestCase):
    def test_counters_of_nested_loops(self):
        found = annotated("def f(n):\n  for i in range(n):\n    for j in range(i):\n      pass\n  return n\n", "f(2)")
        lines = [(frame.line, frame.its) for frame in found.frames if frame.event == "line"]
        self.assertEqual(lines, [(2, (0,)), (3, (0, 0)), (2, (1,)), (3, (1, 0)), (4, (1, 0)), (3, (1, 1)), (2, (2,)),
                                 (5, ())])

    def test_counters_without_the_for_line_start_at_zero_and_pause(self):
        program = Program.parse("def g(): pass\ndef f(a):\n  for x in a:\n    g()\n", "f(1)")
        f, g = ({}, None, "f"), ({}, None, "g")
        rows = [("call", 2, 1, 0, *f), ("line", 4, 1, 0, *f), ("call", 1, 2, 1, *g),
                ("return", 1, 2, 1, {}, "None", "g"),
                ("line", 3, 1, 0, *f), ("line", 4, 1, 0, *f), ("line", 3, 1, 0, *f)]
        found = annotate(program, trace_of(rows))
        self.assertEqual([frame.its for frame in found.frames], [(), (0,), (), (), (1,), (1,), (2,)])

    def test_gots_of_recursion(self):
        found = annotated("def fib(n):\n  if n < 2:\n    return n\n  return fib(n - 1) + fib(n - 2)\n", "fib(2)")
        events = [(frame.event, frame.line, frame.gots) for frame in found.frames]
        self.assertEqual(events[-5:],
                         [("call", 1, ()), ("line", 2, ()), ("line", 3, ()), ("return", 3, ()),
                          ("return", 4, ("1", "0"))])
        second_call = len(events) - 5
        self.assertEqual([frame.gots for frame in found.stack(second_call)], [("1",), ()])
        self.assertEqual([frame.gots for frame in found.stack(second_call - 1)], [(), ()])
        self.assertEqual(found.common(second_call - 1, second_call), 1)

    def test_a_call_that_raised_gives_no_got_and_a_line_clears_them(self):
        found = annotated("def g(n):\n  return 1 // n\ndef f():\n  try:\n    g(1), g(0)\n  except ZeroDivisionError:\n    pass\n", "f()")
        outer = [(frame.event, frame.line, frame.gots) for i, frame in enumerate(found.frames) if found.depths[i] == 1]
        self.assertEqual(outer[3:], [("exception", 5, ("1",)), ("line", 6, ()), ("line", 7, ()), ("return", 7, ())])

    def test_a_value_other_than_none_joins_though_the_caller_then_raises(self):
        found = annotated("def g():\n  return 1\ndef f():\n  return g() + 'a'\n", "f()")
        self.assertEqual([(frame.event, frame.gots) for frame in found.frames[-2:]],
                         [("exception", ("1",)), ("return", ("1",))])

    def test_gots_keep_the_latest_sixteen(self):
        found = annotated("def g(k):\n  return k\ndef f():\n  return [g(k) for k in range(20)]\n", "f()")
        self.assertEqual(found.frames[-1].gots, tuple(str(k) for k in range(4, 20)))

    def test_a_resumed_generator_is_entered_again(self):
        found = annotated("def g():\n  yield 1\n  yield 2\ndef f():\n  for x in g():\n    pass\n", "f()")
        inside = [i for i, depth in enumerate(found.depths) if depth == 2]
        first, resumed = inside[0], inside[-1]
        self.assertEqual(found.frame_ids[first], found.frame_ids[resumed])
        self.assertEqual(found.common(first, resumed), 1)
        self.assertEqual(found.common(first, first + 1), 2)

    def test_stacks_agree_with_the_trace(self):
        for _, trace, found in runs():
            for i in range(len(trace.events)):
                self.assertEqual(found.chain(i), trace.stack(i))
                stack = found.stack(i)
                self.assertEqual([frame.event for frame in stack[:-1]], [None] * (len(stack) - 1))
                self.assertEqual(stack[-1].event, trace.events[i].event)
                self.assertEqual(stack[-1].locals, trace.events[i].locals)

    def test_names_that_are_not_of_the_scope_are_left_out(self):
        program = Program.parse("def f(a):\n  return a\n", "f(1)")
        found = annotate(program, trace_of([("call", 1, 1, 0, {"zz": "1", "a": "2"}, None, "f")]))
        self.assertEqual(found.frames[0].locals, {"a": "2"})


if __name__ == "__main__":
    unittest.main()
