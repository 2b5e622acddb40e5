"""Tracing a program that is not trusted: one process for one run, with limits on all it can use."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict

from foretrace.trace.errors import TraceError
from foretrace.trace.events import Trace
from foretrace.trace.tracer import Limits

CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sandbox_child.py')
# Wall time beyond the program's own: start of the interpreter, writing the answer, on a machine that may be busy.
GRACE_SECONDS = 15.0
RESERVE_BYTES = 16 * 1024 * 1024


def trace(source: str, call: str, limits: Limits | None = None) -> Trace:
    """Trace one run in a process of its own.

    The program sees an empty stdin, a scratch folder that is deleted afterwards, fixed random numbers and
    string hashes; it cannot write elsewhere, start processes or threads, or use the network.

    Raises TraceError as `tracer.run` does, and: time_limit (killed from outside, inside one long C call, so
    that no events could be saved), memory_limit, sandbox_failed (the process died in another way).
    """
    limits = limits if limits is not None else Limits()
    scratch = tempfile.mkdtemp(prefix='foretrace-')
    try:
        return _run_child(source, call, limits, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _request(source: str, call: str, limits: Limits) -> bytes:
    plain = asdict(limits)
    del plain['kill']
    # One second more than the wall clock: the clock answers with events, the limit kills without.
    request = {'source': source, 'call': call, 'limits': plain, 'reserve_bytes': RESERVE_BYTES,
               'cpu_seconds': math.ceil(limits.seconds) + 1}
    return json.dumps(request).encode()


def _run_child(source: str, call: str, limits: Limits, scratch: str) -> Trace:
    environment = {'PYTHONHASHSEED': '0', 'PATH': os.defpath, 'HOME': scratch, 'TMPDIR': scratch, 'TZ': 'UTC',
                   'LANG': 'C.UTF-8', 'PYTHONIOENCODING': 'utf-8'}
    # -E and -I would ignore PYTHONHASHSEED; -P is 3.11+. The child drops its own folder from sys.path.
    child = subprocess.Popen([sys.executable, '-S', '-s', '-B', CHILD], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=scratch, env=environment,
                             start_new_session=True)
    try:
        answer, _ = child.communicate(_request(source, call, limits), timeout=limits.seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        raise TraceError('time_limit', 'the program did not end in time and could not be interrupted',
                         f'{limits.seconds} seconds') from None
    finally:
        _end(child)
    return _read_answer(answer, child.returncode, limits)


def _end(child: subprocess.Popen) -> None:
    if child.poll() is None:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None and not stream.closed:
            try:
                stream.close()
            except BrokenPipeError:
                pass


def _read_answer(answer: bytes, status: int, limits: Limits) -> Trace:
    try:
        data = json.loads(answer)
        if 'error' in data:
            raise TraceError.from_json(data['error'])
        return Trace.from_json(data['trace'])
    except (ValueError, KeyError, TypeError):
        pass
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TraceError('time_limit', 'the program did not end in time and could not be interrupted',
                         f'{limits.seconds} seconds')
    raise TraceError('sandbox_failed', 'the process of the program ended without an answer', 'exit status 0',
                     f'exit status {status}, {len(answer)} bytes')
