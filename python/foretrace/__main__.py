"""`python -m foretrace COMMAND`: finds the command's module and runs it.

A command is a module with `main(arguments: list[str]) -> int`; it is imported only when it is asked for,
so that tracing never loads what training needs.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec

DONE, FAILED, USAGE = 0, 1, 2

COMMANDS = {
    'trace': ('foretrace.trace.command', 'a real run of a program, printed event by event'),
    'replay': ('foretrace.trace.replay_command', 'whether predicted earlier states really lead to a known one'),
    'truth': ('foretrace.corpus.truth', 'the true states, frame stacks included, behind cases of `eval steps`'),
    'corpus': ('foretrace.corpus.command', 'functions of public collections, evaluation cases, calls with their values'),
    'check-inputs': ('foretrace.corpus.check_inputs', 'whether proposed inputs give a known output'),
    'train': ('foretrace.training.train_command', 'train a model on generated programs; the same command resumes it'),
    'recipe': ('foretrace.training.recipe_command', 'a whole training by a written plan'),
    'seen': ('foretrace.training.seen_command', 'which programs a training run has drawn'),
    'ablate': ('foretrace.training.ablate_command', 'compare variants of language, data, shape and training'),
    'curve': ('foretrace.training.curve', 'table and picture of a training run'),
    'export': ('foretrace.training.export_command', 'write a trained model as a directory that the engine loads'),
}


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


def _usage() -> str:
    lines = ['usage: python -m foretrace COMMAND [...]', '', 'commands:']
    lines += [f'  {name:12} {what}' for name, (module, what) in COMMANDS.items() if _installed(module)]
    lines += ['', '`python -m foretrace COMMAND --help` tells more.']
    return '\n'.join(lines)


def main(arguments: list[str]) -> int:
    """Run one command. Returns 0 (done), 1 (failed) or 2 (usage)."""
    if not arguments or arguments[0] in ('-h', '--help'):
        print(_usage(), file=sys.stdout if arguments else sys.stderr)
        return DONE if arguments else USAGE
    name = arguments[0]
    if name not in COMMANDS or not _installed(COMMANDS[name][0]):
        print(f'no such command: {name}\n{_usage()}', file=sys.stderr)
        return USAGE
    return import_module(COMMANDS[name][0]).main(arguments[1:])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
