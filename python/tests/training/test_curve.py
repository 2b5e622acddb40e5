"""The curves of a run: probes of a log as a table and a picture, losses as a picture."""

import json
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from foretrace.training import curve


def _probe(tokens, exact):
    return {"kind": "probe", "tokens": tokens, "exact": exact, "changed": exact / 2,
            "actions": {name: {"n": 10, "exact": exact} for name in ("step_into", "step_over")}}


def _train(tokens, loss):
    return {"kind": "train", "tokens": tokens, "loss": loss,
            "classes": {name: {"loss": loss / 2} for name in ("event", "line", "name", "value", "other")}}


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

    def test_losses_are_means_of_a_window_and_of_the_newest_course_alone(self):
        entries = [_train(100_000, 3.0), _train(200_000, 1.0), _train(1_500_000, 9.0), _train(1_200_000, 0.5), _probe(2_000_000, 0.5)]
        (self.run / "log.jsonl").write_text("\n".join(map(json.dumps, entries)))
        points = curve.read_losses(self.run / "log.jsonl")
        self.assertEqual([(at, values["all"], values["line"]) for at, values in points], [(0.5, 2.0, 1.0), (1.5, 0.5, 0.25)])
        picture = self.run / "loss.svg"
        self.assertEqual(curve.main([str(self.run), "--loss", str(picture)]), 0)
        root = ElementTree.fromstring(picture.read_text())
        self.assertIn("line", [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")])

    def test_a_run_without_probes_is_an_error(self):
        (self.run / "log.jsonl").write_text("")
        with self.assertRaises(SystemExit) as caught:
            curve.main([str(self.run)])
        self.assertEqual(caught.exception.code, 1)


if __name__ == "__main__":
    unittest.main()
