"""Programs of the golden files, part three: statements and expressions over many lines."""

from __future__ import annotations

PROGRAMS: list[tuple[str, str]] = [
    ('''class K:
    y: int = 3
    def m(self, a, *,
          b=(
              lambda: 5)()):
        s = f"""
{a +
1} {[
 q for q in range(
   2)]}
{self.y}
"""
        t = ("x" f"{a}"
             f"{b}" "z"
             f"{self.y:{a}}")
        d = {
            'a':
                a,
            **{'q':
               1},
        }
        try:
            with (int(
                    'x')) as h:
                pass
        except (OSError,
                ValueError) as e:
            d = None
        x = (a
             if a > 2
             else
             b)
        for i, (j,
                k) in enumerate([(1, 2),
                                 (3, 4)]):
            if not (
                i and
                j
            ): continue
            elif k: break
        else:
            x = 1
        while (
            x < 3 and
            a
        ):
            x += 1
        del (d,
             t)
        assert (x >
                0)
        l = [
            1,
            2,
        ]
        u = (self
             .y
             .bit_length()
             .__add__(
                 1
             ))
        l[
            0
        ] = a
        l[0:
          1] += [u]
        print(
            *l,
            sep=""
        )
        global gg
        gg = -\\
            a
        x = a < \\
            b < \\
            u
        v = {(
            n := 1): w
            for w in
            l if
            w}
        return [lambda z: (z,
                  a), x
                ][0](
            2)
def f(a):
    """only doc"""
@(lambda q:
  q)
def g(n):
    f(n)
    r = yield (
        n)
    yield \\
        r
    try:
        yield from (c
           for c in
              'ab' if
               c)
    finally:
        n = 1
def h():
    try:
        x = list(g(2)) + [K().m(4)]
        k = (yy
           for yy in [
             0]
           if 1 /
              yy)
        next(
            k)
    finally:
        return x
''', "h()"),
]
