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
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from foretrace.trace.errors import TraceError
from foretrace.trace.events import Trace
from foretrace.trace.predecessors import ANCHORS_MOST
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
        return Trace.from_json(_run_child(_request(source, call, limits), limits.seconds, scratch)['trace'])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def judge(source: str, call: str, index: int, action: str, candidates: Sequence[Mapping], lines: Sequence[int] = (),
          limits: Limits | None = None) -> list[bool | None]:
    """`predecessors.judge` over a run made in a process of its own; candidates are {event, line, locals, value?}.

    `limits.seconds` holds for each run; a program that cannot be interrupted leaves every verdict None.
    Raises TraceError as `trace` and `predecessors.judge` do, and bad_candidate.
    """
    limits = limits if limits is not None else Limits()
    question = {'index': index, 'action': action, 'candidates': [dict(data) for data in candidates], 'lines': list(lines)}
    runs = 1 + ANCHORS_MOST * len(candidates)
    scratch = tempfile.mkdtemp(prefix='foretrace-')
    try:
        return _run_child(_request(source, call, limits, runs, question), limits.seconds * runs, scratch)['valid']
    except TraceError as error:
        if error.code != 'time_limit':
            raise
        return [None] * len(candidates)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _request(source: str, call: str, limits: Limits, runs: int = 1, question: dict | None = None) -> bytes:
    plain = asdict(limits)
    del plain['kill']
    # One second more than the wall clock: the clock answers with events, the limit kills without.
    request = {'source': source, 'call': call, 'limits': plain, 'reserve_bytes': RESERVE_BYTES,
               'cpu_seconds': math.ceil(limits.seconds * runs) + 1}
    if question is not None:
        request['judge'] = question
    return json.dumps(request).encode()


def _run_child(request: bytes, seconds: float, scratch: str) -> dict:
    environment = {'PYTHONHASHSEED': '0', 'PATH': os.defpath, 'HOME': scratch, 'TMPDIR': scratch, 'TZ': 'UTC',
                   'LANG': 'C.UTF-8', 'PYTHONIOENCODING': 'utf-8'}
    # -E and -I would ignore PYTHONHASHSEED; -P is 3.11+. The child drops its own folder from sys.path.
    child = subprocess.Popen([sys.executable, '-S', '-s', '-B', CHILD], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=scratch, env=environment,
                             start_new_session=True)
    try:
        answer, _ = child.communicate(request, timeout=seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        raise TraceError('time_limit', 'the program did not end in time and could not be interrupted',
                         f'{seconds} seconds') from None
    finally:
        _end(child)
    return _read_answer(answer, child.returncode, seconds)


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


def _read_answer(answer: bytes, status: int, seconds: float) -> dict:
    try:
        data = json.loads(answer)
        if 'error' in data:
            raise TraceError.from_json(data['error'])
        return data
    except (ValueError, KeyError, TypeError):
        pass
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TraceError('time_limit', 'the program did not end in time and could not be interrupted',
                         f'{seconds} seconds')
    raise TraceError('sandbox_failed', 'the process of the program ended without an answer', 'exit status 0',
                     f'exit status {status}, {len(answer)} bytes')
