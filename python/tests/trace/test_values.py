"""Canonical values: reproducible, bounded, and safe against hostile objects."""

import collections
import io
import sys
import types
import unittest
from contextlib import redirect_stdout

from foretrace.trace.bounded_writer import CUT
from foretrace.trace.values import DEFAULT_LENGTH, canonical


class Account:
    class Part:
        pass


class Raises:
    def __repr__(self):
        raise SystemExit(1)


class NoString:
    def __repr__(self):
        return 3


class Endless:
    def __repr__(self):
        while True:
            pass


class Swallows:
    def __repr__(self):
        for _ in range(3):
            try:
                while True:
                    pass
            except BaseException:
                pass
        return 'never shown'


class Recurses:
    def __repr__(self):
        return repr(self)


class Prints:
    def __repr__(self):
        print('noise')
        return 'Prints()'


class Quotes:
    def __repr__(self):
        return f'<{object.__repr__(self)[1:-1]}, {Account()!r}>'


class HostileKey:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise RuntimeError

    def __len__(self):
        raise RuntimeError

    def __getattribute__(self, name):
        raise RuntimeError


class HostileMeta(type):
    def __getattribute__(cls, name):
        raise RuntimeError

    def __hash__(cls):
        raise RuntimeError

    def __eq__(cls, other):
        raise RuntimeError


class Lies(metaclass=HostileMeta):
    @property
    def __class__(self):
        raise RuntimeError


class HostileList(list):
    def __iter__(self):
        raise RuntimeError

    def __len__(self):
        raise RuntimeError


class Mutates:
    def __init__(self, owner):
        self.owner = owner

    def __repr__(self):
        self.owner[len(self.owner)] = 0
        return 'Mutates()'


Point = collections.namedtuple('Point', 'x y')


class AsCPython(unittest.TestCase):
    def test_equal_to_repr(self):
        for value in (0, -5, 10 ** 40, True, None, 1.5, float('inf'), 2j, '', "it's", 'a"b\'c', 'é\n\\', b'a\x00',
                      [], [1, 'a', [2.5]], (), (1,), {1: [2]}, {}, set(), frozenset(), range(3), slice(1, 2), ...,
                      collections.deque([1], 3), collections.Counter('aab'),
                      collections.Counter({'a': 1.5, 'b': 2, 'c': True}), {1: 2}.keys(), {1: 2}.items(),
                      ValueError('x', 1), KeyError('k'), Point(1, 'b'), bytearray(b'x'), len):
            self.assertEqual(canonical(value), repr(value))


class Reproducible(unittest.TestCase):
    def test_sets_in_order_of_their_items_repr(self):
        self.assertEqual(canonical({10, 9, 'b', 'a'}), "{'a', 'b', 10, 9}")
        self.assertEqual(canonical([{'k': frozenset({3, 1})}]), "[{'k': frozenset({1, 3})}]")
        self.assertEqual(canonical({(2, frozenset('ba')), (1,)}), "{(1,), (2, frozenset({'a', 'b'}))}")
        self.assertEqual(canonical(ValueError({3, 1})), 'ValueError({1, 3})')
        self.assertEqual(canonical(Point(1, {3, 2})), 'Point(x=1, y={2, 3})')

    def test_addresses_and_modules_are_gone(self):
        def local():
            class Inner:
                pass
            return Inner
        prefix = 'Reproducible.test_addresses_and_modules_are_gone.<locals>.local'
        for value, text in ((Account(), '<Account object>'), (Account, "<class 'Account'>"),
                            (Account.Part(), '<Account.Part object>'), (local, f'<function {prefix}>'),
                            (local()(), f'<{prefix}.<locals>.Inner object>'), (int, "<class 'int'>"),
                            (iter([]), '<list_iterator object>'), (sys, "<module 'sys'>"),
                            ([].append, '<built-in method append of list object>'), (object(), '<object object>'),
                            ((i for i in []), '<generator object Reproducible.test_addresses_and_modules_are_gone'
                                              '.<locals>.<genexpr>>'),
                            (Account().__init__, "<method-wrapper '__init__' of Account object>"),
                            (types.MethodType(local, 3), f'<bound method {prefix} of 3>'),
                            (Quotes(), '<tests.trace.test_values.Quotes object, <Account object>>')):
            self.assertEqual(canonical(value).replace('<tests.trace.test_values.', '<'),
                             text.replace('<tests.trace.test_values.', '<'))

    def test_objects_of_the_program_show_what_they_hold(self):
        class Holder:
            __module__ = '__main__'

        class Child(Holder):
            __module__ = '__main__'
            __slots__ = ('last', 'unset')

            def __init__(self):
                self.__own = 1
                self.last = {'k': [self]}

            @property
            def never(self):
                raise SystemExit(1)

            def __getattribute__(self, name):
                raise SystemExit(2)

        class Plain(list):
            __module__ = '__main__'

        prefix = 'Reproducible.test_objects_of_the_program_show_what_they_hold.<locals>'
        holder, plain = Holder(), Plain([1])
        self.assertEqual(canonical(holder), f'<{prefix}.Holder object>')
        holder.b, holder.a, plain.x = Point(1, 2), Account(), 3
        vars(holder)['not a name'] = 1
        self.assertEqual(canonical(holder), f'<{prefix}.Holder object {{b: Point(x=1, y=2), a: <Account object>}}>')
        self.assertEqual(canonical(Child()), f"<{prefix}.Child object {{__own: 1, last: {{'k': [<{prefix}.Child ...>]}}}}>")
        self.assertEqual(canonical(plain), '[1]')
        self.assertEqual(canonical(holder, 100), canonical(holder)[:99] + CUT)

    def test_lambda_in_a_comprehension(self):
        made = [lambda: i for i in range(1)][0]
        self.assertNotIn('listcomp', canonical(made))

    def test_cycles(self):
        a = [1]
        a.append(a)
        d = {}
        d['me'] = (d,)
        self.assertEqual(canonical(a), '[1, [...]]')
        self.assertEqual(canonical(d), "{'me': ({...},)}")
        q, o = collections.deque(), collections.OrderedDict()
        q.append(q)
        o['me'] = o
        self.assertEqual(canonical(q), repr(q))
        self.assertEqual(canonical(o), "OrderedDict({'me': ...})")


