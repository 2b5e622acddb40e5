"""Many calls of one untrusted program, each traced twice in confined processes whose string hashes differ."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import List, Optional, Sequence, Tuple

from ..trace import Limits

CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "batch_child.py")
MAX_EVENTS = 2000
"""The corpus limit of `programs.traced`."""
VALUE_LENGTH = 160
CALL_SECONDS = 2.0
CPU_SECONDS = 12
"""Of all calls of a program together; a call inside one endless C function ends here."""
WALL_SECONDS = 60.0
RESTARTS = 2
"""Processes after the first that a program gets; what is left then is given up."""
MEMORY_BYTES = 512 << 20


@dataclass(frozen=True)
class CallRun:
    """How one call ended. `digest` stands for all its events, `lines` are those it stopped on, `value` what it returned.

    `refused`: why the call is of no use (a code of TraceError, a limit, nondeterministic); the other fields are empty then."""

    call: str
    refused: Optional[str]
    events: int = 0
    lines: Tuple[int, ...] = ()
    value: Optional[str] = None
    raised: bool = False


def run_calls(source: str, calls: Sequence[str]) -> List[CallRun]:
    """One CallRun for each call, in order.

    Every call runs twice, with other string hashes and in the opposite order the second time; runs that differ are
    refused as nondeterministic. Raises OSError if no process can be started."""
    first = _run(source, list(calls), "0")
    useful = [index for index, found in enumerate(first) if _refused(found) is None]
    second = _run(source, [calls[index] for index in reversed(useful)], "1")
    again = dict(zip(reversed(useful), second))
    return [_joined(call, found, again.get(index)) for index, (call, found) in enumerate(zip(calls, first))]


def _refused(found: dict) -> Optional[str]:
    if "error" in found:
        return found["error"]
    if found.get("stopped"):
        return found["stopped"]
    return None if found["events"] > 1 else "too_short"


def _joined(call: str, first: dict, second: Optional[dict]) -> CallRun:
    refused = _refused(first)
    if refused is None and (second is None or second.get("digest") != first["digest"]):
        refused = "nondeterministic"
    if refused is not None:
        return CallRun(call, refused)
    return CallRun(call, None, first["events"], tuple(first["lines"]), first["value"], first["raised"])


def _run(source: str, calls: List[str], hash_seed: str) -> List[dict]:
    """The answer to each call, in order; a process that a call ended is replaced for those after it."""
    done: List[dict] = []
    for _ in range(1 + RESTARTS):
        if len(done) == len(calls):
            break
        answers = _process(source, calls[len(done):], hash_seed)
        done += answers
        if len(done) < len(calls):  # the fork died of the call it was at
            done.append({"error": "sandbox_failed"})
    return done + [{"error": "given_up"}] * (len(calls) - len(done))


def _process(source: str, calls: List[str], hash_seed: str) -> List[dict]:
    scratch = tempfile.mkdtemp(prefix="foretrace-")
    limits = asdict(Limits(max_events=MAX_EVENTS, max_length=VALUE_LENGTH, seconds=CALL_SECONDS, memory_bytes=MEMORY_BYTES))
    del limits["kill"]
    try:
        return _server(hash_seed).ask({"source": source, "calls": calls, "limits": limits, "cpu_seconds": CPU_SECONDS,
                                       "wall_seconds": WALL_SECONDS, "scratch": scratch})[:len(calls)]
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class _Server:
    """A process that forks for every request, so that the interpreter and the tracer are loaded once."""

    def __init__(self, hash_seed: str) -> None:
        self.environment = {"PYTHONHASHSEED": hash_seed, "PATH": os.defpath, "TZ": "UTC", "LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}
        self.process: Optional[subprocess.Popen] = None
        atexit.register(self.close)

    def _start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-S", "-s", "-B", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=self.environment, start_new_session=True)

    def ask(self, request: dict) -> List[dict]:
        """The answers to a request's calls, as many as there were before the fork ended."""
        if self.process is None or self.process.poll() is not None:
            self._start()
        found: List[dict] = []
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            self.close()
            return found
        for line in self.process.stdout:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict) and entry.get("done") is True:
                return found
            if isinstance(entry, dict):
                found.append(entry)
        self.close()
        return found

    def close(self) -> None:
        """Ends the process; the next request starts another."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


@lru_cache(maxsize=None)
def _server(hash_seed: str) -> _Server:
    """One for each process that collects and each hash seed."""
    return _Server(hash_seed)
