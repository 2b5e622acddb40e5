/** Values of expressions, candidates and entries that hide their arguments, over a real socket and as JSON over HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ForetraceClient } from '../../src/client/client.js';
import { actionNumbers, eventNumbers, originNumbers, type WireState } from '../../src/wire/messages.js';
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

const action = (kind: keyof typeof actionNumbers, lines: number[] = []) => ({
  kind: actionNumbers[kind],
  lines,
});
const state = (
  event: keyof typeof eventNumbers,
  line: number,
  locals: object,
  value?: string,
): WireState => ({
  event: eventNumbers[event],
  frames: [
    {
      line,
      locals: Object.entries(locals).map(([name, text]) => ({ name, value: text })),
      its: [],
      gots: [],
    },
  ],
  hiddenFrames: 0,
  ...(value === undefined ? {} : { value }),
});

async function ask(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('evaluate', () => {
  it('answers with a value or an exception, and changes nothing', async () => {
    const { session } = await client.open({ source, call });
    const local = await client.evaluate({ session, expression: ' numbers ' });
    expect(local).toMatchObject({
      session,
      from: 1,
      expression: 'numbers',
      value: '[1, 2]',
      origin: originNumbers.derived,
      probability: 1,
      tokens: { new: 0 },
    });
    expect(local.exception ?? null).toBeNull();
    const asked = await client.evaluate({ session, expression: 'len(numbers) + 1' });
    expect(asked.origin).toBe(originNumbers.model);
    expect([asked.value ?? null, asked.exception ?? null].filter((text) => text !== null)).toHaveLength(1);
    expect(asked.probability).toBeGreaterThan(0);
    expect(asked.tokens.new).toBeGreaterThan(0);
    const again = await client.evaluate({ session, expression: 'len(numbers) + 1' });
    expect(again).toMatchObject({ origin: originNumbers.cache, probability: asked.probability });
    expect((await client.describe(session)).states).toHaveLength(1);
  });

  it('is asked of any visited state', async () => {
    const { session } = await client.open({ source, call });
    await client.edit({ session, locals: { numbers: '[7]' } });
    expect((await client.evaluate({ session, expression: 'numbers' })).value).toBe('[7]');
    expect(await client.evaluate({ session, from: 1, expression: 'numbers' })).toMatchObject({
      value: '[1, 2]',
      from: 1,
    });
    expect(await codeOf(client.evaluate({ session, from: 8, expression: 'numbers' }))).toBe('unknown_state');
  });

  it('says where an expression is wrong', async () => {
    const { session } = await client.open({ source, call });
    await expect(client.evaluate({ session, expression: 'found + nowhere' })).rejects.toMatchObject({
      code: 'invalid_expression',
      details: { column: 9, actual: 'nowhere' },
    });
    const long = ` ${' '.repeat(5000)}found`;
    expect(await codeOf(client.evaluate({ session, expression: long }))).toBe('invalid_expression');
    expect(await codeOf(client.evaluate({ session }))).toBe('invalid_expression');
  });

  it('can be cancelled', async () => {
    const { session } = await client.open({ source, call });
    gate.close();
    const controller = new AbortController();
    const running = client.evaluate({ session, expression: 'len(numbers)' }, { signal: controller.signal });
    await until(() => gate.held > 0);
    controller.abort();
    expect(await codeOf(running)).toBe('cancelled');
  });

  it('is mirrored over HTTP', async () => {
    const opened = await ask('/v1/sessions', { source, call });
    const path = `/v1/sessions/${opened.body.session}/evaluate`;
    expect((await ask(path, { expression: 'numbers' })).body).toMatchObject({
      value: '[1, 2]',
      origin: 'DERIVED',
      from: 1,
    });
    const asked = await ask(path, { expression: 'sum(numbers)', priority: 'PRIORITY_BATCH', fresh: true });
    expect(asked).toMatchObject({ status: 200, body: { origin: 'MODEL', expression: 'sum(numbers)' } });
    expect(await ask(path, { expression: 'sum(' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_expression', column: 4 } },
    });
    expect((await ask(path, { expressions: 'x' })).status).toBe(400);
    expect((await ask('/v1/sessions/none/evaluate', { expression: 'x' })).status).toBe(404);
  });
});

describe('candidates', () => {
  const at = state('line', 3, { n: '2', result: '4' });

  it('are distinct states, best first, that can be visited', async () => {
    const { session } = await client.open({ source, call, start: at });
    const list = await client.candidates({ session, action: action('inv_step_over'), count: 4 });
    expect(list).toMatchObject({ session, from: 1 });
    expect(list.draws).toBeGreaterThanOrEqual(3);
    const { candidates } = list;
    expect(candidates.length).toBeGreaterThan(1);
    expect(new Set(candidates.map(({ answer }) => JSON.stringify(answer.state))).size).toBe(
      candidates.length,
    );
    candidates.forEach(({ answer, probability, consistent, forwardProbability }, index) => {
      expect(answer).toMatchObject({
        session,
        number: index + 2,
        parent: 1,
        action: action('inv_step_over'),
      });
      expect(probability).toBeGreaterThan(0);
      expect(probability).toBeLessThanOrEqual(candidates[index - 1]?.probability ?? 1);
      expect([consistent ?? null, forwardProbability ?? null]).toEqual([null, null]);
    });
    const described = await client.describe(session);
    expect([described.current, described.states.length]).toEqual([1, candidates.length + 1]);
    const last = candidates.at(-1)?.answer;
    expect((await client.goto({ session, state: last?.number ?? 0 })).state).toEqual(last?.state);
  });

  it('are the same for the same question', async () => {
    const ask = async () => {
      const { session } = await client.open({ source, call, start: at });
      const asked = { session, action: action('inv_step_into'), count: 5, check: true, fresh: true };
      const { candidates } = await client.candidates(asked);
      return candidates.map(({ answer, ...rest }) => ({ ...rest, state: answer.state }));
    };
    const alone = await ask();
    expect(await Promise.all([ask(), ask()])).toEqual([alone, alone]);
  });

  it('are checked, and the best one is gone to, when asked for', async () => {
    const { session } = await client.open({ source, call, start: at });
    const asked = { session, action: action('inv_step_over'), count: 3, check: true, choose: true };
    const { candidates } = await client.candidates(asked);
    for (const { consistent, forwardProbability } of candidates) {
      expect(typeof consistent).toBe('boolean');
      expect(forwardProbability).toBeGreaterThan(0);
    }
    expect((await client.describe(session)).current).toBe(candidates[0]?.answer.number);
  });

  it.each([0, 17])('%d of them are refused', async (count) => {
    const { session } = await client.open({ source, call, start: at });
    const refused = client.candidates({ session, action: action('inv_step_over'), count });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_action', details: { expected: '1 to 16' } });
    expect(await codeOf(client.candidates({ session, count: 2 }))).toBe('invalid_action');
  });

  it('end with their request, all draws', async () => {
    const { session } = await client.open({ source, call, start: at });
    gate.close();
    const controller = new AbortController();
    const asked = { session, action: action('inv_step_over'), count: 8 };
    const running = client.candidates(asked, { signal: controller.signal });
    await until(() => gate.held > 0);
    controller.abort();
    expect(await codeOf(running)).toBe('cancelled');
    gate.open();
    await until(() => world.scheduler.stats().running + world.scheduler.stats().queued === 0);
    expect((await client.describe(session)).states).toHaveLength(1);
  });

  it('are mirrored over HTTP', async () => {
    const { session } = await client.open({ source, call, start: at });
    const path = `/v1/sessions/${session}/candidates`;
    const asked = await ask(path, { action: { kind: 'INV_STEP_OVER' }, count: 2, check: true });
    expect(asked.status).toBe(200);
    const [first] = asked.body.candidates as Record<string, unknown>[];
    expect(first).toMatchObject({
      answer: { session, parent: 1, action: { kind: 'INV_STEP_OVER' } },
      probability: expect.any(Number),
      consistent: expect.any(Boolean),
      forwardProbability: expect.any(Number),
    });
    const open = await ask(path, { action: { kind: 'STEP_OVER' }, count: 1 });
    expect((open.body.candidates as object[])[0]).not.toHaveProperty('consistent');
    expect((await ask(path, { action: { kind: 'STEP_OVER' }, count: '2' })).status).toBe(400);
  });
});

describe('an entry that hides its arguments', () => {
  const end = state('return', 3, { n: '2', result: '4' }, '4');

  it('needs a start state, and then predicts the arguments', async () => {
    await expect(client.open({ source, call: 'double(...)' })).rejects.toMatchObject({
      code: 'hidden_arguments',
      details: { expected: expect.stringContaining('start state') },
    });
    const { session, start } = await client.open({ source, call: 'double(...)', start: end });
    expect(start).toMatchObject({ origin: originNumbers.given, atEnd: true });
    const answer = await client.act({ session, action: action('inv_continue') });
    expect(answer).toMatchObject({ atStart: true, state: { event: eventNumbers.call }, origin: 1 });
    const { candidates } = await client.candidates({
      session,
      from: 1,
      action: action('inv_step_call'),
      count: 3,
      check: true,
    });
    for (const candidate of candidates) expect(candidate.answer.state.event).toBe(eventNumbers.call);
  });
});

it('sessions of others are not asked', async () => {
  const keyed = await ServiceWorld.start({ apiKeys: ['alpha', 'beta'] });
  try {
    const alpha = await keyed.connect('alpha');
    const beta = await keyed.connect('beta');
    const { session } = await alpha.open({ source, call });
    expect(await codeOf(beta.evaluate({ session, expression: 'numbers' }))).toBe('unknown_session');
    const asked = { session, action: action('step_into'), count: 2 };
    expect(await codeOf(beta.candidates(asked))).toBe('unknown_session');
  } finally {
    await keyed.stop();
  }
});
