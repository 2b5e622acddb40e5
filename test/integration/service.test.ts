/** The service over a real socket: calls, streams, cancellation, errors, and nothing left behind. The engine is a fake. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ForetraceClient } from '../../src/client/client.js';
import { type ActionKind, actionKinds, takesLines } from '../../src/debugger/action.js';
import {
  actionNumbers,
  eventNumbers,
  modeNumbers,
  originNumbers,
  type WireAnswer,
  type WirePart,
} from '../../src/wire/messages.js';
import { call, codeOf, Gate, ServiceWorld, source, until } from '../support/service-world.js';

let world: ServiceWorld;
let client: ForetraceClient;
const gate = new Gate();

beforeEach(async () => {
  gate.open();
  world = await ServiceWorld.start({ fake: { pause: gate.pass } });
  client = await world.connect();
});
afterEach(async () => {
  gate.open();
  await world.assertNothingLeaked();
  await world.stop();
});

const wireAction = (kind: ActionKind, ...lines: number[]) => ({ kind: actionNumbers[kind], lines });
const currentFrame = (answer: WireAnswer) => {
  const frame = answer.state.frames.at(-1);
  if (!frame) throw new Error('no frame');
  return frame;
};

/** A state in the middle of things: every action is possible from here. */
const middle = {
  event: eventNumbers.line,
  frames: [
    {
      line: 9,
      locals: [
        { name: 'numbers', value: '[1, 2]' },
        { name: 'found', value: '0' },
        { name: 'number', value: '1' },
      ],
      its: [0],
      gots: [],
    },
    { line: 2, locals: [{ name: 'n', value: '1' }], its: [], gots: [] },
  ],
  hiddenFrames: 0,
};

