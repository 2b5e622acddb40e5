# Debug: solve([2, 3, 7, 8], 11)
# A search that goes down, fails and comes back up: step over a call, or return from one.


def solve(numbers, target, start=0):
    """Some of the numbers, each used once, that add up to the target; None if there are none."""
    if target == 0:
        return []
    for i in range(start, len(numbers)):
        number = numbers[i]
        if number > target:
            continue
        rest = solve(numbers, target - number, i + 1)
        if rest is not None:
            return [number] + rest
    return None
