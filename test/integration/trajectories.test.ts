/** Walks, derived answers and queries over a real socket and over HTTP, with a model of random content. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asForetraceError } from '../../src/errors.js';
import {
  actionNumbers,
  modeNumbers,
  originNumbers,
  queryEndNumbers,
  type WireAnswer,
} from '../../src/wire/messages.js';
import { call, ServiceWorld, source } from '../support/service-world.js';

let world: ServiceWorld;
beforeEach(async () => {
  world = await ServiceWorld.start();
});
afterEach(async () => {
  await world.assertNothingLeaked();
  await world.stop();
});

const stepOver = { kind: actionNumbers.step_over, lines: [] };
/** All but where an answer came from, what it cost and what number it has. */
const bits = ({ state, probability, horizon, function: name }: WireAnswer) => ({
  state,
  probability,
  horizon,
  name,
});

describe('modes', () => {
  it('walk streams what it passes; the same walk again, and auto, are the same bits without the model', async () => {
    const client = await world.connect();
    const { session } = await client.open({ source, call });
    const passed: WireAnswer[] = [];
    const onStep = (one: WireAnswer) => passed.push(one);
    // Random states: some walk arrives sooner or later.
    let at = 1;
    let walked: WireAnswer | undefined;
    for (let tries = 0; tries < 40 && passed.length === 0; tries += 1) {
      const step = await client.act({
        session,
        from: at,
        action: { kind: actionNumbers.step_into, lines: [] },
      });
      if (step.atEnd) break;
      at = step.number;
      walked = await client
        .act({ session, from: at, action: stepOver, mode: modeNumbers.walk, maxSteps: 200 }, { onStep })
        .catch((error) => {
          expect(asForetraceError(error).code).toBe('walk_too_long');
          passed.length = 0;
          return undefined;
        });
    }
    expect(walked).toBeDefined();
    const first = walked as WireAnswer;
    expect(first.mode).toBe(modeNumbers.walk);
    expect(first.horizon).toBe(passed.length + 1);
    const { states } = await client.describe(session);
    for (const one of passed)
      expect(states.find(({ number }) => number === one.number)?.state).toEqual(one.state);
    const requests = world.scheduler.stats().submitted;
    const other = await world.connect();
    const { session: fork } = await other.fork({ session, at });
    const again = await other.act({ session: fork, from: at, action: stepOver, mode: modeNumbers.walk });
    const auto = await other.act({ session: fork, from: at, action: stepOver, mode: modeNumbers.auto });
    expect(world.scheduler.stats().submitted).toBe(requests);
    expect(bits(again)).toEqual(bits(first));
    expect(bits(auto)).toEqual(bits(first));
    expect(auto.origin).toBe(originNumbers.derived);
  });

  it('are refused when unknown, and so are too many steps', async () => {
    const client = await world.connect();
    const { session } = await client.open({ source, call });
    for (const wrong of [{ mode: 3 }, { mode: modeNumbers.walk, maxSteps: 1025 }]) {
      const refused = await client.act({ session, action: stepOver, ...wrong }).catch(asForetraceError);
      expect(refused).toMatchObject({ code: 'invalid_message' });
    }
  });
});

describe('queries', () => {
  it('answer the same over the socket and over HTTP, a page at a time, with a mark that more follows', async () => {
    const client = await world.connect();
    const { session } = await client.open({ source, call });
    const asked = { session, from: 1, frameTable: { names: [] }, maxRows: 1, maxSteps: 16 };
    const page = await client.query(asked);
    expect(page.rows).toHaveLength(1);
    expect(page.rows[0]?.answer.number).toBe(1);
    expect(page.rows[0]?.values).toEqual({ numbers: '[1, 2]' });
    expect([page.truncated, page.end]).toEqual([true, queryEndNumbers.open]);
    const next = await client.query({ ...asked, page: page.nextPage });
    const http = await fetch(`${world.url}/v1/sessions/${session}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: 1, frameTable: {}, maxRows: 1, maxSteps: 16, page: page.nextPage }),
    });
    const mirrored = (await http.json()) as { rows: { values: object }[]; end: string; truncated: boolean };
    expect(mirrored.rows.map(({ values }) => values)).toEqual(next.rows.map(({ values }) => values));
    expect(mirrored.truncated).toBe(next.truncated);
    expect(mirrored.end).toBe(`QUERY_${Object.keys(queryEndNumbers)[next.end]?.toUpperCase()}`);
    const both = { ...asked, firstChange: { name: 'found' } };
    expect(await client.query(both).catch(asForetraceError)).toMatchObject({ code: 'invalid_message' });
  });
});
