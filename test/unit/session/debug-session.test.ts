import { beforeEach, describe, expect, it } from 'vitest';
import type { Action, ActionKind } from '../../../src/debugger/action.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { currentFrame, type DebuggerState } from '../../../src/debugger/state.js';
import { ForetraceError } from '../../../src/errors.js';
import { greedy } from '../../../src/scheduler/request.js';
import { type ActOptions, DebugSession } from '../../../src/session/debug-session.js';
import { SessionStore } from '../../../src/session/session-store.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt } from '../../support/states.js';

const source = 'def add(a, b):\n    total = a + b\n    return total\n';
const program = parseProgram(source, 'add(1, 2)');
const action = (kind: ActionKind, ...lines: number[]): Action => ({ kind, lines });
const states = {
  call: stateAt('call', 1, { a: '1', b: '2' }),
  first: stateAt('line', 2, { a: '1', b: '2' }),
  second: stateAt('line', 3, { a: '1', b: '2', total: '3' }),
  end: stateAt('return', 3, { a: '1', b: '2', total: '3' }, '3'),
};

let service: ScriptedService;
let session: DebugSession;

/** The next answer of the model leads from `before` to `after`. */
const answer = (before: DebuggerState, after: DebuggerState): void => {
  service.script.push(encodeDelta(program, before, after, 1));
};
const access = () => ({ service, modelDigest: 'm', maxContext: 512, maxAnswerTokens: 64 });
const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4 };
const open = (options?: ActOptions & { start?: DebuggerState }): Promise<DebugSession> =>
  DebugSession.open(access(), program, settings, options);
const snapshot = () => ({
  current: session.current.number,
  numbers: session.answers().map(({ number }) => number),
});

beforeEach(async () => {
  service = new ScriptedService();
  session = await open();
});

