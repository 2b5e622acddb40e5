"""The coded error of the trace package."""

from __future__ import annotations


class TraceError(Exception):
    """An error a caller can act on: `code` is stable, the rest is for people.

    Codes: invalid_python, invalid_entry, entry_failed, not_traced, not_main_thread, past_end, past_start,
    unknown_action, no_lines, index_out_of_range, sandbox_failed, time_limit, memory_limit, unknown_name, edit_failed,
    diverged, bad_candidate, bad_request, unreadable_file.
    `line` and `column` (both 1-based) are set for `invalid_python` and, where known, `invalid_entry`.
    """

    def __init__(self, code: str, what: str, expected: str = '', actual: str = '',
                 line: int | None = None, column: int | None = None) -> None:
        self.code = code
        self.what = what
        self.expected = expected
        self.actual = actual
        self.line = line
        self.column = column
        text = f'{code}: {what}'
        if line is not None:
            text += f' at line {line}' + (f', column {column}' if column is not None else '')
        if expected:
            text += f'; expected {expected}'
        if actual:
            text += f'; got {actual}'
        super().__init__(text)

    def to_json(self) -> dict:
        """A JSON object as all of foretrace's commands write errors: code, message, and what is known of the rest.

        `from_json` is its inverse.
        """
        details = {'expected': self.expected or None, 'actual': self.actual or None, 'line': self.line, 'column': self.column}
        known = {name: value for name, value in details.items() if value is not None}
        return {'code': self.code, 'message': self.what, **known}

    @staticmethod
    def from_json(data: dict) -> TraceError:
        """The error that `to_json` wrote."""
        return TraceError(data['code'], data['message'], data.get('expected', ''), data.get('actual', ''), data.get('line'),
                          data.get('column'))

    def report(self) -> str:
        """For people, as all of foretrace's commands write errors."""
        place = '' if self.line is None else f' (line {self.line}' + (f', column {self.column})' if self.column is not None else ')')
        lines = [f'foretrace: {self.code}: {self.what}{place}']
        lines += [f'  expected: {self.expected}'] if self.expected else []
        lines += [f'  actual:   {self.actual}'] if self.actual else []
        return '\n'.join(lines)
