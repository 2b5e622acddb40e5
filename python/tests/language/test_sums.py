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
                         ["8210+7000 531", "5310*3 504", "8210*5 046", "8210*4 215", "04600+02150 0675", "50400-06750 -54649",
                          "55350+03000 5835", "200-130 -179", "92000-58350 -44649"])
        self.assertEqual(case.shown(), "a=-5356")

    def test_products_of_long_integers_squares_and_cubes_are_worked_out_digit_by_digit(self):
        for code, product in (("a * b", 19 * -705), ("b * a", 19 * -705), ("a ** 2", 361), ("a ** 3", 6859), ("a * 100", 1900), ("a * 0", 0),
                              ("0 * b", 0), ("-30 * b", 21150), ("3 * b", -2115), ("b ** 2 * a", 705 ** 2 * 19)):
            case = Case(f"g({code})", a="19", b="-705")
            self.assertEqual(case.shown(), f"g({product})", code)
            for question, answer in case.asked:
                self.assertEqual((question[1], answer[0]), (T.IT, T.VALUE))

    def test_divisions_by_a_single_digit_are_asked_in_columns(self):
        case = Case("g(a // 7, a % 3, b // 7, b % 9, b % 3, divmod(a, 4))", a="543", b="-6075")
        spelled = [case.spelled(question).split("it ")[-1] + " " + case.spelled(answer).split("o://")[-1] for question, answer in case.asked]
        self.assertEqual(case.shown(), "g(77,0,-868,0,0,(135,3))")
        self.assertEqual(spelled, ["543 o:// 7  057574", "543 o:// 3  128010", "6075 o:// 7  06846576", "7680+1000  value  it 868",
                                   "6075 o:// 9  06667450", "6075 o:// 3  20002150", "543 o:// 4  113253"])
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
