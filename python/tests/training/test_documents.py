"""Documents: each kind of branch says what the program really does, and drawing them repeats."""

import ast
import contextlib
import io
import unittest
from random import Random

from tests.training.support import needs_torch, torch

if torch is not None:
    from foretrace.language import tokens as T
    from foretrace.language.annotate import annotate
    from foretrace.language.evaluate import Answer, decode_answer
    from foretrace.language.program import Program
    from foretrace.trace import run
    from foretrace.training import documents, edits, expressions, questions
    from foretrace.training.batch import EVENT, UNSUPERVISED, Batch, Row
    from foretrace.training.branches import entry_branch, transition_branch
    from foretrace.training.probe import transitions

SOURCE = '''
def area(sides, scale=2):
    label = ''
    for side in sides:
        label += str(side * scale)
        if side > 3 and label.count('1') < 2:
            label = label[::-1]
    return label


def f(sides, names):
    total = {}
    while names:
        name = names.pop()
        total[name] = area(sides, len(name))
    return total
'''
CALL = "f([1, 4, 16], ['ab', 'c', 'def'])"


def _run():
    return run(SOURCE, CALL)


def _pieces(made):
    """Tokens and classes of each branch of a document."""
    at, out = made.lengths[0], []
    for length in made.lengths[1:]:
        out.append((list(made.tokens[at:at + length]), list(made.classes[at:at + length])))
        at += length
    return out


@needs_torch
class DocumentKindsTest(unittest.TestCase):
    def test_a_seed_gives_the_same_document_and_others_others(self):
        trace = _run()
        first = [documents.document(Random(seed), trace, 1024) for seed in range(6)]
        again = [documents.document(Random(seed), trace, 1024) for seed in range(6)]
        self.assertEqual(first, again)
        self.assertNotEqual(first[0], first[1])

    def test_every_kind_occurs_and_hidden_entries_are_never_asked_for_their_call(self):
        trace, hidden_end = _run(), [T.CHARS["("], T.OPERATORS["..."], T.CHARS[")"]]
        asked = hidden = entries = 0
        for seed in range(80):
            made = documents.document(Random(seed), trace, 1024)
            is_hidden = list(made.tokens[made.lengths[0] - 3:made.lengths[0]]) == hidden_end
            hidden += is_hidden
            for tokens, _ in _pieces(made):
                asked += T.EVALUATE in tokens
                from_empty = tokens[1] == T.ACTIONS["step_into"]
                entries += from_empty
                self.assertFalse(is_hidden and from_empty)
        self.assertTrue(3 <= hidden <= 30, hidden)
        self.assertGreater(asked, 20)
        self.assertGreater(entries, 5)

    def test_without_replays_no_expression_is_asked(self):
        for seed in range(20):
            self.assertNotIn(T.EVALUATE, documents.document(Random(seed), _run(), 1024, replays=False).tokens)

    def test_a_short_row_bounds_every_document(self):
        for seed in range(20):
            made = documents.document(Random(seed), _run(), 300)
            self.assertLessEqual(len(made.tokens), 300)
            self.assertEqual((len(made.tokens), len(made.tokens)), (len(made.classes), sum(made.lengths)))

    def test_hidden_entries_keep_the_callee(self):
        self.assertEqual(documents.hidden_entry(" f([1], k=(2))\n"), "f(...)")
        self.assertEqual(documents.hidden_entry("A(1).run(2)"), "A(1).run(...)")

    def test_the_probe_reads_answers_too(self):
        for seed in range(30):
            made = documents.document(Random(seed), _run(), 1024)
            found = transitions(Batch.of([Row.of([made])]))
            expected = [token for token in made.tokens if token in T.ACTION_NAMES or token == T.EVALUATE]
            self.assertEqual([item.action for item in found],
                             [T.ACTION_NAMES.get(token, "evaluate") for token in expected])


