"""`python -m foretrace corpus`: what models are trained and judged on.

functions   programs with calls from public collections that the user has fetched
eval        evaluation cases from held-out programs or functions, for `eval steps`
calls       calls with their values from held-out programs or functions, for `eval cruxeval`
operations  single operations on values of growing size, for `eval operations`
"""

from __future__ import annotations

import argparse

from . import calls_command, functions_command, operations, samples

_COMMANDS = {"functions": functions_command, "eval": samples, "calls": calls_command, "operations": operations}


def main(arguments: list) -> int:
    """Run the command. Returns 0 (done) or 1 (failed); exits with 2 on wrong usage."""
    parser = argparse.ArgumentParser(prog="foretrace corpus", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    below = parser.add_subparsers(dest="what", required=True)
    parsers = {}
    for name, module in _COMMANDS.items():
        parsers[name] = below.add_parser(name, description=module.__doc__, help=module.__doc__.split("\n")[0].split(": ", 1)[-1],
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        module.add_options(parsers[name])
    options = parser.parse_args(arguments)
    return _COMMANDS[options.what].main(parsers[options.what], options)
