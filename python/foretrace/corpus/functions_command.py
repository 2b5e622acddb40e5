"""`python -m foretrace corpus functions`: programs with calls from public collections that the user has fetched.

Reads directories of Python files or git directories. A function is kept with all it needs of its module, and with up to eight
calls: from doctests, asserts and unit tests, variations of these, or drawn by its type hints. Every call is run in confined
processes; see docs/data.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Callable, Iterable, Iterator, List, Optional, Tuple

from .collect import Function, Outcome, Task, collect
from .collection import Collection, CollectionError, read_collection
from .function_file import FunctionFileError, RealFunction, copies_of, read_functions, repeating, side, write_functions
from .linked_tests import links
from .programs import program_hash

DONE, FAILED, USAGE = 0, 1, 2


class Gathered:
    """What the files gave so far: functions of all collections, each program once."""

    def __init__(self) -> None:
        self.functions: List[Tuple[Collection, Function]] = []
        self.keys: set = set()
        self.dropped: Counter = Counter()
        self.seen = 0
        self.known = 0

    def add(self, collection: Collection, outcome: Outcome) -> None:
        self.seen += outcome.seen
        self.dropped.update(outcome.dropped)
        for function in outcome.functions:
            self._add(collection, function)

    def _add(self, collection: Collection, function: Function) -> None:
        if function.key in self.keys:
            self.dropped["duplicate"] += 1
        else:
            self.keys.add(function.key)
            self.functions.append((collection, function))

    def add_known(self, functions: Iterable[RealFunction]) -> None:
        """Functions of an earlier file, as they are there."""
        for known in functions:
            function = Function(known.path, known.name, known.source, list(known.calls), 0, program_hash(known.source))
            self._add(Collection(known.repository, known.licence, ()), function)
        self.known = len(self.functions)

    def split(self) -> List[Tuple[dict, List[str], str]]:
        """Every function with its calls and side. Held ones that repeat training ones are left out; where an earlier file holds a
        function out, what was added and repeats it is."""
        sides = [side(collection.name, function.path) for collection, function in self.functions]
        sources = [function.source for _, function in self.functions]
        held = [index for index, name in enumerate(sides) if name == "held"]
        added = [index for index in range(self.known, len(sides)) if sides[index] == "train"]
        repeated = {added[index] for index in repeating([sources[index] for index in held if index < self.known],
                                                        [sources[index] for index in added])}
        train = [index for index, name in enumerate(sides) if name == "train" and index not in repeated]
        judged = [index for index in held if index >= self.known]
        copied = copies_of((sources[index] for index in train), [sources[index] for index in judged])
        trained = {self.functions[index][1].hash for index in train}
        copies = {judged[index] for index in copied} | {index for index in judged if self.functions[index][1].hash in trained}
        self.dropped["train_copy_of_held"] += len(repeated)
        self.dropped["held_copy_of_train"] += len(copies)
        return [({"source": function.source, "origin": {"repository": collection.name, "path": function.path, "name": function.name,
                                                        "licence": collection.licence}}, function.calls, sides[index])
                for index, (collection, function) in enumerate(self.functions) if index not in repeated | copies]


def tasks(collection: Collection) -> Iterator[Task]:
    """Every file of a collection with the tests that import it."""
    tested = links(collection.files)
    for file in collection.files:
        yield Task(file, tuple(tested.get(file.path, ())))


def gather(collections: Iterable[Collection], workers: int, limit: Optional[int], show: Callable[[str], None] = lambda text: None,
           known: Iterable[RealFunction] = ()) -> Gathered:
    """All usable functions, in the order of collections and paths, after the known ones; `limit` at most."""
    gathered = Gathered()
    gathered.add_known(known)
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for collection in collections:
            waiting = list(tasks(collection))
            for done, outcome in enumerate(pool.imap(collect, waiting, chunksize=2), 1):
                gathered.add(collection, outcome)
                show(f"{collection.name}: {done}/{len(waiting)} files, {len(gathered.functions)} functions")
                if limit is not None and len(gathered.functions) >= limit:
                    del gathered.functions[limit:]  # the pool ends with the `with`
                    return gathered
    return gathered


def summary(gathered: Gathered, counts: Counter, functions: Counter) -> str:
    """Functions seen and kept, calls, and why others were dropped."""
    lines = [f"{gathered.seen} functions seen, {sum(functions.values())} kept with {sum(counts.values())} calls"]
    for repository in sorted({name for name, _ in counts}):
        parts = [f"{functions[repository, name]} functions, {counts[repository, name]} calls {name}" for name in ("train", "held")]
        lines.append(f"  {repository}: {'; '.join(parts)}")
    lines.append("left out:")
    lines += [f"  {reason}: {count}" for reason, count in gathered.dropped.most_common() if count]
    return "\n".join(lines)


def _progress() -> Callable[[str], None]:
    if not sys.stderr.isatty():
        return lambda text: None
    return lambda text: print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("collections", nargs="+", type=Path, metavar="DIR_OR_GIT", help="a directory tree or a git directory")
    parser.add_argument("--out", type=Path, required=True, help="the functions file to write")
    parser.add_argument("--name", help="what the collection is called in `origin` (one collection only); default: its directory")
    parser.add_argument("--licence", help="the collections' licence, instead of what their licence file says")
    parser.add_argument("--with", dest="known", type=Path, metavar="FILE",
                        help="the functions of this file come first, as they are: collections are added to it")
    parser.add_argument("--limit", type=int, help="stop after this many functions")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes; default one a processor")


def main(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Run the command. Returns 0 (done) or 1 (failed); exits with 2 on wrong usage."""
    if options.name is not None and len(options.collections) > 1:
        parser.error("--name: names one collection, not several")
    if options.workers < 1 or options.limit is not None and options.limit < 1:
        parser.error("--workers, --limit: a positive number is expected")
    try:
        # All are opened before the first is read in full, so that a refused licence costs no time.
        collections = [read_collection(path, options.name, options.licence) for path in options.collections]
        known = read_functions(options.known) if options.known is not None else []
        gathered = gather(collections, options.workers, options.limit, _progress(), known)
        found = gathered.split()
        counts = write_functions(options.out, found)
    except (OSError, CollectionError, FunctionFileError) as error:
        print(f"foretrace corpus functions: {error}", file=sys.stderr)
        return FAILED
    if sys.stderr.isatty():
        print(file=sys.stderr)
    functions = Counter((about["origin"]["repository"], split) for about, _, split in found)
    print(summary(gathered, counts, functions))
    return DONE
