"""The process that runs untrusted programs with many calls each: started by batch_runs.py, which writes one JSON request a line.

Every request is answered by a fork of its own, which may not leave its scratch folder, start processes or use the network
(trace.confinement), and writes one JSON line a call. A call that no limit can end from inside ends the fork. When the fork has
ended, `{"done": true}` is written.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import sys

PACKAGE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULT_HANDLE = 901
SLOW_CALLS = 3
"""After so many calls that took too long the others of the program are given up."""
IMPORTED_FIRST = ("bisect", "collections", "copy", "dataclasses", "decimal", "enum", "fractions", "functools", "heapq", "itertools",
                  "json", "math", "operator", "re", "statistics", "string", "textwrap", "typing")
"""What programs import often: loaded once, before the forks."""


def _move_pipes() -> tuple:
    """(requests, number of the result pipe); the programs' own 0, 1 and 2 lead nowhere."""
    handle = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, RESULT_HANDLE)
    requests = os.fdopen(fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, RESULT_HANDLE), "rb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)
    return requests, handle


def _write(handle: int, data: dict, write=os.write, dumps=json.dumps) -> None:
    line = (dumps(data) + "\n").encode()
    while line:
        line = line[write(handle, line):]


def _summary(trace) -> dict:
    """What is kept of a run: a digest of all its events, its lines, the value or exception that it ended with."""
    found = hashlib.blake2b(digest_size=16)
    for event in trace.events:
        found.update(repr((event.event, event.line, event.depth, event.function, event.value,
                           sorted(event.locals.items()))).encode("utf-8", "backslashreplace"))
    last, raised = trace.events[-1], _raised(trace)
    shown = trace.events[-2] if raised and last.event == "return" else last
    return {"digest": found.hexdigest(), "events": len(trace.events), "stopped": trace.stopped,
            "lines": sorted({event.line for event in trace.events}), "value": shown.value, "raised": raised}


def _raised(trace) -> bool:
    """Whether the entry ended by an exception: its `return` follows an `exception` of the same frame, and returns None."""
    if len(trace.events) < 2 or trace.events[-1].event == "exception":
        return True
    before, last = trace.events[-2], trace.events[-1]
    return before.event == "exception" and before.frame == last.frame and last.value == "None"


def _answer(request: dict, handle: int) -> None:
    """Runs the calls of one request; does not return."""
    from foretrace.trace.confinement import limit_resources, refuse_changes
    from foretrace.trace.errors import TraceError
    from foretrace.trace.tracer import Limits, run
    leave = os._exit
    try:
        os.chdir(request["scratch"])
        os.environ["HOME"] = os.environ["TMPDIR"] = request["scratch"]

        limits = Limits(**request["limits"])
        limit_resources(request["cpu_seconds"], limits.memory_bytes, limits.file_bytes)
        refuse_changes(os.getcwd())
        slow = 0
        for call in request["calls"]:
            if slow == SLOW_CALLS:
                _write(handle, {"error": "given_up"})
                continue
            try:
                found = _summary(run(request["source"], call, limits))
            except TraceError as error:
                found = {"error": error.code}
            except MemoryError:
                found = {"error": "memory_limit"}
            slow += "time_limit" in (found.get("stopped"), found.get("error"))
            _write(handle, found)
    finally:
        leave(0)


def main() -> None:
    requests, handle = _move_pipes()
    sys.path[0] = PACKAGE_ROOT
    for name in ("foretrace.trace.confinement", "foretrace.trace.tracer", *IMPORTED_FIRST):
        __import__(name)
    del sys.path[0]
    for line in requests:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.close(requests.fileno())
            _answer(request, handle)
        signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, request["wall_seconds"])
        os.waitpid(child, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.write(handle, b"\n")  # ends the line of a fork that was killed while it wrote
        _write(handle, {"done": True})


if __name__ == "__main__":
    main()
