import random
import unittest

from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.context import Move, build_context, chosen_context
from foretrace.language.decode import Delta, DeltaDecoder, apply_delta, decode_delta
from foretrace.language.encode import (delta_between, encode_action, encode_delta, encode_keyframe, keyframe_at,
                                       shown_after)
from foretrace.language.errors import DecodeError, EncodeError
from foretrace.language.frames import Frame
from foretrace.language.program import Program
from foretrace.trace.errors import TraceError
from foretrace.trace.state_tree import ACTIONS, step
from foretrace.trace.tracer import Limits, run

from .support import pairs, plain, runs


class RoundTrip(unittest.TestCase):
    def check(self, annotated, i, j):
        stack = annotated.stack(i)
        delta = decode_delta(annotated.program, delta_between(annotated, i, j), len(stack))
        self.assertIsInstance(delta, Delta)
        self.assertEqual(plain(apply_delta(annotated.program, stack, delta)), plain(annotated.stack(j)))

    def test_every_action_from_every_event(self):
        seen = dict.fromkeys(ACTIONS, 0)
        for program, trace, annotated in runs():
            lines = sorted({event.line for event in trace.events})
            for i in range(len(trace.events)):
                for action in ACTIONS:
                    try:
                        j = step(trace, i, action, lines[i % len(lines):][:2])
                    except TraceError:
                        continue
                    seen[action] += 1
                    self.check(annotated, i, j)
        self.assertGreater(min(seen.values()), 300)

    def test_any_two_events(self):
        for annotated, i, j in pairs(60, seed=1):
            self.check(annotated, i, j)

    def test_contexts_give_every_stack_on_the_way(self):
        draw = random.Random(2)
        for program, _, annotated in runs():
            for _ in range(6):
                targets = [draw.randrange(len(annotated)) for _ in range(5)]
                moves = [Move("continue", None, j) for a, j in zip(targets, targets[1:]) if a != j]
                context = build_context(annotated, targets[0], moves)
                self.assertEqual(context.tokens[:len(keyframe_at(annotated, targets[0]))],
                                 keyframe_at(annotated, targets[0]))
                stack = annotated.stack(targets[0])
                shown = min(len(stack), 24)
                at = targets[0]
                for (start, end), move in zip(context.spans, context.moves):
                    delta = decode_delta(program, context.tokens[start:end], len(stack))
                    self.assertIsInstance(delta, Delta)
                    common = annotated.common(at, move.target)
                    stack = apply_delta(program, stack, delta, shown)
                    shown = shown_after(shown, delta.pops, len(stack), common)
                    at = move.target
                    self.assertEqual(plain(stack), plain(annotated.stack(at)))
                    self.assertEqual(context.tokens[start - 1], T.ACTIONS["continue"])


class Forms(unittest.TestCase):
    def setUp(self):
        self.source = "def g(a):\n  return a\ndef f(n):\n  for i in range(n):\n    n = g(i)\n  return n\n"
        self.program = Program.parse(self.source, "f(2)")
        self.trace = run(self.source, "f(2)", Limits())
        self.annotated = annotate(self.program, self.trace)

    def names(self, tokens):
        return " ".join(T.to_names(tokens))

    def test_keyframe_and_deltas(self):
        self.assertEqual(self.names(keyframe_at(self.annotated, 5)),
                         "<|keyframe|> <|frame|> <|L5|> <|it|> 0 <|v3|> 2 <|v4|> 0 <|return|> <|L2|> <|v1|> 0 <|value|> 0")
        self.assertEqual(self.names(delta_between(self.annotated, 2, 3)),
                         "<|push|> <|L5|> <|it|> 0 <|call|> <|L1|> <|v1|> 0 <|end|>")
        self.assertEqual(self.names(delta_between(self.annotated, 5, 6)),
                         "<|pop|> <|line|> <|L4|> <|it|> 1 <|v3|> 0 <|end|>")
        self.assertEqual(self.names(delta_between(self.annotated, 2, 0)), "<|call|> <|L3|> <|v4|> <|del|> <|end|>")

    def test_hidden_frames_count_as_empty(self):
        program = Program.parse("def f(n):\n  if n:\n    f(n - 1)\n  return n\n", "f(30)")
        found = annotate(program, run(program.source, program.call, Limits()))
        deepest = max(range(len(found)), key=found.depths.__getitem__)
        last = len(found) - 1
        self.assertEqual(found.depths[deepest], 31)
        self.assertEqual(keyframe_at(found, deepest).count(T.FRAME), 23)
        delta = delta_between(found, deepest, last)
        self.assertEqual(self.names(delta), "<|pop|> " * 30 + "<|return|> <|L4|> <|v1|> 3 0 <|value|> 3 0 <|end|>")
        self.assertNotIn(program.slots["n"], delta_between(found, deepest, last, shown=31))
        decoded = decode_delta(program, delta, 31)
        self.assertEqual(plain(apply_delta(found.program, found.stack(deepest), decoded)), plain(found.stack(last)))

    def test_breakpoint_lines_ascend_and_stand_for_code_lines(self):
        self.assertEqual(self.names(encode_action(self.program, "inv_breakpoint", [6, 2, 2])),
                         "<|inv_breakpoint|> <|L2|> <|L6|>")

    def test_what_does_not_fit_is_a_coded_error(self):
        state = Frame(1, event="line")
        for code, make in (
            ("unknown_action", lambda: encode_action(self.program, "jump")),
            ("unknown_line", lambda: encode_action(self.program, "breakpoint", [])),
            ("unknown_name", lambda: encode_keyframe(self.program, [Frame(1, locals={"zz": "1"}, event="line")])),
            ("bad_state", lambda: encode_keyframe(self.program, [Frame(1)])),
            ("bad_state", lambda: encode_keyframe(self.program, [Frame(1, event="return")])),
            ("bad_state", lambda: encode_delta(self.program, [state], [state], 2)),
        ):
            with self.subTest(code), self.assertRaises(EncodeError) as caught:
                make()
            self.assertEqual(caught.exception.code, code)

    def test_context_stops_before_what_does_not_fit(self):
        whole = chosen_context(self.annotated, 0, 4, lambda i: Move("step_into", None, i + 1))
        self.assertEqual([move.target for move in whole.moves], [1, 2, 3, 4])
        cut = chosen_context(self.annotated, 0, 4, lambda i: Move("step_into", None, i + 1),
                             max_tokens=whole.spans[2][1])
        self.assertEqual(cut.spans, whole.spans[:3])
        ended = chosen_context(self.annotated, 0, 4, lambda i: Move("step_into", None, i + 1) if i < 2 else None)
        self.assertEqual(len(ended.spans), 2)


