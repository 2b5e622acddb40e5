"""`python -m foretrace trace` from the outside."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from tests.trace.programs import EXAMPLES, examples

PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def command(*arguments):
    return subprocess.run([sys.executable, '-m', 'foretrace', *arguments], cwd=PYTHON, capture_output=True, text=True)


class Command(unittest.TestCase):
    def test_json(self):
        for name, (_, call) in examples().items():
            done = command('trace', os.path.join(EXAMPLES, name), '--call', call, '--json')
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            events = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual((events[0]['event'], events[0]['depth']), ('call', 1))
            self.assertEqual(events[-1]['event'], 'return')
            for event in events:
                keys = {'event', 'line', 'depth', 'locals'}
                if event['event'] in ('return', 'exception'):
                    keys.add('value')
                self.assertEqual(set(event), keys)

    def test_listing(self):
        done = command('trace', os.path.join(EXAMPLES, 'mutated_default.py'), '--call', 'two_shoppers()')
        self.assertEqual(done.returncode, 0)
        self.assertIn("    7 basket[item] = basket.get(item, 0) + count", done.stdout.replace('\n ', '\n  '))
        self.assertIn("# item='pear', count=1, basket={'apple': 3, 'bread': 1}", done.stdout)

    def written(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'program.py')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            return command('trace', path, *arguments)

    def test_what_utf8_cannot_hold_is_escaped(self):
        source = ('from collections import UserList\nclass A:\n    def __repr__(self):\n        return "\\ud800"\n'
                  'def f():\n    a = UserList([A()])\n    return 1\n')
        listed = self.written(source, '--call', 'f()')
        self.assertEqual((listed.returncode, listed.stderr), (0, ''))
        self.assertIn('a=[\\ud800]', listed.stdout)
        as_json = self.written(source, '--call', 'f()', '--json')
        self.assertEqual((as_json.returncode, as_json.stderr), (0, ''))
        self.assertEqual(json.loads(as_json.stdout.splitlines()[2])['locals'], {'a': '[\ud800]'})

    def test_lines_are_those_of_python(self):
        listed = self.written('def f():\n    x = "\u2028"\n\x0c\n    return 1\n', '--call', 'f()')
        self.assertEqual(listed.stdout.split('\n')[2:4], ['4 return 1    # x=\'\\u2028\'', '4 return 1: return 1'])

    def test_a_byte_order_mark(self):
        listed = self.written('\ufeffdef f():\n    return 1\n', '--call', 'f()')
        self.assertEqual((listed.returncode, listed.stdout.split('\n')[0]), (0, '1 call f: def f():'))

    def test_exit_codes(self):
        path = os.path.join(EXAMPLES, 'recursion.py')
        for arguments, code, text in ((('trace', path, '--call', 'solve([2], 2)', '--max-events', '3'), 1,
                                       'event_limit'),
                                      (('trace', path, '--call', 'nothing()'), 1, 'entry_failed'),
                                      (('trace', path), 2, '--call'),
                                      (('trace', path + 'x', '--call', 'f()'), 1, 'unreadable_file'),
                                      (('trace', path + 'x', '--call', 'f()', '--json'), 1, '{"error": {"code": "unreadable_file"'),
                                      (('trace', path, '--call', 'f()', '--timeout', '-1'), 2, 'positive'),
                                      (('wander',), 2, 'no such command'), ((), 2, 'usage')):
            done = command(*arguments)
            self.assertEqual(done.returncode, code, arguments)
            self.assertIn(text, done.stderr)
        self.assertEqual(command('--help').returncode, 0)

    def test_errors_have_the_form_of_all_commands(self):
        path = os.path.join(EXAMPLES, 'recursion.py')

        def error(*arguments):
            done = command('trace', *arguments, '--json')
            self.assertEqual(done.returncode, 1)
            return json.loads(done.stderr)['error']
        self.assertEqual(error(path, '--call', 'nothing()'),
                         {'code': 'entry_failed', 'message': 'the entry raised', 'expected': 'no exception',
                          'actual': 'NameError("name \'nothing\' is not defined")'})
        self.assertEqual(error(path, '--call', 'solve([2], 2)', '--max-events', '3'),
                         {'code': 'event_limit', 'message': 'the run was stopped after 3 events',
                          'expected': 'a run within its limits'})
        for call, place in (('solve(', ' (line 1, column '), ('nothing()', '\n  expected: no exception\n  actual:   NameError(')):
            said = command('trace', path, '--call', call).stderr
            self.assertRegex(said, '^foretrace: (invalid_entry|entry_failed): ')
            self.assertIn(place, said)

    def test_an_output_that_takes_nothing(self):
        path = os.path.join(EXAMPLES, 'recursion.py')
        with open('/dev/full', 'w') as full:
            done = subprocess.run([sys.executable, '-m', 'foretrace', 'trace', path, '--call', 'solve([2], 2)'], cwd=PYTHON,
                                  stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, '^foretrace: unreadable_file: standard output cannot be written\n  actual:   .*\n$')

    def test_tracing_needs_the_standard_library_only(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ('torch', 'numpy'):
                with open(os.path.join(folder, f'{name}.py'), 'w', encoding='utf-8') as file:
                    file.write('raise RuntimeError("imported")')
            environment = {**os.environ, 'PYTHONPATH': folder}
            code = ('import sys; from foretrace.__main__ import main; '
                    f'main(["trace", {os.path.join(EXAMPLES, "recursion.py")!r}, "--call", "solve([2], 2)"]); '
                    'assert not {"torch", "numpy"} & set(sys.modules)')
            done = subprocess.run([sys.executable, '-c', code], cwd=PYTHON, env=environment, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b''))


if __name__ == '__main__':
    unittest.main()