describe('a session', () => {
  it('opens at the call when the arguments are literals', async () => {
    const opened = await client.open({ source, call });
    expect(opened.executableLines).toEqual([2, 3, 7, 8, 9, 10]);
    expect(opened.start).toMatchObject({
      number: 1,
      parent: 0,
      function: 'total',
      functions: ['total'],
      atStart: true,
    });
    expect(opened.start.origin).toBe(originNumbers.given);
    expect(opened.start.action).toBeNull();
    expect(opened.start.state.event).toBe(eventNumbers.call);
    expect(currentFrame(opened.start)).toMatchObject({
      line: 6,
      locals: [{ name: 'numbers', value: '[1, 2]' }],
    });
  });

  it('asks the model for the first state when they are not', async () => {
    const opened = await client.open({ source, call: 'total(list(range(3)))' });
    expect(opened.start.origin).toBe(originNumbers.model);
    expect(opened.start.state.event).toBe(eventNumbers.call);
    expect([1, 6]).toContain(currentFrame(opened.start).line);
    expect(opened.start.tokens.new).toBeGreaterThan(0);
  });

  it.each(
    actionKinds.map((kind) => [kind]),
  )('answers %s with parts in order and a complete answer', async (kind) => {
    const { session } = await client.open({ source, call, start: middle });
    const parts: WirePart[] = [];
    const action = takesLines(kind) ? wireAction(kind, 7, 9) : wireAction(kind);
    const asked = { session, action, mode: modeNumbers.jump };
    const answer = await client.act(asked, { onPart: (part) => parts.push(part) });
    expect(answer).toMatchObject({ session, number: 2, parent: 1, origin: originNumbers.model, action });
    checkParts(parts, answer);
    if (takesLines(kind) && answer.state.event === eventNumbers.line)
      expect([7, 9]).toContain(currentFrame(answer).line);
    if (kind === 'step_return') expect(answer.state.event).toBe(eventNumbers.return);
    if (kind === 'inv_continue') expect(answer.state).toMatchObject({ event: eventNumbers.call });
  });

  it('answers in auto unless told otherwise, also where the mode it is told is number 0', async () => {
    const { session } = await client.open({ source, call });
    await client.act({ session, action: wireAction('step_into') });
    const asked = { session, from: 2, action: wireAction('inv_step_into') };
    const back = await client.act(asked);
    expect(back).toMatchObject({ origin: originNumbers.derived, mode: modeNumbers.walk });
    const jumped = await client.act({ ...asked, mode: modeNumbers.jump });
    expect(jumped).toMatchObject({ origin: originNumbers.model, mode: modeNumbers.jump });
  });

  it('gives a repeated question from the store, bit for bit', async () => {
    const { session } = await client.open({ source, call });
    const asked = { session, from: 1, mode: modeNumbers.jump, action: wireAction('step_over') };
    const first = await client.act({ ...asked });
    const second = await client.act({ ...asked });
    const fresh = await client.act({ ...asked, fresh: true });
    expect(second.origin).toBe(originNumbers.cache);
    expect(fresh.origin).toBe(originNumbers.model);
    for (const answer of [second, fresh]) {
      expect(answer.state).toEqual(first.state);
      expect(answer.probability).toEqual(first.probability);
    }
  });

  it('edits, forks, moves and describes', async () => {
    const { session } = await client.open({ source, call });
    const edited = await client.edit({ session, locals: { numbers: '[]' } });
    expect(edited).toMatchObject({ number: 2, parent: 1, origin: originNumbers.given });
    expect(currentFrame(edited).locals).toEqual([{ name: 'numbers', value: '[]' }]);
    const fork = await client.fork({ session, at: 1 });
    expect(fork.start.number).toBe(1);
    await client.act({ session: fork.session, action: wireAction('step_into') });
    expect((await client.describe(session)).states.map(({ number }) => number)).toEqual([1, 2]);
    expect((await client.describe(fork.session)).states.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect((await client.goto({ session, state: 1 })).number).toBe(1);
    expect((await client.describe(session)).current).toBe(1);
    await client.closeSession(session);
    expect(await codeOf(client.describe(session))).toBe('unknown_session');
    expect((await client.describe(fork.session)).states).toHaveLength(3);
  });
});

/** The parts are the answer, piece by piece: event, line, locals in slot order, value. */
function checkParts(parts: readonly WirePart[], answer: WireAnswer): void {
  const { probability, state } = answer;
  const shown = parts.slice(parts.findIndex((part) => part.event !== undefined));
  const kinds = shown.map(
    (part) => Object.keys(part).find((name) => name !== 'probability' && name !== 'piece') as string,
  );
  const order = ['event', 'line', 'local', 'deleted', 'value'];
  const ranks = kinds.map((kind) => Math.min(order.indexOf(kind), kind === 'deleted' ? 2 : 9));
  expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
  expect(shown[0]).toMatchObject({ event: state.event, probability: probability.event });
  expect(shown[1]).toMatchObject({ line: currentFrame(answer).line, probability: probability.line });
  const locals = new Map(currentFrame(answer).locals.map(({ name, value }) => [name, value]));
  for (const part of shown) {
    if (part.local) {
      expect(locals.get(part.local.name)).toBe(part.local.value);
      expect(probability.locals[part.local.name]).toBe(part.probability);
    }
    if (part.deleted) expect(locals.has(part.deleted)).toBe(false);
    if (part.value !== undefined)
      expect([part.value, part.probability]).toEqual([state.value, probability.value]);
  }
  const hasValue = state.event === eventNumbers.return || state.event === eventNumbers.exception;
  expect(kinds.includes('value')).toBe(hasValue);
  expect(new Set(shown.flatMap((part) => part.local?.name ?? part.deleted ?? []))).toEqual(
    new Set(Object.keys(probability.locals)),
  );
}

describe('cancellation', () => {
  it('of a running request answers at once and leaves the session usable', async () => {
    const { session } = await client.open({ source, call });
    gate.close();
    const controller = new AbortController();
    const asked = codeOf(
      client.act({ session, action: wireAction('step_into') }, { signal: controller.signal }),
    );
    await until(() => gate.held > 0);
    controller.abort();
    expect(await asked).toBe('cancelled');
    gate.open();
    await world.assertNothingLeaked();
    expect((await client.act({ session, action: wireAction('step_into') })).number).toBe(2);
  });

  it('of a queued request', async () => {
    const small = await ServiceWorld.start({ fake: { pause: gate.pass }, scheduler: { maxRunning: 1 } });
    const caller = await small.connect();
    const { session } = await caller.open({ source, call });
    gate.close();
    const running = caller.act({ session, from: 1, action: wireAction('step_into') });
    await until(() => gate.held > 0);
    const controller = new AbortController();
    const queued = codeOf(
      caller.act({ session, from: 1, action: wireAction('continue') }, { signal: controller.signal }),
    );
    await until(() => small.scheduler.stats().queued === 1);
    controller.abort();
    expect(await queued).toBe('cancelled');
    gate.open();
    expect((await running).number).toBe(2);
    await small.assertNothingLeaked();
    await small.stop();
  });

  it('of one of two equal questions does not disturb the other', async () => {
    const { session } = await client.open({ source, call });
    gate.close();
    const controller = new AbortController();
    const first = codeOf(
      client.act({ session, from: 1, action: wireAction('step_into') }, { signal: controller.signal }),
    );
    const second = client.act({ session, from: 1, action: wireAction('step_into') });
    await until(() => world.scheduler.stats().joined === 1 && gate.held > 0);
    controller.abort();
    expect(await first).toBe('cancelled');
    gate.open();
    expect((await second).state.frames.length).toBeGreaterThan(0);
  });

  it('happens when the connection is lost in the middle of a stream', async () => {
    const { session } = await client.open({ source, call });
    gate.close();
    const lost = codeOf(client.act({ session, action: wireAction('step_into') }));
    await until(() => gate.held > 0);
    client.terminate();
    expect(await lost).toBe('disconnected');
    await until(() => world.scheduler.stats().endings.cancelled === 1);
    gate.open();
    await world.assertNothingLeaked();
    const again = await world.connect();
    expect((await again.describe(session)).states).toHaveLength(1);
    expect((await again.act({ session, action: wireAction('step_into') })).number).toBe(2);
  });
});

describe('bad input is a coded error and the session goes on', () => {
  const state = (change: object) => ({ ...middle, ...change });
  const frame = (change: object) => state({ frames: [{ ...middle.frames[1], ...change }] });

  it.each([
    ['unparsable Python', { source: 'def f(:\n', call: 'f()' }, 'invalid_python'],
    ['an entry that is no call', { source, call: '1 + 1' }, 'invalid_entry'],
    ['two entries', { source, call: 'total([]), total([])' }, 'invalid_entry'],
    ['no entry', { source, call: '' }, 'invalid_entry'],
    ['wrong arguments', { source, call: 'total([], 3)' }, 'invalid_entry'],
    ['a program without functions', { source: 'x = 1\n', call: 'print(x)' }, 'invalid_entry'],
    ['too many lines', { source: `def f():\n${'    x = 1\n'.repeat(400)}`, call: 'f()' }, 'program_too_long'],
    ['too many bytes', { source: `# ${'x'.repeat(270_000)}\n${source}`, call }, 'program_too_long'],
    [
      'too many names',
      {
        source: `def f():\n    ${Array.from({ length: 90 }, (_, i) => `v${i}`).join(' = ')} = 1\n`,
        call: 'f()',
      },
      'too_many_names',
    ],
    [
      'too deep',
      {
        source:
          `def f():\n${Array.from({ length: 16 }, (_, i) => `${' '.repeat(i + 1)}if x:`).join('\n')}` +
          `\n${' '.repeat(17)}pass\n`,
        call: 'f()',
      },
      'program_too_deep',
    ],
    ['an unknown event', { source, call, start: state({ event: 9 }) }, 'invalid_state'],
    ['no frames', { source, call, start: state({ frames: [] }) }, 'invalid_state'],
    ['a line without code', { source, call, start: frame({ line: 4 }) }, 'invalid_state'],
    [
      'a name of another function',
      { source, call, start: frame({ locals: [{ name: 'found', value: '1' }] }) },
      'invalid_state',
    ],
    ['a value on a line', { source, call, start: state({ value: '1' }) }, 'invalid_state'],
    [
      'a share that is no number',
      { source, call, sampling: { temperature: 1, topP: Number.NaN, seed: 0 } },
      'invalid_message',
    ],
    ['temperature', { source, call, sampling: { temperature: -1, topP: 1, seed: 0 } }, 'invalid_message'],
  ])('%s', async (_name, body, code) => {
    expect(await codeOf(client.open(body))).toBe(code);
    expect((await client.open({ source, call })).start.number).toBe(1);
  });

  it.each([
    ['a breakpoint without code', { action: wireAction('breakpoint', 4) }, 'invalid_breakpoint'],
    ['a breakpoint behind the end', { action: wireAction('breakpoint', 99) }, 'invalid_breakpoint'],
    ['a breakpoint without lines', { action: wireAction('breakpoint') }, 'invalid_action'],
    ['lines for an action without', { action: wireAction('step_into', 7) }, 'invalid_action'],
    ['an unknown action', { action: { kind: 77, lines: [] } }, 'invalid_action'],
    ['no action', {}, 'invalid_action'],
    ['before the start', { action: wireAction('inv_step_into') }, 'past_start'],
    ['an unknown state', { from: 5, action: wireAction('step_into') }, 'unknown_state'],
    ['an unknown priority', { priority: 7, action: wireAction('step_into') }, 'invalid_message'],
  ])('%s', async (_name, body, code) => {
    const { session } = await client.open({ source, call });
    expect(await codeOf(client.act({ session, ...body }))).toBe(code);
    const described = await client.describe(session);
    expect([described.current, described.states.length]).toEqual([1, 1]);
    expect((await client.act({ session, action: wireAction('step_into') })).number).toBe(2);
  });

  it('an action past the end', async () => {
    const end = { ...frame({ line: 10, locals: [] }), event: eventNumbers.return, value: '6' };
    const { session, start } = await client.open({ source, call, start: end });
    expect(start.atEnd).toBe(true);
    expect(await codeOf(client.act({ session, action: wireAction('step_over') }))).toBe('past_end');
    expect((await client.act({ session, action: wireAction('inv_step_into') })).number).toBe(2);
  });

  it('a program longer than the context', async () => {
    const lines = Array.from(
      { length: 150 },
      () => `    x = [${Array.from({ length: 12 }, () => 'x').join(', ')}]`,
    ).join('\n');
    const body = { source: `def f(x):\n${lines}\n`, call: 'f(1)' };
    const { session } = await client.open(body);
    expect(await codeOf(client.act({ session, action: wireAction('step_into') }))).toBe('context_too_long');
    expect((await client.edit({ session, locals: { x: '2' } })).number).toBe(2);
  });

  it('an unknown session, an unknown local, a busy session', async () => {
    expect(await codeOf(client.act({ session: 'none', action: wireAction('step_into') }))).toBe(
      'unknown_session',
    );
    expect(await codeOf(client.closeSession('none'))).toBe('unknown_session');
    const { session } = await client.open({ source, call });
    expect(await codeOf(client.edit({ session, locals: { nothing: '1' } }))).toBe('invalid_state');
    gate.close();
    const first = client.act({ session, action: wireAction('step_into') });
    expect(await codeOf(client.act({ session, action: wireAction('step_into') }))).toBe('busy');
    gate.open();
    expect((await first).number).toBe(2);
  });
});
