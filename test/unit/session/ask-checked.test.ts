/** Steps back whose answers are unsure: checked by going forward again, and exchanged where another answer leads back. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../../../src/debugger/action.js';
import type { DecodedPart } from '../../../src/debugger/language/decoded.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { ForetraceError } from '../../../src/errors.js';
import { greedy } from '../../../src/scheduler/request.js';
import { askChecked } from '../../../src/session/ask-checked.js';
import type { Question } from '../../../src/session/ask-model.js';
import { accessTo, action, call, end, first, program, script, second } from '../../support/adding.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';

const known = second('1', '2');
/** From here the next line gives another sum than the known one. */
const wrong = first('1', '5');
const elsewhere = second('1', '5', '6');
const right = first('1', '2');

let service: ScriptedService;
let parts: DecodedPart[];
beforeEach(() => {
  service = new ScriptedService();
  parts = [];
});

const answers = (before: DebuggerState, ...after: DebuggerState[]): void => script(service, before, ...after);
const ask = (state: DebuggerState, asked: Action, change: Partial<Question> = {}) =>
  askChecked(accessTo(service), {
    program,
    grammar: grammarOf(program),
    state,
    action: asked,
    sampling: greedy,
    client: 'me',
    priority: 'interactive',
    fresh: false,
    onPart: (part) => parts.push(part),
    ...change,
  });

/** The wrong answer, its check, and what is drawn then: three samples, of which `drawn` are the first states. */
function misled(...drawn: DebuggerState[]): void {
  answers(known, wrong);
  answers(wrong, elsewhere);
  answers(known, ...drawn, ...new Array<DebuggerState>(3 - drawn.length).fill(wrong));
}

describe('an answer to a step back', () => {
  it('that is sure is not checked', async () => {
    service.probability = 0.99;
    answers(known, wrong);
    expect((await ask(known, action('inv_step_into'))).delta.state).toEqual(wrong);
    expect(service.requests).toHaveLength(1);
    expect(parts.length).toBeGreaterThan(0);
  });

  it.each(['inv_step_into', 'inv_step_over'] as const)('to %s stands if it leads back', async (kind) => {
    answers(known, right);
    answers(right, known);
    const reply = await ask(known, action(kind));
    expect(reply.delta.state).toEqual(right);
    expect(service.requests).toHaveLength(2);
    expect(reply.result.counts.new).toBe(
      encodeDelta(program, known, right, 1).length + encodeDelta(program, right, known, 1).length,
    );
    expect(parts.length).toBeGreaterThan(0);
  });

  it('gives way to the most probable one that leads back', async () => {
    misled(first('100', '2'), right, first('10', '2'));
    // The checks of the three others, the most probable first.
    answers(right, known);
    answers(first('10', '2'), second('10', '2', '12'));
    answers(first('100', '2'), known);
    const reply = await ask(known, action('inv_step_over'));
    expect(reply.delta.state).toEqual(right);
    // Two tokens say that `total` is unbound, which is told.
    expect(reply.probability).toBeCloseTo(0.5 ** (encodeDelta(program, known, right, 1).length - 2), 6);
    expect(parts).toContainEqual(expect.objectContaining({ kind: 'line', line: 2 }));
    expect(parts).not.toContainEqual(expect.objectContaining({ kind: 'local', name: 'b' }));
    expect(service.script).toHaveLength(0);
    expect(reply.result.computeMillis).toBe(2 * service.requests.length);
  });

  it('stands if no other leads back either', async () => {
    misled(first('100', '2'));
    answers(known, ...new Array<DebuggerState>(13).fill(wrong));
    answers(first('100', '2'), second('100', '2', '102'));
    const reply = await ask(known, action('inv_step_over'));
    expect(reply.delta.state).toEqual(wrong);
    expect(parts.length).toBeGreaterThan(0);
    expect(service.script).toHaveLength(0);
  });

  it('stands as it is drawn', async () => {
    answers(known, wrong);
    const sampling = { temperature: 0.7, topP: 1, seed: 3 };
    expect((await ask(known, action('inv_step_into'), { sampling })).delta.state).toEqual(wrong);
    expect(service.requests).toHaveLength(1);
  });

  it('fails as its check does', async () => {
    answers(known, wrong);
    service.script.push(new ForetraceError('overloaded', 'full'));
    expect(await codeOf(ask(known, action('inv_step_into')))).toBe('overloaded');
    expect(parts).toEqual([]);
  });
});

it.each([
  ['step_into', first('1', '2'), second('1', '2')],
  ['inv_step_call', end, call('1', '2')],
  ['inv_continue', end, call('1', '2')],
] as const)('an answer to %s is not checked', async (kind, from, to) => {
  answers(from, to);
  expect((await ask(from, action(kind))).delta.state).toEqual(to);
  expect(service.requests).toHaveLength(1);
});
