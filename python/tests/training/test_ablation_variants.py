"""Variants of documents: undone they are the documents again, and they say what the language says."""

import unittest
from random import Random

from tests.training.support import needs_torch, torch

if torch is not None:
    from foretrace.corpus.programs import drawn, traced
    from foretrace.language import tokens as T
    from foretrace.language.annotate import annotate
    from foretrace.language.encode import encode_delta, encode_keyframe
    from foretrace.language.program import Program
    from foretrace.language.values import decode_value, encode_value
    from foretrace.trace import run
    from foretrace.training import variants, variants_inverse, variants_spelling, variants_states
    from foretrace.training.ablation import labels
    from foretrace.training.batch import CONTEXT, UNSUPERVISED, VALUE, Batch, Document, Row
    from foretrace.training.branches import classify
    from foretrace.training.documents import document
    from foretrace.training.variants_tokens import branch_pieces, branches, code_text, rewritten

SOURCE = '''
class Box:
    def __init__(self, size):
        self.size = size

def shout(name, times=12):
    text = f'{name!r:>{times}} {{x}} {times + 305:.3f} 77'
    return text + "it's 1234"

def f(items, e1):
    total = 1.5e-3 + 0x1f
    box = Box(4096)
    out = []
    for item in items:
        out.append(item * 10)
        e1 = shout(item, 25)
        total += 1000
    return out, {'k': box.size, 'e1': e1}
'''
CALL = "f(['ab', 'c', 'longer one'], 3)"


def _examples():
    """(document, names) of some generated programs and of one that has what they lack."""
    rng, found = Random(11), []
    traces = [run(SOURCE, CALL)]
    while len(traces) < 25:
        trace = traced(drawn(rng, rng.random()))
        if trace is not None:
            traces.append(trace)
    for seed, trace in enumerate(traces):
        made = document(Random(seed), trace, 1024, 20, shows_values=False, writes_patches=False)
        if made is not None:
            found.append((made, tuple(Program.parse(trace.source, trace.call).slots)))
    return found


def _plain(document):
    return list(document.tokens), list(document.classes), list(document.lengths)


