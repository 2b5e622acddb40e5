"""Code of the golden file of workings whose lines are cut short, and code that no program has."""

from __future__ import annotations

CUT_SHORT = '''def f(a, b, c, xs, s):
    xs[a + 1:] = [-b ** 2 if a not in {1: 'q', **c} else (lambda x: x)(1.5e-3)]
    for (a, *b), c in sorted(x for x in f'{a}' if not x):
        pass
    g(*xs, key=b'\\'', **c)[::a].d.e += 0xfe - 1, ~a @ b
    assert a <= b is not c or a << 1 & b, 'é'
'''
"""Each of its lines is also cut at every token."""

LOOSE: list[str] = [
    ")", "]", "}", "( ]", "( a ]", "[ a )", "{ a )", "( a ) )", "a b", "a ( b", "a [ ]", "a [ : : : ]", "a [ b c ]", "a [ b : c d ]",
    "a , , b", "( , )", "( a , , b )", "[ , ]", "{ a b }", "a ( , )", "a ( b c )", "a ( b , , c )", "* a", "* a b", "* * a", "** a",
    "a *", "a ** * b", "a + ", "a not b", "a is", "a in", "a not in", "not", "not in a", "and a", "a and", "a if b", "a if b else",
    "if a", "if :", "if a : b", "while :", "for in xs :", "for a xs :", "for a in :", "for a in xs", "for a in xs : b", "for 1 in xs :",
    "elif a :", "else :", "return return", "return a b", "assert", "assert a ,", "a =", "a = = b", "= a", "a : ", "a : b =", "a : b c",
    "a += ", "a += b = c", "a += b += c", "a = b += c", "a : b += c", "a . 1", "a .", ". a", "a . if", ". 5", "5 . a", "5 . . a", "a ...",
    "... . a", "0 x", "0 x g", "1 e - a", "1 e + 5", "1 e", "0 x e - 1", "1 . 5 . 6", "' a", "' a '", "' a \\ ' '", "' a \\", '" \' "',
    "<|bytes|>", "<|bytes|> a", "<|bytes|> ' a '", "<|bytes|> ' a ' ' b '", "' a ' a", "<|fstring|>", "<|fstring|> <|fend|>", "<|fend|>",
    "<|fstring|> { <|fstring|> <|fend|> }", "<|fstring|> { <|fstring|> <|fend|> } <|fend|> . a", "<|fstring|> ' <|fend|> ' a '", "lambda",
    "lambda :", "lambda a", "lambda a = 1 : a", "lambda a , b : a , b", "lambda len : len", "lambda ( a ) : a", "[ a for ]", "[ a for b ]",
    "[ a for b in ]", "[ a for b in c d ]", "[ a , b for c in xs ]", "[ a , b for c in xs , ]", "[ a for b in xs , c ]",
    "{ a : b , c for b in xs }", "{ a : }", "{ : a }", "{ a : b : c }", "{ ** a : b }", "{ * a : b }", "{ a , b : c }",
    "( a for b in xs if )", "a ( b for c in xs , s )", "a ( b = )", "a ( 1 = b )", "a ( if = b )", "a ( len = b )", "a ( b == c )",
    "a ( ** b , * c )", "a ( * b for b in xs )", "a ( b := c )",
    "a := b", "print", "print a", "None", "None = a", "a ; b", "; ", "@ a", "a @", "a -> b", "a ! b", "$", "<|L1|>", "<|end|>", "a <|end|>",
    "<|value|> 1", "<|it|> a", "a <|value|>", "( <|xc3|> )", "' <|xc3|> <|xa9|> '", "async", "await a", "yield", "a , yield", "a , not b",
    "a , lambda : b", "a , and", "a , = b", "a , : b", "a , ; b", "xs [ a , ] = b", "xs [ * a ]", "( * a )", "( * a , )", "return * a",
    "for a , b , in xs :", "for * in xs :", "for a . b [ c ] ( s ) in xs :", "for ( a in xs :", "~", "- - - a", "+ 1", "- 1 . 5", "- ( 1 )",
    "- ( a )", "- ( 1 + a )", "- 1 ** 2", "( ( ( ( a ) ) ) )", "( ( a ) , )", "( ( a , ) )", "[ ( a ) ] ( ( b ) )", "a < b < c , d < s",
    "a if b else c , d", "not a , not b", "a or b if c or d else s or xs", "xs [ a ] [ b ] . c ( s ) [ : ]",
]
"""Code that no program has, its pieces apart."""
