"""Which actions training data asks for: the policy of the paper (arXiv 2603.09951, data collection).

With probability 1/2 (`any_share`) an action is uniform over all that are available, else uniform over the two single
steps; the same in reverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from foretrace.trace.events import Trace
from foretrace.trace.state_tree import FORWARD, REVERSE, available

ANY_SHARE = 0.5
REACHED_SHARE = 0.9
MOST_BREAKPOINTS = 3
FORWARD_STEPS = ('step_into', 'step_over')
REVERSE_STEPS = ('inv_step_into', 'inv_step_over')


def choose_action(rng: Random, trace: Trace, i: int, reverse: bool = False,
                  any_share: float = ANY_SHARE) -> tuple[str, tuple[int, ...]] | None:
    """An action from event `i` with its breakpoint lines (empty for others), or None at the end of the run.

    Every choice leads somewhere: `state_tree.step` does not raise for it.
    """
    direction, steps = (REVERSE, REVERSE_STEPS) if reverse else (FORWARD, FORWARD_STEPS)
    possible = available(trace, i)
    choices = [action for action in possible if action in direction]
    if not choices:
        return None
    if rng.random() >= any_share:
        single = [action for action in steps if action in choices]
        choices = single or choices
    action = rng.choice(choices)
    if not action.endswith('breakpoint'):
        return action, ()
    return action, choose_lines(rng, trace, i, reverse)


def choose_lines(rng: Random, trace: Trace, i: int, reverse: bool = False) -> tuple[int, ...]:
    """One to three breakpoint lines, ascending; each with probability 0.9 one that the run really reaches.

    The other lines are any that some event of the run names, reached from `i` or not. In a run that a limit
    stopped at least one line is reached: where it goes without reaching one is not known.
    """
    index = trace.index
    reached = index.lines_before(i) if reverse else index.lines_after(i)
    every = _lines_of(trace)
    chosen = set()
    for _ in range(rng.randint(1, MOST_BREAKPOINTS)):
        pool = reached if reached and rng.random() < REACHED_SHARE else every
        chosen.add(rng.choice(pool))
    if not reverse and trace.stopped is not None and not chosen.intersection(reached):
        chosen.add(rng.choice(reached))
    return tuple(sorted(chosen))


def _lines_of(trace: Trace) -> Sequence[int]:
    lines = trace.index.lines_after(-1)
    return lines or [trace.events[0].line]