@needs_torch
class RoundTripTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.examples = _examples()

    def hold(self, change, undo):
        changed = 0
        for made, names in self.examples:
            other = change(made, names)
            self.assertEqual(_plain(undo(other, names)), _plain(made))
            self.assertEqual((len(other.tokens), len(other.classes)), (sum(other.lengths),) * 2)
            changed += list(other.tokens) != list(made.tokens)
        self.assertGreater(changed, len(self.examples) // 3)

    def test_pieces_joined_are_the_document(self):
        for made, _ in self.examples:
            self.assertEqual(_plain(rewritten(made, list, list)), _plain(made))

    def test_names(self):
        self.hold(variants_spelling.spelled, variants_inverse.unspelled)

    def test_no_slot_is_left_in_spelled_documents(self):
        for made, names in self.examples:
            spelled = variants_spelling.spelled(made, names)
            self.assertFalse([t for t in spelled.tokens if T.SLOT_BASE <= t < T.WORD_BASE or t == T.REF])

    def test_digits_turned_round(self):
        self.hold(lambda d, _: variants_spelling.digits_reversed(d), lambda d, _: variants_spelling.digits_reversed(d))

    def test_digits_in_pairs(self):
        self.hold(lambda d, _: variants_spelling.digits_paired(d),
                  lambda d, _: variants_spelling.expanded(d, variants_spelling.digit_pairs()))

    def test_letters_in_pairs(self):
        pairs = variants_spelling.frequent_pairs([d for d, _ in self.examples], 40)
        self.hold(lambda d, _: variants_spelling.strings_paired(d, pairs), lambda d, _: variants_spelling.expanded(d, pairs))

    def test_edits(self):
        self.hold(lambda d, _: variants_states.edited(d), lambda d, _: variants_states.unedited(d))

    def test_full_states(self):
        self.hold(lambda d, _: variants_states.full_states(d), lambda d, _: variants_states.changes_only(d))

    def test_answers_keep_their_action_and_their_order(self):
        pairs = variants_spelling.frequent_pairs([d for d, _ in self.examples], 40)
        changes = [variants_spelling.spelled, lambda d, _: variants_spelling.digits_paired(d),
                   lambda d, _: variants_spelling.strings_paired(d, pairs), lambda d, _: variants_states.edited(d)]
        for made, names in self.examples:
            base = [labels(*branch) for branch in branches(made)]
            for change in changes:
                self.assertEqual([labels(*branch) for branch in branches(change(made, names))], base)
            full = [labels(*branch) for branch in branches(variants_states.full_states(made))]
            self.assertEqual([[(x.action, x.first) for x in b] for b in full], [[(x.action, x.first) for x in b] for b in base])

    def test_alone_and_cut(self):
        for made, _ in self.examples:
            parts = variants.parted(made)
            length = made.lengths[0]
            self.assertEqual([t for p in parts for t in p.tokens[length:]], list(made.tokens[length:]))
            self.assertTrue(all(list(p.tokens[:length]) == list(made.tokens[:length]) for p in parts))
            cut = variants.fitted(made, len(made) - 1)
            self.assertEqual(cut.lengths if cut else made.lengths[:1], made.lengths[:-1])
            self.assertIs(type(variants.fitted(made, len(made))), Document)
            self.assertIsNone(variants.fitted(made, length))

    def test_program_loss_predicts_the_program_and_no_keyframe(self):
        made, _ = self.examples[0]
        changed = variants.program_targets(made)
        usual, own = (Batch.of([Row.of([d])], 0.1) for d in (made, changed))
        answers = sum(c not in (UNSUPERVISED, CONTEXT) for c in made.classes)
        self.assertEqual(len(own.predict), made.lengths[0] - 1 + answers)
        self.assertGreater(len(usual.predict), answers)
        self.assertAlmostEqual(float(own.weights.sum()), answers + 0.1 * (made.lengths[0] - 1), places=2)


@needs_torch
class MeaningTest(unittest.TestCase):
    """The forms themselves, on text that can be read."""

    @classmethod
    def setUpClass(cls):
        cls.program = Program.parse(SOURCE, CALL, writes_patches=False)
        cls.annotated = annotate(cls.program, run(SOURCE, CALL))

    def _document(self, tokens, classes):
        program = self.program.tokens
        return Document(program + tokens, [UNSUPERVISED] * len(program) + classes, [len(program), len(tokens)])

    def _branch(self, i, j, shown=None):
        """The keyframe of event i and a step to event j; shown=0 lists all locals."""
        before, after = self.annotated.stack(i), self.annotated.stack(j)
        keyframe = encode_keyframe(self.program, before)
        delta = encode_delta(self.program, before, after, self.annotated.common(i, j), shown)
        classes = [UNSUPERVISED] + [CONTEXT] * (len(keyframe) - 1) + [UNSUPERVISED]
        return keyframe + [T.ACTIONS["step_over"]] + delta, classes + classify(delta)

    def test_full_states_are_the_deltas_of_a_context_that_shows_nothing(self):
        count = len(self.annotated)
        for i in range(count):
            for j in range(count):
                if i != j:
                    found = variants_states.full_states(self._document(*self._branch(i, j)))
                    (tokens, classes), = branches(found)
                    self.assertEqual((tokens, classes), self._branch(i, j, shown=0))

    def test_integers_only_are_turned_round(self):
        made = variants_spelling.digits_reversed(self._document(*self._branch(0, 1)))
        text = "".join(T.to_names(made.tokens[:made.lengths[0]]))
        for expected in ("6904", "52", "0001", "503", "=21", "1.5e-3", "0x1f", "it's 1234", " 77", "'e1'"):
            self.assertIn(expected, text)
        self.assertNotIn("4096", text)

    def test_names_in_code_and_states(self):
        made = variants_spelling.spelled(self._document(*self._branch(len(self.annotated) - 1, 0)), tuple(self.program.slots))
        text = "".join(T.to_names(made.tokens))
        for expected in ("<|w:def|>shout(name,times=12):", "{name!r:>{times}} {{x}} {times+305:.3f} 77<|fend|>",
                         "items=['ab','c','longer one']", "box=<Box", "total=<|del|>"):
            self.assertIn(expected, text)

    def test_text_in_code(self):
        tokens = self.program.tokens
        text = "".join(T.NAMES[t] for t, inside in zip(tokens, code_text(tokens)) if inside)
        self.assertTrue(text.startswith("r> {{x}} .3f 77"), text)

    def test_an_edit_keeps_front_and_back(self):
        values = {name: list(encode_value(self.program, name)) for name in
                  ("[1, 2, 33, 4, 5, 6, 7, 8]", "[1, 2, 34, 4, 5, 6, 7, 8]", "'abcdefghijk'", "'abcdefghijkx'", "5", "[1, 2]",
                   "[Box, f, f, f, f, f, f, f]", "[Box, Box, f, f, f, f, f, f]")}
        spell = lambda old, new: variants_states.edit_of(values[old], values[new])
        made = spell("[1, 2, 33, 4, 5, 6, 7, 8]", "[1, 2, 34, 4, 5, 6, 7, 8]")
        self.assertEqual(T.to_names(made), ["<|spare2|>", "6", "<|spare3|>", "4", "<|spare4|>", "1", "1"])
        self.assertEqual(T.to_names(spell("'abcdefghijk'", "'abcdefghijkx'")),
                         ["<|spare2|>", "1", "2", "<|spare3|>", "x", "<|spare4|>", "1"])
        self.assertIsNone(spell("[1, 2, 33, 4, 5, 6, 7, 8]", "[1, 2]"))
        self.assertIsNone(spell("5", "[1, 2, 33, 4, 5, 6, 7, 8]"))
        for old in values:
            for new in values:
                edit = spell(old, new)
                if edit is not None:
                    self.assertEqual(decode_value(self.program, variants_states.applied_edit(values[old], edit)), new)
        refs = spell("[Box, f, f, f, f, f, f, f]", "[Box, Box, f, f, f, f, f, f]")
        self.assertEqual(refs[refs.index(T.IDS["<|spare3|>"]) + 1], T.REF)

    def test_classes_of_edits(self):
        found = 0
        for i in range(len(self.annotated) - 1):
            (tokens, classes), = branches(variants_states.edited(self._document(*self._branch(i, i + 1))))
            for piece in branch_pieces(tokens, classes):
                if T.IDS["<|spare2|>"] in piece.tokens:
                    found += 1
                    self.assertEqual(piece.target, VALUE)
        self.assertGreater(found, 0)

    def test_lists_of_variants(self):
        self.assertEqual([v.name for v in variants.chosen("edit, base,edit")], ["edit", "base"])
        self.assertEqual(variants.chosen("all"), variants.ALL)
        with self.assertRaisesRegex(ValueError, "variant_unknown.*nothing"):
            variants.chosen("base,nothing")


if __name__ == "__main__":
    unittest.main()
