# main(5)
# -*- coding: utf-8 -*-
NAME = '😀é'; TABLE = {}; junk = 'ü😀'; TABLE['é'] = lambda n: n + 1
TEXT = '''
def finish(n):
    return 'not code'
class Fake: pass
'''; TABLE['t'] = len(TEXT)
def double(n): return \
    n * 2
if TABLE: TABLE['a'] = 1; junk_b = 2
JUNK = [1,
        2]; KEEP = 3; \
EXTRA = 4;
class B: "doc"; x = 1; y = x + 1; __call__ = lambda self, n: n + self.y

def ﬁnish(n): return n - len("""
def double(n): return 'no'
""")
class 𝐂onﬁg: size = 6; junk_size = 7
# a comment   def broken(  class Broken:
def tabs(n):
	if n:
		n += 1
# a comment at column 0

        # and one too deep
	""" text, no docstring
def tabs(n): return None
"""
	return n
DOC = "a \
def b(): pass\
"; TABLE['doc'] = DOC[:1]
@(lambda key:
    lambda function: TABLE.__setitem__(key, function))(
    'd'
)

# between a decorator and its function
def deco(
        n, by=3,
): return n * by
for _ in 'xy': TABLE[_] = _; junk_c = _
while KEEP < 5: KEEP += 1; EXTRA *= KEEP
class Junk:
    def one(self): return """
class Config: size = 0
"""
    def two(self): return [
        1]; three = 3
def junk_last(n): return (
    n); TABLE['never'] = 0
if 1: pass; TABLE['y'] = 'z'
try: TABLE['k'] = NAME[5]
except IndexError: TABLE['k'] = NAME[-1:]; KEEP += 1
def main(n):
    call = B()
    n = finish(call(double(n))); n += Config.size
    n = tabs(n) + TABLE['é'](n)
    return n, TABLE['d'](n), KEEP, EXTRA, [str(TABLE[key]) for key in ('t', 'a', 'x', 'y', 'k', 'doc')]
