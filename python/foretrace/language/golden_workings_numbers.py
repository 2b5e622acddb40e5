"""Programs of the golden file of workings that reckon with floats."""

from __future__ import annotations

NUMBERS: "list[tuple[str, str]]" = [
    # Sums, products and quotients of floats, other signs, integers in a base; comprehensions that perhaps have no item.
    ('''def measure(rate, total, count, rows, digits, xs):
    share = total / count
    rest = total - share * 3 - rate
    tenth = rate * 0.1 + 1 / 3 - total / 32
    low = abs(rest - 12.5) if -rate < -0.25 else -share
    ratio = 7.5 / -2 + share / 0.125 - count / 1.1 * rate
    large = 1e300 * rate + 12345678.5 * 87654321.25 - 100000.0 * 99999999999
    value = int(digits, 2) + int('-7f', base16(16)) - int('12', 2 + 1)
    cells = [(r, c) for r in range(len(rows)) for c in range(len(rows[0])) if rows[r][c]]
    firsts = [rows[0] * x for x in xs for y in rows]
    most = max([1, 0, 0, 1, 2, 0, 0, 1, 0, 0, 3, 0, 1])
    later = [count, 5] > [23, 1] or (most, 'b') <= (3, 'a')
    means = [x / 4 for x in (1, 2, 7)] + [-x * 1.5 for x in (0, 2)]
    return (share, rest, tenth, low), [ratio, large, value], cells + firsts, means, later, 0.0 * share, -0.0 + rate, 3 % rate


def base16(n):
    return n
''', "measure(0.3, 41, 23, [], '1011', [2])"),
]
