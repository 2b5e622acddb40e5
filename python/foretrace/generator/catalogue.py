"""All operations, indexed by what they give and what they change."""

from __future__ import annotations

import random
from bisect import bisect
from itertools import accumulate

from . import types as T
from .operations import Operation
from .operations_changes import change_operations
from .operations_lists import list_operations
from .operations_mappings import mapping_operations
from .operations_objects import object_operations
from .operations_numbers import number_operations
from .operations_strings import string_operations

VALUES: tuple[Operation, ...] = tuple(
    number_operations() + string_operations() + list_operations() + mapping_operations()
    + object_operations())
CHANGES: tuple[Operation, ...] = tuple(change_operations())


class Choice:
    """Operations with their weights, ready to draw from."""

    def __init__(self, operations: list[Operation]) -> None:
        self.operations = [operation for operation in operations if operation.weight > 0]
        self.totals = list(accumulate(operation.weight for operation in self.operations))

    def __bool__(self) -> bool:
        return bool(self.operations)

    def draw(self, rng: random.Random) -> Operation:
        return self.operations[bisect(self.totals, rng.random() * self.totals[-1])]


def _index(operations: tuple[Operation, ...], of) -> dict:
    groups: dict[object, list[Operation]] = {}
    for operation in operations:
        groups.setdefault(of(operation), []).append(operation)
    return {name: Choice(group) for name, group in groups.items()}


ALL_VALUES = Choice(list(VALUES))
ALL_CHANGES = Choice(list(CHANGES))
RISKY_VALUES = Choice([operation for operation in VALUES if operation.risky])
RISKY_CHANGES = Choice([operation for operation in CHANGES if operation.risky])
BY_RESULT = _index(VALUES, lambda operation: operation.result)
"""Operations by the type of their value."""
SAFE_BY_RESULT = _index(tuple(op for op in VALUES if not op.risky), lambda operation: operation.result)
ON = _index(tuple(op for op in VALUES if not op.risky),
            lambda operation: (T.type_of(operation.arguments[0]), operation.result))
"""Operations that do not raise, by the types of their first argument and of their value."""
BY_RECEIVER = _index(VALUES, lambda operation: T.type_of(operation.arguments[0]))
"""Operations by the type of their first argument."""
CHANGES_BY_RECEIVER = _index(CHANGES, lambda operation: T.type_of(operation.arguments[0]))