class Decoding(unittest.TestCase):
    def setUp(self):
        self.program = Program.parse("def g(a):\n  return a\ndef f(n):\n  for i in range(n):\n    n = g(i)\n  return n\n", "f(2)")

    def decode(self, text, depth=2):
        return decode_delta(self.program, T.to_ids(text.split()), depth)

    def test_parts_come_as_they_complete(self):
        decoder = DeltaDecoder(self.program, 2)
        got = []
        for token in T.to_ids("<|pop|> <|push|> <|L5|> <|it|> 1 2 <|v3|> [ ] <|v4|> <|del|> <|got|> 7 <|return|> <|L2|> "
                              "<|value|> <|w:None|> <|end|>".split()):
            got.append([(e.kind, e.name, e.text, e.number) for e in decoder.feed(token)])
        none = (None, None, None)
        self.assertEqual(got, [[("pop", *none)], [("push", *none)], [("line", None, None, 5)], [], [], [],
                               [("it", None, None, 12)],
                               [], [], [("local", "n", "[]", None)], [("local", "i", None, None)], [], [],
                               [("got", None, "7", None), ("event", None, "return", None)], [("line", None, None, 2)],
                               [], [],
                               [("value", None, "None", None), ("end", *none)]])
        self.assertTrue(decoder.done)
        self.assertEqual(decoder.feed(T.END), [])

    def test_malformed_deltas_are_errors_with_a_place(self):
        for text, position in (
            ("", 0), ("<|end|>", 0), ("<|pop|> <|pop|> <|pop|>", 2), ("<|push|> <|pop|>", 1), ("<|line|> <|v0|>", 1),
            ("<|line|> <|L7|>", 1), ("<|line|> <|L1|>", 2), ("<|line|> <|L1|> <|value|>", 2),
                               ("<|return|> <|L1|> <|end|>", 2),
            ("<|line|> <|L1|> <|it|> <|end|>", 3), ("<|line|> <|L1|> <|it|> 0 1", 4),
                               ("<|line|> <|L1|> <|v2|> <|end|>", 3),
            ("<|line|> <|L1|> <|v2|> ' <|end|>", 4), ("<|line|> <|L1|> <|v2|> 1 <|v1|>", 4),
                               ("<|line|> <|L1|> <|v2|> 1 <|v2|>", 4),
            ("<|line|> <|L1|> <|v2|> 1 <|it|> 1", 4), ("<|line|> <|L1|> <|got|> 1 <|v2|>", 4),
                               ("<|line|> <|L1|> <|v60|>", 2),
            ("<|line|> <|L1|> <|push|>", 2), ("<|push|> <|L1|> <|end|>", 2), ("<|line|> <|L1|> <|got|> <|del|>", 3),
            ("<|return|> <|L1|> <|value|> 1 <|got|> 1", 4), ("<|line|> <|L1|> <|end|> <|end|>", 3),
            ("<|line|> <|L1|> <|it|> " + "1 " * 10, 12), ("<|step_into|>", 0),
        ):
            with self.subTest(text):
                found = self.decode(text)
                self.assertIsInstance(found, DecodeError)
                self.assertEqual(found.position, position)
                self.assertTrue(found.expected and found.actual)

    def test_a_push_onto_nothing_is_a_new_frame(self):
        delta = self.decode("<|pop|> <|push|> <|L3|> <|v3|> 1 <|call|> <|L1|> <|end|>", 1)
        stack = apply_delta(self.program, [Frame(4, (0,), {"n": "5"}, event="line")], delta)
        self.assertEqual(plain(stack), plain([Frame(3, locals={"n": "1"}), Frame(1, event="call")]))

    def test_any_tokens_decode_to_a_value(self):
        draw = random.Random(7)
        good = [delta_between(a, i, j) for a, i, j in pairs(4, seed=9)]
        outcomes = {Delta: 0, DecodeError: 0}
        for _ in range(6000):
            tokens = list(draw.choice(good))
            for _ in range(draw.randint(1, 2)):
                at = draw.randrange(len(tokens))
                tokens[at:at + draw.randint(0, 2)] = [draw.randrange(-2, T.SIZE + 2)] * draw.randint(0, 1)
            found = decode_delta(self.program, tokens, 3)
            outcomes[type(found)] += 1
            if isinstance(found, Delta):
                stack = apply_delta(self.program, [Frame(1), Frame(1), Frame(1, event="line")], found)
                self.assertIsInstance(stack, list)
                encode_keyframe(self.program, stack)
        self.assertGreater(min(outcomes.values()), 20)

    def test_apply_refuses_a_delta_that_does_not_fit(self):
        self.assertIsInstance(apply_delta(self.program, [], Delta(1, [])), DecodeError)


if __name__ == "__main__":
    unittest.main()
