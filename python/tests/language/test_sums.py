"""Integers in columns, and what is made of them."""

from __future__ import annotations

import unittest

from foretrace.language import tokens as T
from foretrace.language.workings import worked_line
from tests.language.test_workings import Case


class Sums(unittest.TestCase):
    def test_integers_of_several_digits_are_asked_in_columns(self):
        case = Case("a = (b + 7) * 3 - b * 45 + -30 - (2 - 31)", b="128")
        self.assertEqual([case.spelled(question).split("it ")[-1] + " " + case.spelled(answer).split("it ")[-1] for question, answer in case.asked],
                         ["8210+7000 531", "530*3 501", " evaluate 3+1  value 4", "820*5 041", " evaluate 5+1  value 6", "820*4 211",
                          " evaluate 4+1  value 5", "04600+02150 0675", "50400-06750 -54649", "55350+03000 5835", "200-130 -179", "92000-58350 -44649"])
        self.assertEqual(case.shown(), "a=-5356")

    def test_products_of_long_integers_squares_and_cubes_are_worked_out_digit_by_digit(self):
        for code, product in (("a * b", 19 * -705), ("b * a", 19 * -705), ("a ** 2", 361), ("a ** 3", 6859), ("a * 100", 1900), ("a * 0", 0),
                              ("0 * b", 0), ("-30 * b", 21150), ("3 * b", -2115), ("b ** 2 * a", 705 ** 2 * 19)):
            case = Case(f"g({code})", a="19", b="-705")
            self.assertEqual(case.shown(), f"g({product})", code)
            for question, answer in case.asked:
                is_short = T.IT not in question and len(question) <= 4
                self.assertTrue(is_short or question[1] == T.IT, case.spelled(question))
                self.assertEqual(answer[0], T.VALUE)

    def test_divisions_by_a_single_digit_are_asked_in_columns(self):
        case = Case("g(a // 7, a % 3, b // 7, b % 9, b % 3, divmod(a, 4))", a="543", b="-6075")
        spelled = [case.spelled(question).split("it ")[-1] + " " + case.spelled(answer).split("o://")[-1] for question, answer in case.asked]
        self.assertEqual(case.shown(), "g(77,0,-868,0,0,(135,3))")
        self.assertEqual(spelled, ["54 o:// 7  0575", "53 o:// 7  0574", "54 o:// 3  1280", " evaluate  divmod (3,3)  value (1,0)", "60 o:// 7  0684",
                                   "47 o:// 7  0465", "55 o:// 7  0576", "7680+1000  value  it 868", "60 o:// 9  0666", "67 o:// 9  0674", "45 o:// 9  0450",
                                   "60 o:// 3  2000", " evaluate  divmod (7,3)  value (2,1)", "15 o:// 3  0150", "54 o:// 4  1132", "23 o:// 4  0253"])
        self.assertEqual(Case("a //= 5", a="-11").shown(), "a=-3")
        self.assertEqual(Case("a %= 5", a="-11").shown(), "a=4")

    def test_longer_divisors_are_taken_away_and_powers_of_ten_move_digits(self):
        case = Case("g(a // z, b % z)", a="543", b="-61", z="12")
        self.assertEqual(case.shown(), "g(45,11)")
        asked = [case.spelled(question).split("it ")[-1] for question, _ in case.asked]
        self.assertEqual(asked, ["210*5", "450-060", "450-210", "240-210", "030-210", "810-210", "360-060", "160-060", "210-100"])
        moved = Case("g(a % 10, a // 100, divmod(b, 1000), a / 100)", a="543", b="6075")
        self.assertEqual((moved.shown(), moved.asked), ("g(3,5,(6,75),5.43)", []))

    def test_an_answer_of_no_use_leaves_a_product_as_it_is(self):
        case = Case("g(a * b)", a="19", b="75")
        for answer in (None, (T.VALUE, T.CHARS["'"], T.CHARS["'"]), (T.EVENTS["exception"], T.WORDS["ValueError"])):
            shown = worked_line(case.program, case.code, case.frame, lambda part, question: answer)
            self.assertEqual(case.spelled(shown)[:2], "g(")
            self.assertNotIn("1425", case.spelled(shown))


if __name__ == "__main__":
    unittest.main()
