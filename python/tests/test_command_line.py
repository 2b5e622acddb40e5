"""`python -m foretrace`: what its help promises, also where PyTorch is missing."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from foretrace.__main__ import COMMANDS

PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        for name in ('torch', 'numpy'):
            with open(os.path.join(folder.name, f'{name}.py'), 'w', encoding='utf-8') as file:
                file.write(f'raise ModuleNotFoundError("No module named {name!r}", name={name!r})')
        cls.environment = {**os.environ, 'PYTHONPATH': folder.name}

    def command(self, *arguments):
        """The command where PyTorch and NumPy are not installed."""
        return subprocess.run([sys.executable, '-m', 'foretrace', *arguments], cwd=PYTHON, env=self.environment,
                              capture_output=True, text=True)

    def test_every_command_is_listed(self):
        done = self.command('--help')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(re.findall(r'^  ([\w-]+) ', done.stdout, re.MULTILINE), list(COMMANDS))
        self.assertLessEqual({'trace', 'truth', 'corpus', 'train', 'export'}, set(COMMANDS))

    def test_every_command_has_help_and_refuses_wrong_usage(self):
        for name in COMMANDS:
            with self.subTest(name):
                done = self.command(name, '--help')
                self.assertEqual((done.returncode, done.stderr), (0, ''))
                self.assertIn('usage:', done.stdout)
                done = self.command(name, '--wander')
                self.assertEqual((done.returncode, done.stdout), (2, ''))
                self.assertIn('usage:', done.stderr)

    def test_missing_pytorch_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in (('train', '--out', os.path.join(folder, 'run')),
                              ('export', 'checkpoint.pt', '--out', os.path.join(folder, 'model'))):
                done = self.command(*arguments)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, fr'^foretrace {arguments[0]}: torch_missing: .*\n\Z')
            self.assertEqual(os.listdir(folder), [])


if __name__ == '__main__':
    unittest.main()
