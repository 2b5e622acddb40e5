/** Looking ahead: only while nobody asks, gone at once when somebody does, and never another answer. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Action, ActionKind } from '../../../src/debugger/action.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { greedy } from '../../../src/scheduler/request.js';
import { createScheduler, type Scheduler } from '../../../src/scheduler/scheduler.js';
import { lookAheadFigures } from '../../../src/server/scheduler-figures.js';
import { defaultAccuracy } from '../../../src/session/accuracy.js';
import { type Answer, DebugSession } from '../../../src/session/debug-session.js';
import { LookAhead, type LookAheadOptions } from '../../../src/session/look-ahead.js';
import type { ModelAccess } from '../../../src/session/submit-question.js';
import type { Visit } from '../../../src/session/visit.js';
import { StateStore } from '../../../src/trajectory/index.js';
import { FakeEngine } from '../../support/fake-engine.js';
import { call, Gate, source, until } from '../../support/service-world.js';

const program = parseProgram(source, call);
const step = (kind: ActionKind): Action => ({ kind, lines: [] });
const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 64 };
const bits = ({ state, probability, atEnd }: Answer) => ({ state, probability, atEnd });

interface World {
  readonly engine: FakeEngine;
  readonly scheduler: Scheduler;
  readonly store: StateStore;
  readonly ahead: LookAhead;
  readonly gate: Gate;
  readonly access: ModelAccess;
  open(): Promise<DebugSession>;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function worldOf(options: LookAheadOptions = {}): World {
  const gate = new Gate();
  const engine = new FakeEngine({ pages: 2048, pageTokens: 16, maxContext: 2048, pause: gate.pass });
  const scheduler = createScheduler(engine, { maxIterations: 4 });
  const store = new StateStore(1024 * 1024);
  const plain = {
    service: scheduler,
    modelDigest: 'm',
    maxContext: 2048,
    maxAnswerTokens: 64,
    trajectory: store,
  };
  const ahead = new LookAhead(plain, scheduler, { delayMillis: 0, steps: 1, ...options });
  const access = { ...plain, ahead };
  closers.push(() => ahead.close());
  return {
    engine,
    scheduler,
    store,
    ahead,
    gate,
    access,
    open: () => DebugSession.open(access, program, settings),
  };
}

const idle = ({ ahead, scheduler }: World): Promise<void> =>
  until(() => {
    const { pending, running } = ahead.stats();
    return pending + running === 0 && scheduler.stats().running === 0;
  });

describe('looking ahead', () => {
  it('predicts both children of a visited state; the question then finds the answer it would have got anyway', async () => {
    const plain = worldOf();
    plain.ahead.close();
    const world = worldOf();
    const session = await world.open();
    await idle(world);
    expect(world.ahead.stats()).toMatchObject({ visited: 2, predicted: 2, forgotten: 0 });
    expect(lookAheadFigures(world.ahead.stats())).toMatchObject({
      ahead_predicted_total: 2,
      ahead_pending: 0,
    });
    expect(world.scheduler.stats()).toMatchObject({ submitted: 0, ahead: { submitted: 2, answered: 2 } });
    for (const kind of ['step_into', 'step_over'] as const) {
      const found = await session.act(step(kind), { mode: 'jump', from: 1 });
      const computed = await (await plain.open()).act(step(kind), { mode: 'jump' });
      expect(found.origin).toBe('cache');
      expect(computed.origin).toBe('model');
      expect(bits(found)).toEqual(bits(computed));
      const again = await session.act(step(kind), { mode: 'jump', from: 1, fresh: true });
      expect(bits(again)).toEqual(bits(found));
    }
  });

  it('predicts the next events of a run, one after the other, and goes on where it has come to', async () => {
    const world = worldOf({ steps: 3 });
    const session = await world.open();
    await idle(world);
    // Three events, and what is stepped over.
    expect(world.ahead.stats()).toMatchObject({ predicted: 4, forgotten: 0 });
    const first = await session.act(step('step_into'));
    const second = await session.act(step('step_into'));
    expect([first.origin, second.origin]).toEqual(['cache', 'cache']);
    expect(world.scheduler.stats().submitted).toBe(0);
    await idle(world);
    const { visited, predicted, skipped } = world.ahead.stats();
    // Nothing was asked twice: what was predicted beyond is found.
    expect(skipped).toBeGreaterThan(0);
    expect(visited).toBe(predicted + skipped);
  });

  it('does not predict a jump over a line that is answered by walking', async () => {
    const world = worldOf({ steps: 2 });
    const accuracy = { ...defaultAccuracy, step_over: { exact: 0.8, walked: 0.9, horizon: 2 } };
    const ahead = new LookAhead({ ...world.access, accuracy }, world.scheduler, { delayMillis: 0, steps: 2 });
    world.ahead.close();
    const session = await DebugSession.open({ ...world.access, ahead, accuracy }, program, settings);
    await until(() => ahead.stats().predicted === 2 && ahead.stats().running === 0);
    expect(ahead.stats()).toMatchObject({ visited: 2, pending: 0 });
    expect((await session.act(step('step_over'))).origin).not.toBe('model');
    ahead.close();
  });

  it('does not begin while somebody waits for an answer, and begins when nobody does', async () => {
    const world = worldOf();
    world.gate.close();
    const session = await world.open();
    const asked = session.act(step('step_return'));
    await until(() => world.gate.held > 0);
    expect(world.scheduler.isIdle).toBe(false);
    // More than the delay of its timer.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(world.scheduler.stats().ahead.submitted).toBe(0);
    world.gate.open();
    await asked;
    await idle(world);
    expect(world.ahead.stats().predicted).toBeGreaterThan(0);
  });

  it('gives way at once, takes nothing with it, and is taken up again afterwards', async () => {
    const world = worldOf();
    const { engine, scheduler, gate, ahead } = world;
    gate.close();
    const session = await world.open();
    await until(() => gate.held > 0 && scheduler.stats().running > 0);
    // The second waits until the first has computed the program.
    expect(scheduler.stats()).toMatchObject({ running: 1, queued: 1 });
    expect(scheduler.isIdle).toBe(true);
    const asked = session.act(step('step_return'));
    await until(() => scheduler.stats().submitted === 1);
    // While the engine is still in the pass that looked ahead.
    expect(scheduler.stats()).toMatchObject({ running: 0, queued: 1, ahead: { gaveWay: 2 } });
    expect(gate.held).toBe(1);
    gate.open();
    const answer = await asked;
    const plain = worldOf();
    plain.ahead.close();
    expect(bits(answer)).toEqual(bits(await (await plain.open()).act(step('step_return'))));
    await idle(world);
    expect(ahead.stats()).toMatchObject({ forgotten: 0 });
    expect(ahead.stats().predicted).toBeGreaterThanOrEqual(2);
    expect(engine.stats()).toMatchObject({ usedPages: 0, openSequences: 0 });
  });

  it('hands over what somebody asks for in the meantime, with the same answer', async () => {
    const world = worldOf();
    const { scheduler, gate } = world;
    gate.close();
    const session = await world.open();
    await until(() => gate.held > 0 && scheduler.stats().ahead.submitted === 2);
    const asked = session.act(step('step_into'));
    await until(() => scheduler.stats().submitted === 1);
    expect(scheduler.stats()).toMatchObject({ running: 1, ahead: { joined: 1, gaveWay: 2 } });
    gate.open();
    const plain = worldOf();
    plain.ahead.close();
    expect(bits(await asked)).toEqual(bits(await (await plain.open()).act(step('step_into'))));
    await idle(world);
    expect(world.engine.stats()).toMatchObject({ usedPages: 0, openSequences: 0 });
  });

  it('passes over the end of a program and what is stored', async () => {
    const world = worldOf();
    const session = await world.open();
    await idle(world);
    const atEnd = await session.act(step('step_return'));
    expect(atEnd.atEnd).toBe(true);
    expect(world.ahead.stats()).toMatchObject({ visited: 2, skipped: 0, pending: 0 });
    await world.open();
    expect(world.ahead.stats()).toMatchObject({ visited: 4, skipped: 2, pending: 0, predicted: 2 });
  });

  it('goes on behind an answer that somebody else had meanwhile', async () => {
    const world = worldOf();
    world.ahead.close();
    const visits: Visit[] = [];
    const watched = { ...world.access, ahead: { visited: (visit: Visit) => visits.push(visit) } };
    const session = await DebugSession.open(watched, program, settings);
    const others = { isIdle: false, begin: (): void => undefined };
    const onIdle = (begin: () => void) => {
      others.begin = begin;
      return () => undefined;
    };
    const ahead = new LookAhead(world.access, Object.assign(others, { onIdle }), {
      delayMillis: 0,
      steps: 2,
    });
    ahead.visited(visits[0] as Visit);
    expect(ahead.stats()).toMatchObject({ visited: 2, pending: 2 });
    await session.act(step('step_into'));
    others.isIdle = true;
    others.begin();
    await until(() => ahead.stats().pending + ahead.stats().running === 0 && ahead.stats().predicted > 0);
    // What is stepped over, and the event behind the one that is stored.
    expect(ahead.stats()).toMatchObject({ visited: 3, skipped: 1, predicted: 2 });
    ahead.close();
  });

  it('remembers no more than it may, forgets what gives way too often, and ends when it is closed', async () => {
    const world = worldOf({ maxPending: 1 });
    const { ahead, scheduler, gate } = world;
    gate.close();
    const session = await world.open();
    for (let index = 0; index < 3; index += 1) {
      const asked = session.act(step('step_into'), { from: 1, fresh: true });
      gate.open();
      gate.close();
      await until(() => scheduler.stats().submitted === index + 1);
      gate.open();
      await asked;
      gate.close();
    }
    expect(ahead.stats().pending + ahead.stats().running).toBeLessThanOrEqual(1 + 8);
    expect(ahead.stats().forgotten).toBeGreaterThan(0);
    ahead.close();
    gate.open();
    await until(() => scheduler.stats().running === 0 && ahead.stats().running === 0);
    const { predicted } = ahead.stats();
    const asked = await session.act(step('step_over'), { from: 1, fresh: true });
    expect(asked.number).toBeGreaterThan(1);
    await until(() => scheduler.isIdle);
    expect(ahead.stats()).toMatchObject({ predicted, pending: 0, running: 0 });
  });

  it('is not begun for what is asked with the priority batch', async () => {
    const world = worldOf();
    await DebugSession.open(world.access, program, settings, { priority: 'batch' });
    await idle(world);
    expect(world.ahead.stats()).toMatchObject({ visited: 0, predicted: 0 });
  });
});
