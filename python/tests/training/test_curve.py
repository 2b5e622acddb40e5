"""The accuracy curve: probes of a log, as a table and a picture."""

import json
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from foretrace.training import curve


def _probe(tokens, exact):
    return {"kind": "probe", "tokens": tokens, "exact": exact, "changed": exact / 2,
            "actions": {name: {"n": 10, "exact": exact} for name in ("step_into", "step_over")}}


class CurveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run = Path(folder.name)
        entries = [{"kind": "train", "tokens": 1_900_000}, _probe(2_000_000, 0.25), _probe(4_000_000, 0.5),
                   _probe(4_000_000, 0.75)]
        (self.run / "log.jsonl").write_text("\n".join(map(json.dumps, entries)))

    def test_probes_in_order_and_the_newest_of_each(self):
        points = curve.read_curve(self.run / "log.jsonl")
        self.assertEqual([tokens for tokens, _ in points], [2.0, 4.0])
        self.assertEqual(points[1][1]["all"], 0.75)
        self.assertIn("| 2.0 | 25.0 | 25.0 | 25.0 | 12.5 |", curve.table(points))

    def test_picture_is_well_formed_and_labels_do_not_overlap(self):
        root = ElementTree.fromstring(curve.picture(curve.read_curve(self.run / "log.jsonl"), "a < b"))
        labels = [float(node.get("y")) for node in root.iter("{http://www.w3.org/2000/svg}text") if node.text in curve.COLOURS]
        gaps = [b - a for a, b in zip(sorted(labels), sorted(labels)[1:])]
        self.assertEqual(len(labels), len(curve.COLOURS))
        self.assertGreaterEqual(min(gaps), curve.LABEL_GAP - 0.2)

    def test_a_run_without_probes_is_an_error(self):
        (self.run / "log.jsonl").write_text("")
        with self.assertRaises(SystemExit) as caught:
            curve.main([str(self.run)])
        self.assertEqual(caught.exception.code, 1)


if __name__ == "__main__":
    unittest.main()
