"""`python -m foretrace trace FILE.py --call EXPR`: a real run, printed."""

from __future__ import annotations

import argparse
import json
import os
import sys

from foretrace.trace.errors import TraceError
from foretrace.trace.event import Event
from foretrace.trace.events import Trace
from foretrace.trace.sandbox import trace
from foretrace.trace.tracer import Limits

DONE, FAILED = 0, 1
SHOWN_SOURCE = 60


def main(arguments: list[str]) -> int:
    """Run the command. Returns 0 (done) or 1 (failed; also a run that a limit stopped)."""
    options = _parser().parse_args(arguments)
    limits = Limits(max_events=options.max_events, seconds=options.timeout)
    try:
        found = trace(_source(options.file), options.call, limits)
    except TraceError as error:
        return _failed(error, options.json)
    try:
        _print(found, options.json)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be written at the end
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            return DONE
        return _failed(TraceError('unreadable_file', 'standard output cannot be written', actual=str(error)), options.json)
    if found.stopped is not None:
        what = f'the run was stopped after {len(found.events)} events'
        return _failed(TraceError(found.stopped, what, 'a run within its limits'), options.json)
    return DONE


def _failed(error: TraceError, as_json: bool) -> int:
    print(json.dumps({'error': error.to_json()}) if as_json else error.report(), file=sys.stderr)
    return FAILED


def _source(path: str) -> str:
    try:
        with open(path, encoding='utf-8-sig') as file:  # CPython drops a byte order mark
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError('unreadable_file', f'cannot read {path}', 'a Python file in UTF-8', str(error)) from None


def _positive(kind: type) -> object:
    def convert(text: str) -> int | float:
        number = kind(text)
        if not 0 < number < 1e9:
            raise argparse.ArgumentTypeError(f'a positive number is expected, not {text}')
        return number
    convert.__name__ = kind.__name__
    return convert


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='python -m foretrace trace', description='Print a real run of a program.')
    parser.add_argument('file', metavar='FILE.py')
    parser.add_argument('--call', required=True, metavar='EXPR', help="the call to trace, such as \"f([1, 2], 'x')\"")
    parser.add_argument('--json', action='store_true', help='one event a line: {event, line, depth, locals, value?}')
    parser.add_argument('--max-events', type=_positive(int), default=10_000, metavar='N')
    parser.add_argument('--timeout', type=_positive(float), default=5.0, metavar='S', help='seconds of wall time')
    return parser


def _print(found: Trace, as_json: bool) -> None:
    if as_json:
        for event in found.events:
            data = {'event': event.event, 'line': event.line, 'depth': event.depth, 'locals': event.locals}
            if event.value is not None:
                data['value'] = event.value
            print(json.dumps(data))
    else:
        for line in listing(found):
            print(_printable(line))
    sys.stdout.flush()


def _printable(text: str) -> str:
    """The text with escapes for what the output cannot show, as lone surrogates, which a `__repr__` may give."""
    encoding = sys.stdout.encoding or 'utf-8'
    return text.encode(encoding, 'backslashreplace').decode(encoding)


def listing(found: Trace) -> list[str]:
    """A line for each event: number, source line, and what changed in its frame since it was last shown."""
    source = found.source.removesuffix('\n').split('\n')  # not splitlines: a form feed ends no line of a program
    width = len(str(len(source)))
    seen: dict[int, dict[str, str]] = {}
    lines = []
    for event in found.events:
        before = seen.get(event.frame, {})
        seen[event.frame] = event.locals
        text = source[event.line - 1].strip() if event.line <= len(source) else ''
        head = f'{"  " * (event.depth - 1)}{event.line:>{width}} {_mark(event)}{text[:SHOWN_SOURCE]}'
        changes = [f'{name}={value}' for name, value in event.locals.items() if before.get(name) != value]
        changes += [f'del {name}' for name in before if name not in event.locals]
        lines.append(f'{head}    # {", ".join(changes)}' if changes else head)
    return lines


def _mark(event: Event) -> str:
    if event.event == 'call':
        return f'call {event.function}: '
    if event.event == 'line':
        return ''
    return f'{event.event} {event.value}: '