@needs_torch
class QuestionsTest(unittest.TestCase):
    def test_answers_are_what_eval_says(self):
        """The literals among a state's locals are all an expression over them needs."""
        trace = _run()
        program = Program.parse(SOURCE, CALL)
        states, found = annotate(program, trace), expressions.SourceExpressions(program)
        space: dict = {}
        exec(SOURCE, space)
        right = 0
        for seed in range(40):
            rng = Random(seed)
            with contextlib.ExitStack() as stack:
                asked = []
                original = questions.evaluate

                def spy(given, texts, limits):
                    answers = original(given, texts, limits)
                    asked.extend((i, text, answer) for i in texts for text, answer in zip(texts[i], answers[i]))
                    return answers

                questions.evaluate = spy
                stack.callback(setattr, questions, "evaluate", original)
                for branch in questions.question_branches(rng, trace, states, found, 2):
                    self.assertEqual(branch.tokens[0], T.KEYFRAME)
                    self._check_classes(program, branch)
            for i, text, answer in asked:
                names = {name: ast.literal_eval(value) for name, value in states.frames[i].locals.items()}
                try:
                    expected = Answer("value", repr(eval(text, {**space, **names})))
                except Exception as error:
                    expected = Answer("exception", f"{type(error).__name__}{error.args!r}".replace(",)", ")"))
                if answer is not None and "set" not in text and "{" not in expected.text:
                    self.assertEqual(Answer(*answer), expected, text)
                    right += 1
        self.assertGreater(right, 100)

    def _check_classes(self, program, branch):
        tokens, classes = branch.tokens, branch.classes
        self.assertEqual(len(tokens), len(classes))
        at = tokens.index(T.EVALUATE)
        while at < len(tokens):
            start = next(k for k in range(at, len(tokens)) if classes[k] == EVENT)
            end = tokens.index(T.END, start)
            self.assertEqual(classes[at:start], [UNSUPERVISED] * (start - at))
            self.assertIsInstance(decode_answer(program, tokens[start:end + 1]), Answer)
            self.assertNotIn(UNSUPERVISED, classes[start:end + 1])
            at = end + 1

    def test_kinds_of_canonical_texts(self):
        for text, kind in (("'a'", "str"), ("[1]", "list"), ("(1,)", "tuple"), ("{}", "dict"), ("{1: 2}", "dict"),
                           ("{'a:b', 'c'}", "set"), ("{(1, 2): 3}", "dict"), ("{1, 2}", "set"), ("True", "bool"),
                           ("None", "none"), ("-12", "int"), ("1.5", "float"), ("<A object>", "other"), ("1e-07", "float"),
                           ("set()", "other"), ("", "other")):
            self.assertEqual(expressions.kind_of(text), kind, text)

    def test_parts_of_lines(self):
        found = expressions.SourceExpressions(Program.parse(SOURCE, CALL))
        self.assertEqual(set(found.by_line[6]), {"side > 3 and label.count('1') < 2", "side > 3", "label.count('1') < 2",
                                                 "label.count('1')"})
        self.assertEqual(found.by_line[14], ["names.pop()"])
        self.assertEqual(found.iterated, {4: {"sides"}})
        source = "def f(a: List[int]) -> Dict[str, int]:\n    print([b for b in a], (c := a[0]))\n    return [b.x for b in a]\n"
        found = expressions.SourceExpressions(Program.parse(source, "f([])"))
        self.assertEqual(found.by_line, {2: ["[b for b in a]", "a[0]"], 3: ["[b.x for b in a]"]})


