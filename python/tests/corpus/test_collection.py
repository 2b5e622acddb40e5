"""Collections: the same files from a directory and from git, licences told apart, tests linked to what they test."""

import tempfile
import unittest
from pathlib import Path

from foretrace.corpus.collection import CollectionError, SourceFile, collection_name, read_collection
from foretrace.corpus.linked_tests import is_test_file, links
from tests.corpus.support import commit, write_files

FILES = {"b/two.py": "x = 2\n", "one.py": "x = 1\r\ny = 'é'\r\n", "notes.txt": "none", "b/human_eval/three.py": "x = 3\n",
         "latin.py": "x = 1\n"}


class CollectionTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name) / "owner+things"
        write_files(self.folder, FILES)
        (self.folder / "latin.py").write_bytes(b"x = '\xe9'\n")

    def test_a_directory_and_its_git_directory_hold_the_same(self):
        plain = read_collection(self.folder)
        self.assertEqual([file.path for file in plain.files], ["b/two.py", "one.py"])
        self.assertEqual(plain.files[1].text, "x = 1\ny = 'é'\n")
        self.assertEqual((plain.name, plain.licence), ("owner/things", "MIT"))
        bare = read_collection(commit(self.folder))
        self.assertEqual(bare, plain)

    def test_names(self):
        self.assertEqual(collection_name(Path("/x/owner+name/repo")), "owner/name")
        self.assertEqual(read_collection(self.folder, "other/name").name, "other/name")

    def test_licences(self):
        cases = {"GNU GENERAL PUBLIC LICENSE\nVersion 3\n": "licence_refused", "All rights reserved.\n": "licence_unknown",
                 "The Apache License, Version 2.0\n": "Apache-2.0",
                 "Redistribution and use in source and binary forms, with or\nwithout\n": "BSD"}
        for text, expected in cases.items():
            with self.subTest(expected):
                (self.folder / "LICENSE").write_text(text)
                if expected.startswith("licence_"):
                    with self.assertRaises(CollectionError) as caught:
                        read_collection(self.folder)
                    self.assertEqual(caught.exception.code, expected)
                else:
                    self.assertEqual(read_collection(self.folder).licence, expected)
        (self.folder / "LICENSE").unlink()
        with self.assertRaisesRegex(CollectionError, "licence_unknown"):
            read_collection(self.folder)
        self.assertEqual(read_collection(self.folder, licence="MIT").licence, "MIT")

    def test_what_is_no_collection(self):
        for path in (self.folder / "nowhere", self.folder / "one.py"):
            with self.subTest(path), self.assertRaisesRegex(CollectionError, "collection_unreadable"):
                read_collection(path, licence="MIT")


class LinksTest(unittest.TestCase):
    def test_tests_beside_a_solution_of_an_exercise(self):
        found = links([SourceFile("ex/a/.meta/example.py", "def f(x):\n    return x\n"), SourceFile("ex/a/a.py", "def f(x):\n    pass\n"),
                       SourceFile("ex/a/a_test.py", "from a import f as g\nimport a\n")])
        self.assertEqual(list(found), ["ex/a/.meta/example.py"])
        (link,) = found["ex/a/.meta/example.py"]
        self.assertEqual((link.names, link.modules), ({"g": "f"}, ("a",)))

    def test_a_package_that_passes_names_on(self):
        found = links([SourceFile("pkg/texts/__init__.py", "from .one import *\n"), SourceFile("pkg/texts/one.py", "def f():\n    pass\n"),
                       SourceFile("pkg/texts/two.py", "def h():\n    pass\n"),
                       SourceFile("tests/test_texts.py", "from pkg.texts import (f, h)\nfrom pkg.texts.two import *\nfrom elsewhere import z\n")])
        self.assertEqual({path: [link.names for link in made] for path, made in found.items()},
                         {"pkg/texts/one.py": [{"f": "f"}], "pkg/texts/two.py": [{"h": "h"}]})

    def test_names_of_test_files(self):
        self.assertTrue(all(map(is_test_file, ("test_a.py", "x/a_test.py", "tests/a.py", "x/tests.py"))))
        self.assertFalse(any(map(is_test_file, ("latest.py", "contest/a.py", "testing_tools.py", "attest.py"))))


if __name__ == "__main__":
    unittest.main()