class Bounded(unittest.TestCase):
    def test_length(self):
        for value in ('x' * 1000, list(range(1000)), {i: i for i in range(1000)}, set(range(1000)), b'x' * 1000,
                      10 ** 1000, 10 ** 10_000, -10 ** 10_000, [[['deep' * 50]]] * 10, Point('a' * 500, 1)):
            for limit in (10, 100, 256):
                text = canonical(value, limit)
                self.assertEqual(len(text), limit)
                self.assertTrue(text.endswith(CUT))

    def test_a_cut_is_a_prefix_of_the_whole(self):
        for value in ('x' * 300, "it's" + 'y' * 300, 'a"' + 'b' * 300 + "'", '"' * 300, 'é\n' * 200,
                      list(range(300)), 7 ** 20_000):
            text = canonical(value, 100)
            if isinstance(value, int):
                self.assertEqual(int(text[:-1]), value // 10 ** (16902 - 99))
            else:
                self.assertEqual(text[:-1], repr(value)[:99])

    def test_exactly_at_the_limit(self):
        self.assertEqual(canonical('x' * 98, 100), repr('x' * 98))
        self.assertEqual(len(canonical('x' * 99, 100)), 100)
        self.assertTrue(canonical('x' * 99, 100).endswith(CUT))

    def test_huge_and_deep(self):
        deep = []
        for _ in range(100_000):
            deep = [deep]
        self.assertEqual(canonical(deep, 50), '[' * 49 + CUT)
        deep_set = frozenset()
        for _ in range(5000):
            deep_set = frozenset({deep_set})
        self.assertLessEqual(len(canonical(deep_set)), DEFAULT_LENGTH)
        self.assertTrue(canonical(set(range(1_000_000))).endswith(CUT))
        self.assertEqual(canonical(1 << 10_000_000), '<unrepresentable int>')


class Hostile(unittest.TestCase):
    def test_shown_by_name(self):
        for kind in (Raises, NoString, Endless, Swallows, Recurses):
            self.assertEqual(canonical(kind()), f'<unrepresentable {kind.__name__}>')
            self.assertEqual(canonical([kind(), 1]), f'[<unrepresentable {kind.__name__}>, 1]')

    def test_prints_nothing(self):
        output = io.StringIO()
        with redirect_stdout(output):
            self.assertEqual(canonical({'k': Prints()}), "{'k': Prints()}")
            print('after')
        self.assertEqual(output.getvalue(), 'after\n')

    def test_attributes_are_not_asked(self):
        self.assertEqual(canonical({HostileKey(): 1}), '{<HostileKey object>: 1}')
        self.assertEqual(canonical(Lies()), '<unrepresentable Lies>')
        self.assertEqual(canonical(HostileList([1, 2])), '[1, 2]')
        self.assertEqual(canonical({2, HostileKey()}), '{2, <HostileKey object>}')

    def test_a_container_that_changes_meanwhile(self):
        owner = {}
        owner['m'] = Mutates(owner)
        owner['n'] = 1
        self.assertEqual(canonical(owner), '<unrepresentable dict>')


if __name__ == '__main__':
    unittest.main()