describe('a session', () => {
  it('starts at the call without asking the model', () => {
    expect(service.requests).toHaveLength(0);
    expect(session.current).toMatchObject({
      number: 1,
      parent: 0,
      action: null,
      origin: 'given',
      atStart: true,
      atEnd: false,
    });
    expect(session.current.state).toEqual(states.call);
  });

  it('walks to the end, each answer with its numbers', async () => {
    answer(states.call, states.first);
    answer(states.first, states.second);
    answer(states.second, states.end);
    const first = await session.act(action('step_into'));
    expect(first).toMatchObject({
      number: 2,
      parent: 1,
      origin: 'model',
      horizon: 1,
      queueMillis: 1,
      computeMillis: 2,
    });
    expect(first.state).toEqual(states.first);
    expect(first.probability.event).toBeCloseTo(0.5, 6);
    expect(first.probability.line).toBeCloseTo(0.5, 6);
    const second = await session.act(action('step_over'));
    expect(second.state).toEqual(states.second);
    // The name, one digit: two tokens of one half each.
    expect([...second.probability.locals.keys()]).toEqual(['total']);
    expect(second.probability.locals.get('total')).toBeCloseTo(0.25, 6);
    const end = await session.act(action('continue'));
    expect(end).toMatchObject({ atEnd: true, horizon: 0, state: { event: 'return', value: '3' } });
    expect(end.probability.value).toBeLessThan(1);
    expect(await codeOf(session.act(action('step_into')))).toBe('past_end');
    expect(session.current.number).toBe(4);
  });

  it('asks with a key that the question alone determines', async () => {
    answer(states.call, states.first);
    answer(states.call, states.first);
    answer(states.call, states.second);
    await session.act(action('step_into'), { from: 1 });
    await session.act(action('step_into'), { from: 1, client: 'you', priority: 'batch' });
    await session.act(action('step_over'), { from: 1 });
    const [first, same, other] = service.requests;
    expect(first?.key).toBeDefined();
    expect(same?.key).toBe(first?.key);
    expect(other?.key).not.toBe(first?.key);
    expect([first?.client, same?.client, same?.priority]).toEqual(['me', 'you', 'batch']);
    expect(first?.sharedTokens).toBe(program.tokens.length);
  });

  it('asks without a key when the answer must be fresh', async () => {
    answer(states.call, states.first);
    await session.act(action('step_into'), { fresh: true });
    expect(service.requests[0]?.key).toBeUndefined();
  });

  it('is busy while an action from the cursor runs, not for actions with an explicit state', async () => {
    answer(states.call, states.first);
    answer(states.call, states.second);
    service.hold();
    const running = session.act(action('step_into'));
    expect(await codeOf(session.act(action('step_into')))).toBe('busy');
    const explicit = session.act(action('step_over'), { from: 1 });
    service.release();
    expect([(await running).number, (await explicit).number]).toEqual([2, 3]);
    answer(states.second, states.end);
    expect((await session.act(action('step_into'))).parent).toBe(3);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['an unknown state', () => session.act(action('step_into'), { from: 9 }), 'unknown_state'],
    ['the past', () => session.act(action('inv_step_over')), 'past_start'],
    ['a breakpoint without code', () => session.act(action('breakpoint', 1)), 'invalid_breakpoint'],
    ['no lines', () => session.act(action('breakpoint')), 'invalid_action'],
    ['an overloaded service', () => session.act(action('step_into')), 'overloaded'],
    ['an unknown local', async () => session.edit(0, new Map([['c', '1']])), 'invalid_state'],
    ['an unknown state to edit', async () => session.edit(7, new Map()), 'unknown_state'],
    ['an unknown state to go to', async () => session.goto(3), 'unknown_state'],
    ['an unknown state to fork at', async () => session.fork('t', 3), 'unknown_state'],
  ])('is as it was after %s', async (_name, attempt, code) => {
    service.script.push(new ForetraceError('overloaded', 'full'));
    const before = snapshot();
    expect(await codeOf(Promise.resolve().then(attempt))).toBe(code);
    expect(snapshot()).toEqual(before);
    service.script.length = 0;
    answer(states.call, states.first);
    expect((await session.act(action('step_into'))).number).toBe(2);
  });

  it('reports an answer that the grammar should have prevented as a defect', async () => {
    service.script.push([1, 2, 3]);
    expect(await codeOf(session.act(action('step_into')))).toBe('internal');
    expect(snapshot()).toEqual({ current: 1, numbers: [1] });
  });

  it('refuses a prompt that leaves no room for an answer', async () => {
    const tight = { ...access(), maxContext: program.tokens.length + 8 };
    const small = await DebugSession.open(tight, program, settings);
    expect(await codeOf(small.act(action('step_into')))).toBe('context_too_long');
    expect(service.requests).toHaveLength(0);
  });

  it('edits make a new branch; the old state stays', () => {
    const edited = session.edit(0, new Map([['b', '[]']]), ['a']);
    expect(edited).toMatchObject({ number: 2, parent: 1, origin: 'given', action: null });
    expect(currentFrame(edited.state).locals).toEqual(new Map([['b', '[]']]));
    expect(currentFrame(session.answer(1).state).locals.get('b')).toBe('2');
    expect(
      session.edit(
        1,
        new Map([
          ['total', '0'],
          ['a', '5'],
        ]),
      ).state.frames[0]?.locals,
    ).toEqual(
      new Map([
        ['a', '5'],
        ['b', '2'],
        ['total', '0'],
      ]),
    );
  });

  it('an edit that deletes what is not there changes nothing', async () => {
    const edit = (...deleted: string[]) => Promise.resolve().then(() => session.edit(0, new Map(), deleted));
    expect(await codeOf(edit('missing'))).toBe('invalid_state');
    expect(await codeOf(edit('a', 'a'))).toBe('invalid_state');
    const both = async () => session.edit(0, new Map([['a', '2']]), ['a']);
    expect(await codeOf(both())).toBe('invalid_state');
    expect(snapshot()).toEqual({ current: 1, numbers: [1] });
  });

  it('forks share what was visited and nothing after', async () => {
    answer(states.call, states.first);
    await session.act(action('step_into'));
    const copy = session.fork('copy', 1, 'you');
    expect([copy.current.number, copy.answers().length, copy.settings.client]).toEqual([1, 2, 'you']);
    answer(states.call, states.second);
    expect((await copy.act(action('step_over'))).number).toBe(3);
    expect(snapshot()).toEqual({ current: 2, numbers: [1, 2] });
    copy.goto(2);
    expect(session.current.number).toBe(2);
  });

  it('forgets its oldest states, never the cursor', async () => {
    for (let index = 0; index < 6; index += 1) session.edit(0, new Map([['a', String(index)]]));
    expect(snapshot()).toEqual({ current: 7, numbers: [4, 5, 6, 7] });
    expect(await codeOf(Promise.resolve().then(() => session.answer(1)))).toBe('unknown_state');
  });

  it('opens at a given state that fits the program and at no other', async () => {
    expect((await open({ start: states.second })).current.state).toEqual(states.second);
    expect(await codeOf(open({ start: stateAt('line', 99, {}) }))).toBe('invalid_state');
    expect(await codeOf(open({ start: stateAt('return', 3, {}) }))).toBe('invalid_state');
  });
});

describe('the store', () => {
  it('finds sessions by id, of the right client', () => {
    const store = new SessionStore({ maxSessions: 2, idleMillis: 60_000, graceMillis: 60_000 });
    store.add(session);
    expect(store.get('s', 'me')).toBe(session);
    expect(() => store.get('s', 'you')).toThrow(ForetraceError);
    expect(() => store.close('s', 'you')).toThrow(ForetraceError);
    store.add(session.fork('t'));
    expect(() => store.assertRoom()).toThrow(/limit of open sessions/);
    store.close('s');
    store.assertRoom();
    expect(store.size).toBe(1);
    expect(store.newId()).not.toBe(store.newId());
  });
});
