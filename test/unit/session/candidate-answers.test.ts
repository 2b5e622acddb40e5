/** Several answers to one action as states of a session. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../../../src/debugger/action.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { greedy } from '../../../src/scheduler/request.js';
import { DebugSession } from '../../../src/session/debug-session.js';
import { accessTo, action, call, first, program, script, second } from '../../support/adding.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';

let service: ScriptedService;
beforeEach(() => {
  service = new ScriptedService();
});

const answers = (before: DebuggerState, ...after: DebuggerState[]): void => script(service, before, ...after);
const access = () => accessTo(service);
describe('in a session', () => {
  const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4 };
  let session: DebugSession;
  const known = second('1', '2');
  beforeEach(async () => {
    session = await DebugSession.open(access(), program, settings, { start: known });
  });
  const snapshot = () => ({
    current: session.current.number,
    numbers: session.answers().map(({ number }) => number),
  });

  it('they are siblings that can be visited; the cursor stays', async () => {
    answers(known, first('1', '2'), first('0', '3'));
    const found = await session.candidates(action('inv_step_over'), { count: 2 });
    expect(found).toMatchObject({ from: 1, draws: 1 });
    expect(found.candidates.map(({ answer }) => [answer.number, answer.parent, answer.action?.kind])).toEqual(
      [
        [2, 1, 'inv_step_over'],
        [3, 1, 'inv_step_over'],
      ],
    );
    expect(snapshot()).toEqual({ current: 1, numbers: [1, 2, 3] });
    expect(session.goto(3).state).toEqual(found.candidates[1]?.answer.state);
    answers(first('0', '3'), call('0', '3'));
    service.probability = 0.99;
    expect((await session.act(action('inv_step_over'))).parent).toBe(3);
  });

  it('the best one is gone to when the caller chooses so', async () => {
    answers(known, first('100', '2'), first('1', '2'));
    const found = await session.candidates(action('inv_step_over'), { count: 2, choose: true });
    expect(snapshot()).toEqual({ current: 2, numbers: [1, 2, 3] });
    expect(session.current.state).toEqual(first('1', '2'));
    expect(found.candidates[0]?.answer.number).toBe(2);
  });

  it('use the seed of the session', async () => {
    const seeded = await DebugSession.open(
      access(),
      program,
      { ...settings, sampling: { temperature: 0.5, topP: 0.5, seed: 3 } },
      { start: known },
    );
    answers(known, first('1', '2'), first('0', '3'));
    await seeded.candidates(action('inv_step_over'), { count: 2 });
    const seeds = service.requests.map(({ sampling }) => sampling);
    expect(seeds[0]).toEqual(greedy);
    answers(known, first('1', '2'), first('0', '3'));
    await session.candidates(action('inv_step_over'), { count: 2 });
    expect(service.requests[3]?.sampling.seed).not.toBe(seeds[1]?.seed);
  });

  it('push the oldest states out, never the cursor nor one another', async () => {
    answers(known, first('1', '2'), first('0', '3'), first('3', '0'));
    await session.candidates(action('inv_step_over'), { count: 3 });
    answers(known, first('5', '2'), first('6', '3'), first('7', '0'));
    const { candidates } = await session.candidates(action('inv_step_over'), { count: 3, from: 1 });
    expect(snapshot()).toEqual({ current: 1, numbers: [1, 5, 6, 7] });
    for (const { answer } of candidates) expect(session.answer(answer.number)).toBe(answer);
    expect(await codeOf(session.candidates(action('inv_step_over'), { count: 4 }))).toBe('invalid_action');
  });

  it('wait for nobody, unless they move the cursor', async () => {
    service.probability = 0.99;
    service.hold();
    answers(known, first('1', '2'));
    const acting = session.act(action('inv_step_into'));
    expect(await codeOf(session.candidates(action('inv_step_over'), { count: 2, choose: true }))).toBe(
      'busy',
    );
    answers(known, first('1', '2'), first('0', '3'));
    const beside = session.candidates(action('inv_step_over'), { count: 2 });
    service.release();
    await acting;
    expect((await beside).from).toBe(1);
    service.hold();
    session.goto(1);
    answers(known, first('1', '2'), first('0', '3'));
    const drawing = session.candidates(action('inv_step_over'), { count: 2 });
    answers(known, first('1', '2'));
    const meanwhile = session.act(action('inv_step_over'));
    service.release();
    await drawing;
    expect((await meanwhile).parent).toBe(1);
    service.hold();
    answers(first('1', '2'), call('1', '2'));
    const choosing = session.candidates(action('inv_step_over'), { count: 1, choose: true, from: 0 });
    expect(await codeOf(session.act(action('inv_step_into')))).toBe('busy');
    service.release();
    await choosing;
    expect(session.current.state.event).toBe('call');
  });

  it.each<[string, Action, string]>([
    ['nothing before the start', action('inv_step_over'), 'past_start'],
    ['a line without code', action('breakpoint', 1), 'invalid_breakpoint'],
  ])('%s is refused and changes nothing', async (_name, asked, code) => {
    const fresh = await DebugSession.open(access(), program, settings);
    expect(await codeOf(fresh.candidates(asked, { count: 2, choose: true }))).toBe(code);
    answers(call('1', '2'), first('1', '2'));
    expect((await fresh.act(action('step_into'))).number).toBe(2);
  });
});
