import { describe, expect, it } from 'vitest';
import { answerFields, answerJson } from '../../../src/view/answer.js';
import { eventNumbers, type WireFrame } from '../../../src/wire/messages.js';
import { readStart, shownFields } from '../../../src/wire/start-state.js';
import { shownAnswer } from '../../support/shown-answer.js';

describe('a start state', () => {
  it('is one frame written flat, or a stack', () => {
    expect(readStart('{"event": "return", "line": 3, "locals": {"x": "1"}, "value": "2"}')).toEqual({
      event: eventNumbers.return,
      frames: [{ line: 3, locals: [{ name: 'x', value: '1' }], its: [], gots: [] }],
      value: '2',
      hiddenFrames: 0,
    });
    const stack = {
      event: 'line',
      frames: [
        { line: 9, its: [1], gots: ['2'] },
        { line: 3, line_before: 0 },
      ],
      hidden_frames: 2,
    };
    expect(readStart(JSON.stringify(stack))).toEqual({
      event: eventNumbers.line,
      frames: [
        { line: 9, locals: [], its: [1], gots: ['2'] },
        { line: 3, locals: [], its: [], gots: [], lineBefore: 0 },
      ],
      hiddenFrames: 2,
    });
  });

  it('is what `--json` prints for a state', () => {
    const { state } = shownAnswer();
    const [below, top] = state.frames as [WireFrame, WireFrame];
    const inLoop = { ...top, its: [2], gots: ["'a'"], lineBefore: 3 };
    const answer = shownAnswer({ state: { ...state, frames: [{ ...below, gots: ['1'] }, inLoop] } });
    expect(readStart(answerJson(answer))).toEqual(answer.state);
    const fields = Object.keys(answerFields(answer)).filter((name) => !shownFields.includes(name));
    expect(fields.sort()).toEqual(
      ['callers', 'event', 'gots', 'hidden_frames', 'its', 'line', 'line_before', 'locals'].sort(),
    );
  });

  it.each([
    'not json',
    '3',
    'null',
    '[]',
    '{}',
    '{"event": "toString", "line": 1}',
    '{"event": "line"}',
    '{"event": "line", "line": "1"}',
    '{"event": "line", "line": 1, "locals": {"x": 1}}',
    '{"event": "line", "line": 1, "locals": []}',
    '{"event": "line", "line": 1, "its": ["1"]}',
    '{"event": "line", "line": 1, "gots": [1]}',
    '{"event": "line", "line": 1, "value": 1}',
    '{"event": "line", "line": 1, "line_before": -1}',
    '{"event": "line", "line": 1, "hidden_frames": -1}',
    '{"event": "line", "frames": [1]}',
    '{"event": "line", "line": 1, "callers": [1]}',
    '{"event": "line", "frames": [], "callers": []}',
    '{"event": "line", "frames": {"line": 1}}',
    '{"event": "line", "line": 1, "local": {"x": "1"}}',
    '{"event": "line", "frames": [{"line": 1, "values": {}}]}',
    '{"event": "line", "line": 1, "frames": [{"line": 1}]}',
  ])('%s is refused with the form it has', (text) => {
    expect(() => readStart(text)).toThrow(
      expect.objectContaining({
        code: 'invalid_state',
        details: expect.objectContaining({ expected: expect.stringContaining('"event"') }),
      }) as Error,
    );
  });
});
