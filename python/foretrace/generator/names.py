"""Names people give to variables, parameters, functions and classes, by what they hold."""

from __future__ import annotations

import random

from . import types as T

VARIABLES: dict[str, tuple[str, ...]] = {
    T.INT: tuple("n m k x y a b c num number value limit amount size total_count offset target base score age level "
                 "price width height depth factor start_at bound step_size rank weight year day points top low high first second".split()),
    T.FLOAT: tuple("x y rate ratio price average mean share weight factor distance balance tax discount score temperature speed".split()),
    T.BOOL: tuple("flag found ok done is_valid seen_any enabled active ready matched strict ascending".split()),
    T.STR: tuple("s t text word name line phrase message label sentence title raw source prefix token code pattern "
                 "value content body query path txt st string_ left_part".split()),
    T.LIST_INT: tuple("nums numbers values items data lst arr xs scores array sequence ints points levels prices ages "
                      "amounts readings results sizes heights a lst1 series".split()),
    T.LIST_STR: tuple("words names tokens lines parts strings labels tags items fields keys_list chars pieces texts entries lst "
                      "fruits colors commands".split()),
    T.MATRIX: tuple("matrix grid rows table board cells nested groups batches lists chunks".split()),
    T.DICT_STR_INT: tuple("counts scores prices d mapping table ages stock lookup inventory weights totals votes dic ranking points".split()),
    T.DICT_INT_STR: tuple("names_by_id labels d mapping table lookup index_map users codes dic registry".split()),
    T.DICT_STR_LIST: tuple("groups buckets graph index_map d grades by_name sections history table".split()),
    T.SET_INT: tuple("seen unique ids allowed numbers_set visited chosen primes evens s".split()),
    T.SET_STR: tuple("seen unique vowels names_set allowed stopwords tags visited letters banned".split()),
    T.PAIR_INT: tuple("pair point position bounds span interval coords best".split()),
    T.PAIR_STR_INT: tuple("pair entry record best item winner".split()),
    T.TUPLE_INT: tuple("values triple numbers record coords t dims args_tuple".split()),
    T.PAIRS: tuple("pairs records entries items rows students orders people scores_list".split()),
    T.OPTIONAL_INT: tuple("best found previous last_seen candidate maximum limit fallback".split()),
    T.BYTES: tuple("data payload raw buffer encoded".split()),
    T.NONE: ("result", "nothing", "ret"),
}

OTHER = tuple("result pairs parts res out data value found steps".split())

ACCUMULATORS: dict[str, tuple[str, ...]] = {
    T.INT: tuple("total result count acc res sum_ ans counter running score tally answer sum_so_far n_found".split()),
    T.FLOAT: tuple("total result acc average running ans sum_".split()),
    T.STR: tuple("result out output res ans built new_text encoded joined acc buffer new_string".split()),
    T.LIST_INT: tuple("result out output res kept selected ans new_list filtered acc merged collected answer".split()),
    T.LIST_STR: tuple("result out output res kept parts ans collected filtered new_words acc lines_out".split()),
    T.DICT_STR_INT: tuple("counts freq result totals res histogram counter tally out occurrences".split()),
    T.DICT_INT_STR: tuple("result out mapping res inverted by_length".split()),
    T.DICT_STR_LIST: tuple("groups result grouped buckets out positions by_key".split()),
    T.SET_INT: tuple("seen unique visited result found".split()),
    T.SET_STR: tuple("seen unique visited result found".split()),
    T.MATRIX: tuple("result rows out grid chunks groups new_matrix transposed".split()),
    T.PAIRS: tuple("pairs result out ranked entries".split()),
}

ELEMENTS: dict[str, tuple[str, ...]] = {
    T.INT: tuple("n x num value item v number i_val element entry current".split()),
    T.STR: tuple("word w s item name token part piece entry key_name".split()),
    "char": tuple("c ch char letter symbol x".split()),
    T.LIST_INT: tuple("row group line chunk inner sub_list batch".split()),
    T.PAIR_STR_INT: tuple("pair entry record item".split()),
    "index": tuple("i j k idx pos index_ p".split()),
    "key": tuple("key_ k name word label".split()),
}

VERBS = tuple("compute count_items process transform build convert merge filter_items find_best collect summarize normalize "
              "encode_text decode_text check score_of apply_all update_all reduce_all expand shrink combine clean parse scan select measure "
              "rotate_left split_up group_up adjust evaluate make_list total_of analyze format_all pick solve".split())

HELPERS = tuple("helper inner step_once double_it is_good matches adjust clamp shift scale weight_of score key_of rank_of "
                "is_valid transform convert normalize combine accept bump fix change mark pick compute".split())

CLASSES = tuple("Counter2 Stack Queue Account Box Point Tracker Inventory Player Robot Timer Node Cart Wallet Buffer Meter "
                "Library Shelf Garden Score Lamp Door Ledger Team Basket Tank Vector Item Animal Shape Cell Register".split())

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    T.INT: tuple("value total count_ size balance level score x y limit position amount capacity".split()),
    T.STR: tuple("name label text title kind owner color".split()),
    T.LIST_INT: tuple("items_ values_ data history numbers stack readings".split()),
    T.LIST_STR: tuple("names lines log_ entries words tags".split()),
    T.DICT_STR_INT: tuple("counts stock scores table prices".split()),
}

METHODS = tuple("push advance deposit take grow move record apply_to bump add_item raise_by drop scale_by change feed "
                "increase decrease receive use fill drain tick visit".split())

ENTRY = tuple("f f f f f f f f main run solve solution func process compute".split())


class NameBook:
    """Hands out names that are not yet used in one program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.used: set[str] = set()

    def reserve(self, name: str) -> str:
        self.used.add(name)
        return name

    def fresh(self, choices: tuple[str, ...]) -> str:
        """An unused name out of the choices; a numbered one when they run out."""
        for _ in range(4):
            name = self.rng.choice(choices)
            if name not in self.used:
                return self.reserve(name)
        name = self.rng.choice(choices)
        number = 2
        while f"{name}{number}" in self.used:
            number += 1
        return self.reserve(f"{name}{number}")

    def variable(self, kind: str) -> str:
        if kind == "char":
            return self.fresh(ELEMENTS["char"])
        return self.fresh(VARIABLES.get(T.type_of(kind), OTHER))

    def accumulator(self, type_: str) -> str:
        return self.fresh(ACCUMULATORS.get(type_) or VARIABLES.get(type_, OTHER))

    def element(self, kind: str) -> str:
        return self.fresh(ELEMENTS.get(kind) or ELEMENTS.get(T.type_of(kind)) or VARIABLES.get(T.type_of(kind), OTHER))
