import unittest

from foretrace.language import tokens as T


class TokenTable(unittest.TestCase):
    def test_ids_follow_the_order_of_the_specification(self):
        table = T.TABLE
        groups = [table["special"], [f"<|L{k}|>" for k in range(1, 161)], [f"<|I{k}|>" for k in range(12)],
                  [f"<|v{k}|>" for k in range(80)], [f"<|w:{w}|>" for w in table["words"]],
                  [f"<|o:{o}|>" for o in table["operators"]], [chr(c) for c in range(0x20, 0x7F)],
                  [f"<|x{b:02x}|>" for b in range(256)]]
        expected = [name for group in groups for name in group]
        self.assertEqual(T.NAMES, expected)
        self.assertEqual(T.SIZE, 1025)
        self.assertEqual(T.PAD, 0)
        self.assertEqual(T.to_ids(T.to_names(range(T.SIZE))), list(range(T.SIZE)))

    def test_bases_point_at_their_groups(self):
        for base, name in ((T.LINE_BASE, "<|L1|>"), (T.INDENT_BASE, "<|I0|>"), (T.SLOT_BASE, "<|v0|>"),
                           (T.WORD_BASE, "<|w:False|>"), (T.OPERATOR_BASE, "<|o:==|>"), (T.CHAR_BASE, " "),
                           (T.BYTE_BASE, "<|x00|>")):
            self.assertEqual(T.NAMES[base], name)

    def test_text_is_characters_and_utf8_bytes(self):
        self.assertEqual(T.to_names(T.text_tokens("a é\n😀~")),
                         ["a", " ", "<|xc3|>", "<|xa9|>", "<|x0a|>", "<|xf0|>", "<|x9f|>", "<|x98|>", "<|x80|>", "~"])
        self.assertEqual(T.text_tokens("\ud800"), T.text_tokens("\ufffd"))

    def test_tokenizer_json_holds_the_whole_table(self):
        made = T.tokenizer_json()
        self.assertEqual(made["model"]["vocab"], {name: index for index, name in enumerate(T.NAMES)})
        self.assertEqual([item["content"] for item in made["added_tokens"]], T.TABLE["special"])
        self.assertTrue(all(item["special"] and T.NAMES[item["id"]] == item["content"]
                            for item in made["added_tokens"]))


if __name__ == "__main__":
    unittest.main()
