"""Questions for the value of an expression in a state, and their answers (docs/trace-language.md, section 7)."""

from __future__ import annotations

import ast
import warnings
from typing import Iterable, NamedTuple, Sequence, Union

from . import tokens as T
from .columns import DECODERS, DivisionDecoder, SumDecoder
from .errors import DecodeError, EncodeError, ProgramError
from .frames import Frame, Stack
from .lexer import Token, lex, normalise_source
from .positions import PositionsDecoder
from .program import GRAMMAR, Program
from .spelled import as_answered
from .truth import true_expression
from .values import ValueDecoder, encode_value, token_name
from .workings import question_for
from .writer import CodeWriter

MAX_EXPRESSION_TOKENS = 64
OUTCOMES: dict[str, int] = {"value": T.VALUE, "exception": T.EVENTS["exception"]}
_OUTCOME_NAMES = {token: name for name, token in OUTCOMES.items()}
_REFUSED = {ast.Await: "await", ast.Yield: "yield", ast.YieldFrom: "yield from", ast.NamedExpr: ":="}


class Answer(NamedTuple):
    """What an expression came to. `outcome`: value or exception; `text`: the canonical repr of the one or the other."""

    outcome: str
    text: str


class _ExpressionWriter(CodeWriter):
    """Writes code with the slots of a program; a name that has none and is no word cannot be written."""

    def __init__(self, program: Program):
        super().__init__(set())
        self.slots = program.slots

    def name(self, token: Token) -> int:
        found = self.slots.get(token.text)
        if found is None:
            found = T.WORDS.get(token.text)
        if found is None:
            raise ProgramError("invalid_expression", f"expected a name of the program or a word of the language, "
                               f"got {token.text}", token.line, token.column)
        return found


def encode_evaluate(program: Program, expression: str) -> list[int]:
    """`<|evaluate|>` and the code tokens of one expression. Raises ProgramError (invalid_expression)."""
    text = normalise_source(expression).strip()
    _check(text)
    return encode_checked(program, text)


def encode_evaluate_in(program: Program, stack: Stack, expression: str) -> list[int]:
    """What is asked in a state: `encode_evaluate` with the values of the current frame's names. Raises ProgramError
    (invalid_expression), EncodeError (bad_state)."""
    return known_in(program, stack[-1], encode_evaluate(program, expression))


def known_in(program: Program, frame: Frame, question: list[int]) -> list[int]:
    """The tokens of `encode_evaluate` with the values of the frame's names, and those worked out where the program is shown so."""
    code = true_expression(program, question[1:], frame) if program.shows_workings else question[1:]
    return question_for(program, code, frame)


def encode_checked(program: Program, text: str) -> list[int]:
    """`encode_evaluate` of a text that is known to be one expression of the permitted kinds, normalised and stripped."""
    writer = _ExpressionWriter(program)
    try:
        writer.code(lex(text))
    except ProgramError as error:
        raise ProgramError("invalid_expression", error.message, error.line, error.column) from None
    if len(writer.out) > MAX_EXPRESSION_TOKENS:
        raise ProgramError("invalid_expression", f"expected at most {MAX_EXPRESSION_TOKENS} code tokens, "
                           f"got {len(writer.out)}")
    return [T.EVALUATE, *writer.out]


def _check(text: str) -> None:
    """Whether `text` is one expression of the permitted kinds."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval", feature_version=GRAMMAR)
        for node in ast.walk(tree):
            refused = _REFUSED.get(type(node))
            if isinstance(node, ast.comprehension) and node.is_async:
                refused = "async for"
            if refused is not None:
                raise ProgramError("invalid_expression", f"expected an expression without {refused}")
    except SyntaxError as error:
        column = None if error.offset is None else max(error.offset - 1, 0)
        raise ProgramError("invalid_expression", error.msg, error.lineno, column) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise ProgramError("invalid_expression", str(error) or type(error).__name__) from None


def encode_answer(program: Program, answer: Answer, question: Sequence[int] = (T.EVALUATE, T.END)) -> list[int]:
    """The tokens of an answer behind its question, `<|end|>` included. Raises EncodeError (bad_answer) for an unknown outcome."""
    mark = OUTCOMES.get(answer.outcome)
    if mark is None:
        raise EncodeError("bad_answer", f"expected one of {', '.join(OUTCOMES)}, got {answer.outcome!r}")
    return [*as_answered(question, (mark, *encode_value(program, answer.text))), T.END]


def decode_answer(program: Program, tokens: Iterable[int]) -> Union[Answer, DecodeError]:
    """The answer of `tokens`, or what is wrong with them (bad_answer). Never raises, whatever the tokens are."""
    decoder: Union[ValueDecoder, PositionsDecoder, SumDecoder, DivisionDecoder] = ValueDecoder(program)
    outcome, position, ended = "", -1, False
    for position, token in enumerate(tokens):
        if ended:
            return DecodeError("bad_answer", position, "the end of the tokens", token_name(token))
        if not outcome:
            if token not in _OUTCOME_NAMES:
                return DecodeError("bad_answer", position, "<|value|> or <|exception|>", token_name(token))
            outcome = _OUTCOME_NAMES[token]
            decoder = PositionsDecoder(program) if outcome == "value" else decoder
        elif token in DECODERS and position == 1 and outcome == "value":
            decoder = DECODERS[token]()
        elif decoder.accepts(token):
            decoder.take(token)
        elif token == T.END and decoder.missing() is None:
            ended = True
        else:
            expected = decoder.missing() or "a value token or <|end|>"
            return DecodeError("bad_answer", position, expected, token_name(token))
    if not ended:
        expected = "<|value|> or <|exception|>" if not outcome else decoder.missing() or "a value token or <|end|>"
        return DecodeError("bad_answer", position + 1, expected, "the end of the tokens")
    return Answer(outcome, decoder.text())
