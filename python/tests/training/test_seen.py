"""Which programs a run has drawn: at least those of its documents."""

import unittest
from unittest import mock

from foretrace.corpus.programs import program_hash

try:
    from foretrace.training import seen, stream
except ModuleNotFoundError:
    seen = stream = None


@unittest.skipIf(seen is None, "PyTorch is missing (Debian: apt-get install python3-torch)")
class SeenTest(unittest.TestCase):
    def test_every_document_of_a_shard_is_counted(self):
        config = stream.StreamConfig(seed=9, shard_documents=8, planned_rows=1000, held_out_programs=0)
        with mock.patch.object(stream, "document", wraps=stream.document) as made:
            stream.shard_documents(config, 3, 0, stream.Sources(frozenset()))
        kept = {program_hash(call.args[1].source) for call in made.call_args_list}
        self.assertTrue(kept)
        self.assertLessEqual(kept, set(seen.shard_hashes(config, 3)))

    def test_names_layout_and_call_do_not_matter(self):
        self.assertEqual(program_hash("def f(a):\n    return a + 1\n"), program_hash("def goal(n):\n  # up\n  return n + 1\n"))
        self.assertNotEqual(program_hash("def f(a):\n    return a + 1\n"), program_hash("def f(a):\n    return a + 2\n"))


if __name__ == "__main__":
    unittest.main()
