"""The process that runs one untrusted program: `python -s -S sandbox_child.py`, started by sandbox.py.

Reads one JSON request from stdin, writes one JSON answer to a copy of stdout with a number far from those
a program meets, and exits without running the program's exit handlers.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys

PACKAGE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULT_HANDLE = 901


def _move_result_pipe() -> int:
    """Keep stdout for the answer under another number; the program's own 0, 1 and 2 lead nowhere."""
    handle = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, RESULT_HANDLE)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)
    return handle


def _add_quitters() -> None:
    """The builtins that `site` adds and programs call; `-S` leaves them out."""
    import builtins
    from _sitebuiltins import Quitter
    builtins.exit = Quitter('exit', 'Ctrl-D')
    builtins.quit = Quitter('quit', 'Ctrl-D')


def _write_all(handle: int, data: bytes, write=os.write) -> None:
    while data:
        data = data[write(handle, data):]


def main() -> None:
    request = json.loads(sys.stdin.buffer.read())
    handle = _move_result_pipe()
    # The first entry is this file's own folder, whose module names the program must not find.
    sys.path[0] = PACKAGE_ROOT
    from foretrace.trace.confinement import limit_resources, refuse_changes
    from foretrace.trace.errors import TraceError
    from foretrace.trace.predecessors import Candidate, judge
    from foretrace.trace.tracer import Limits, require_events, run
    del sys.path[0]
    _add_quitters()
    leave, dumps = os._exit, json.dumps
    # Given back when memory runs out, so that the answer can still be written.
    reserve = [bytearray(request['reserve_bytes'])]

    def answer(data: dict) -> None:
        reserve.clear()
        try:
            _write_all(handle, dumps(data).encode())
        finally:
            leave(0)

    def kill(trace: object) -> None:
        try:
            require_events(trace)
        except TraceError as error:
            answer({'error': error.to_json()})
        answer({'trace': trace.to_json()})

    limits = Limits(**request['limits'])
    limits.kill = kill
    limit_resources(request['cpu_seconds'], limits.memory_bytes, limits.file_bytes)
    refuse_changes(os.getcwd())
    try:
        question = request.get('judge')
        if question is None:
            answer({'trace': run(request['source'], request['call'], limits).to_json()})
        limits.kill = None  # a candidate that reaches a limit is one that cannot be told, no end of the others
        known = run(request['source'], request['call'], limits)
        candidates = [Candidate.from_json(data) for data in question['candidates']]
        answer({'valid': judge(known, question['index'], question['action'], candidates, question['lines'], limits)})
    except TraceError as error:
        answer({'error': error.to_json()})
    except MemoryError:
        answer({'error': TraceError('memory_limit', 'the program used up its memory').to_json()})
    finally:
        leave(3)


if __name__ == '__main__':
    main()
