"""Writes runs.json: real runs of generated and hand-written programs, with where each action leads from every event.

PYTHONPATH=python python3 -m foretrace corpus eval --programs 100 --seed 1 --out cases.jsonl
PYTHONPATH=python python3 test/golden/trajectory/make.py < cases.jsonl > test/golden/trajectory/runs.json
"""

import json
import sys
from random import Random

from foretrace.corpus.truth import _full_state
from foretrace.language.annotate import annotate
from foretrace.language.program import Program
from foretrace.trace import Limits, TraceError
from foretrace.trace.sandbox import trace as traced
from foretrace.trace.state_tree import ACTIONS, step

WRITTEN = {
    'calls in a loop': ('def double(n):\n    r = n * 2\n    return r\n\n\ndef total(xs):\n    s = 0\n    for x in xs:\n'
                        '        s += double(x) + double(-1)\n    return s\n', 'total([1, 2])'),
    'recursion': ('def fib(n):\n    if n < 2:\n        return n\n    return fib(n - 1) + fib(n - 2)\n', 'fib(4)'),
    'a generator': ('def numbers(n):\n    for i in range(n):\n        yield i * i\n    return None\n\n\ndef f(n):\n    out = []\n'
                    '    for x in numbers(n):\n        out.append(x)\n    return out\n', 'f(3)'),
    'a generator expression': ('def f(xs):\n    s = sum(x + 1 for x in xs)\n    return s\n', 'f([1, 2, 3])'),
    'an exception that is caught': ('def g(x):\n    if x > 1:\n        raise ValueError(x)\n    return x\n\n\ndef f(xs):\n    bad = 0\n'
                                    '    for x in xs:\n        try:\n            g(x)\n        except ValueError:\n            bad += 1\n'
                                    '    return bad\n', 'f([1, 2, 3])'),
    'an exception that ends the run': ('def g(x):\n    y = x\n    return 1 // y\n\n\ndef f(x):\n    z = g(x)\n    return z\n', 'f(0)'),
    'several outermost calls': ('def f(x):\n    y = x + 1\n    return y\n', 'list(map(f, [1, 2, 3]))'),
    'a class with __new__': ('class P:\n    def __new__(cls, a):\n        made = object.__new__(cls)\n        return made\n\n'
                             '    def __init__(self, a):\n        self.a = a\n', 'P(3)'),
    'closures and lambdas': ('def make(k):\n    def add(x):\n        return x + k\n    return add\n\n\ndef f(n):\n    a = make(n)\n'
                             '    b = sorted([3, 1, 2], key=lambda v: -v)\n    return a(b[0])\n', 'f(5)'),
    'while with break': ('def f(n):\n    i = 0\n    while True:\n        i += 1\n        if i > n:\n            break\n    return i\n', 'f(3)'),
}


def run(name, source, call, rng, most=160):
    trace = traced(source, call, Limits())
    if trace.stopped is not None or not 3 <= len(trace.events) <= most:
        return None
    annotated = annotate(Program.parse(source, call), trace)
    states = [_full_state(annotated, index)['frames'] for index in range(len(trace.events))]
    looks = {json.dumps(state, sort_keys=True) for state in states}
    lines = sorted({event.line for event in trace.events if event.event == 'line'})
    sets = [sorted(rng.sample(lines, min(len(lines), rng.randint(1, 3)))) for _ in range(4)]
    moves = {action: moved(trace, action) for action in ACTIONS if not action.endswith('breakpoint')}
    stops = [{'lines': chosen, 'breakpoint': moved(trace, 'breakpoint', chosen),
              'inv_breakpoint': moved(trace, 'inv_breakpoint', chosen)} for chosen in sets]
    return {'name': name, 'source': source, 'call': call, 'states': states, 'distinct': len(looks) == len(states),
            'moves': moves, 'stops': stops}


def moved(trace, action, lines=()):
    found = []
    for index in range(len(trace.events)):
        try:
            found.append(step(trace, index, action, lines))
        except TraceError:
            found.append(-1)
    return found


def main():
    rng = Random(7)
    runs = [run(name, source, call, rng) for name, (source, call) in WRITTEN.items()]
    assert all(runs), [name for name, found in zip(WRITTEN, runs) if found is None]
    programs = dict.fromkeys((case['source'], case['call']) for case in map(json.loads, sys.stdin))
    for number, (source, call) in enumerate(programs):
        found = run(f'generated {number}', source, call, rng, most=60)
        if found is not None and len(found['states']) > 4 and len(runs) < len(WRITTEN) + 30:
            runs.append(found)
    print('[' + ',\n'.join(json.dumps(found, separators=(',', ':')) for found in runs) + ']')


if __name__ == '__main__':
    main()