@needs_torch
class EditsTest(unittest.TestCase):
    def test_edited_runs_are_what_the_program_does_from_there(self):
        """Against a plain `sys.settrace` hook that writes the same values into the frame."""
        trace, program = _run(), Program.parse(SOURCE, CALL)
        states, found = annotate(program, trace), expressions.SourceExpressions(program)
        made = 0
        for seed in range(40):
            result = edits.edited_run(Random(seed), trace, states, found)
            if result is None:
                continue
            edited, at = result
            before, after = trace.events[at], edited.events[at]
            changed = {name for name in before.locals if before.locals[name] != after.locals[name]}
            self.assertTrue(changed)
            self.assertEqual(edited.events[:at], trace.events[:at])
            self.assertEqual({name: type(ast.literal_eval(after.locals[name])) for name in changed},
                             {name: type(ast.literal_eval(before.locals[name])) for name in changed})
            self.assertEqual(_events(edited, at), _by_hook(trace, at, {n: after.locals[n] for n in changed}))
            made += 1
        self.assertGreater(made, 20)

    def test_what_a_loop_iterates_over_is_left_alone(self):
        trace, program = _run(), Program.parse(SOURCE, CALL)
        states, found = annotate(program, trace), expressions.SourceExpressions(program)
        inside = [i for i, event in enumerate(trace.events) if event.event == "line" and event.line in (4, 5, 6, 7)]
        for seed in range(200):
            rng = Random(seed)
            self.assertNotIn("sides", edits._edits(rng, trace, states, found, rng.choice(inside)))

    def test_mutations_are_of_the_same_type_and_leave_the_original(self):
        rng = Random(4)
        for value in (True, 3, 2.5, "", "abc", [], [1, "a"], (1, 2), {"a": 1}, {1, 2}):
            text = repr(value)
            for _ in range(60):
                self.assertIsInstance(edits.mutated(rng, value), (type(value), type(None)))
                self.assertEqual(repr(value), text)
        self.assertIsNone(edits.mutated(rng, {}))
        self.assertIsNone(edits.mutated(rng, object()))


def _events(trace, at):
    """What is seen from event `at` on, without frame numbers."""
    return [(event.event, event.line, event.locals, event.value) for event in trace.events[at:at + 30]]


def _by_hook(trace, at, values):
    """The same, without the recorder and the replay: a hook counts the events and writes into the frame."""
    import sys
    from ctypes import c_int, py_object, pythonapi

    from foretrace.trace.values import canonical

    out, count = [], [0]

    def tracer(frame, event, argument):
        if frame.f_code.co_filename != "<test>" or frame.f_code.co_name.startswith("<"):
            return None
        index = count[0]
        count[0] += 1
        if index == at:
            space = frame.f_locals
            space.update({name: ast.literal_eval(text) for name, text in values.items()})
            if sys.version_info < (3, 13):
                pythonapi.PyFrame_LocalsToFast(py_object(frame), c_int(0))
        if index >= at and len(out) < 30:
            shown = {name: canonical(value) for name, value in frame.f_locals.items()}
            names = frame.f_code.co_varnames
            value = {"return": lambda: canonical(argument), "exception": lambda: canonical(argument[1])}.get(event, str)()
            out.append((event, frame.f_lineno, {name: shown[name] for name in names if name in shown}, value or None))
        return tracer

    space = {}
    exec(compile(trace.source, "<test>", "exec"), space)
    arguments = compile(trace.call, "<entry>", "eval")
    with contextlib.redirect_stdout(io.StringIO()):
        sys.settrace(tracer)
        try:
            eval(arguments, space)
        except Exception as error:
            assert out, error
        finally:
            sys.settrace(None)
    return out


@needs_torch
class BranchesTest(unittest.TestCase):
    def test_hidden_entries_ask_back_to_the_call_more_often(self):
        trace = _run()
        shares = []
        for call in (CALL, "f(...)"):
            states = annotate(Program.parse(SOURCE, call), trace)
            back = 0
            for seed in range(300):
                tokens = transition_branch(Random(seed), trace, states, 500).tokens
                back += T.ACTIONS["inv_step_call"] in tokens or T.ACTIONS["inv_continue"] in tokens
            shares.append(back / 300)
        self.assertGreater(shares[1], shares[0] * 1.5)

    def test_a_branch_with_a_start_goes_forward_from_there(self):
        trace = _run()
        states = annotate(Program.parse(SOURCE, CALL), trace)
        for seed in range(50):
            tokens = transition_branch(Random(seed), trace, states, 600, start=5).tokens
            self.assertFalse([token for token in tokens if T.ACTION_NAMES.get(token, "").startswith("inv_")])

    def test_the_entry_branch_ends_in_the_call(self):
        states = annotate(Program.parse(SOURCE, CALL), _run())
        branch = entry_branch(states)
        self.assertEqual(branch.tokens[:3], [T.KEYFRAME, T.ACTIONS["step_into"], T.EVENTS["call"]])


if __name__ == "__main__":
    unittest.main()
