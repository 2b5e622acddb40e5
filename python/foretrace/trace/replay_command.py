"""`python -m foretrace replay`: which candidates for an earlier state really lead to the known one.

A JSON object a line on stdin: {source, call, index, action, lines?, candidates: [{event, line, locals, value?}]};
`index` is that of the known event in the real run, `action` the reverse action that was asked there. A line on
stdout for each, in order: {"valid": [true, false or null, ...]}, null where it cannot be told, or {"error": {...}}.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import TextIO

from foretrace.trace.errors import TraceError
from foretrace.trace.predecessors import Candidate, judge
from foretrace.trace.sandbox import judge as judge_apart
from foretrace.trace.tracer import Limits, run

DONE, FAILED = 0, 1
FIELDS = {'source': str, 'call': str, 'index': int, 'action': str, 'candidates': list}


def main(arguments: list[str], requests: TextIO | None = None) -> int:
    """Run the command. Returns 0, or 1 if any request failed (a usage error exits with 2)."""
    options = _parser().parse_args(arguments)
    limits = Limits(max_events=options.max_events, seconds=options.timeout)
    status = DONE
    for line in requests if requests is not None else sys.stdin:
        if not line.strip():
            continue
        try:
            answer: dict = {'valid': _answer(line, limits, options.trusted)}
        except TraceError as error:
            answer, status = {'error': error.to_json()}, FAILED
        print(json.dumps(answer), flush=True)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='python -m foretrace replay', formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument('--max-events', type=int, default=10_000, metavar='N')
    parser.add_argument('--timeout', type=float, default=2.0, metavar='S', help='seconds of wall time for each run')
    parser.add_argument('--trusted', action='store_true',
                        help='run the programs in this process, without a sandbox: faster, for generated programs')
    return parser


def _answer(line: str, limits: Limits, trusted: bool) -> list[bool | None]:
    request = _request(line)
    lines = request.get('lines') or []
    if not trusted:
        return judge_apart(request['source'], request['call'], request['index'], request['action'], request['candidates'],
                           lines, limits)
    known = run(request['source'], request['call'], limits)
    return judge(known, request['index'], request['action'],
                 [Candidate.from_json(data) for data in request['candidates']], lines, limits)


def _request(line: str) -> Mapping:
    """Raises TraceError (bad_request) for a line that is no request."""
    try:
        request = json.loads(line)
    except ValueError as error:
        raise TraceError('bad_request', 'a line is no JSON', 'one JSON object a line', str(error)) from None
    if not isinstance(request, dict):
        raise TraceError('bad_request', 'a line is no request', 'a JSON object', type(request).__name__)
    for name, kind in FIELDS.items():
        if type(request.get(name)) is not kind:
            raise TraceError('bad_request', f'{name} is missing or of another type', kind.__name__,
                             type(request.get(name)).__name__)
    lines = request.get('lines') or []
    if not isinstance(lines, list) or any(type(number) is not int for number in lines) or any(
            not isinstance(data, dict) for data in request['candidates']):
        raise TraceError('bad_request', 'lines are integers and candidates objects', '[int], [{...}]', line[:200])
    return request
