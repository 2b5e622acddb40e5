/** Several answers to one action: which are drawn, which are kept, how they rank, and what is checked. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Action, ActionKind } from '../../../src/debugger/action.js';
import { encodeDelta, encodePrompt } from '../../../src/debugger/language/encode.js';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { ForetraceError } from '../../../src/errors.js';
import { greedy } from '../../../src/scheduler/request.js';
import { createScheduler } from '../../../src/scheduler/scheduler.js';
import { type CandidateQuestion, candidatesOf, findCandidates } from '../../../src/session/candidates.js';
import { accessTo, action, call, end, first, program, script, second } from '../../support/adding.js';
import { FakeEngine } from '../../support/fake-engine.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt } from '../../support/states.js';

let service: ScriptedService;
beforeEach(() => {
  service = new ScriptedService();
});

const answers = (before: DebuggerState, ...after: DebuggerState[]): void => script(service, before, ...after);
const access = () => accessTo(service);
const question = (state: DebuggerState, asked: Action, change: Partial<CandidateQuestion> = {}) => ({
  program,
  grammar: grammarOf(program),
  state,
  action: asked,
  count: 3,
  seed: 7,
  check: false,
  client: 'me',
  priority: 'interactive' as const,
  fresh: false,
  ...change,
});
const localsOf = (states: readonly { state: DebuggerState }[]) =>
  states.map(({ state }) => [...(state.frames[0]?.locals.values() ?? [])].join());

describe('draws', () => {
  it('one greedy answer is enough for one candidate', async () => {
    answers(end, second('1', '2'));
    const { candidates, draws } = await findCandidates(
      access(),
      question(end, action('inv_step_into'), { count: 1 }),
    );
    expect([candidates.length, draws, service.requests.length]).toEqual([1, 0, 1]);
    expect(service.requests[0]?.sampling).toEqual(greedy);
  });

  it('are the greedy answer and samples, submitted together, with seeds of their own', async () => {
    const start = second('1', '2');
    answers(start, first('1', '2'), first('0', '3'), first('3', '0'));
    const { candidates, draws } = await findCandidates(access(), question(start, action('inv_step_over')));
    expect([candidates.length, draws]).toEqual([3, 2]);
    const samplings = service.requests.map(({ sampling }) => sampling);
    expect(samplings.map(({ temperature }) => temperature)).toEqual([0, 1, 1]);
    expect(new Set(samplings.map(({ seed }) => seed)).size).toBe(3);
    // The whole prompt is common to them: the first computes it for all.
    for (const request of service.requests) expect(request.sharedTokens).toBe(request.prompt.length);
  });

  it('go on in waves until there are enough distinct states', async () => {
    const start = second('1', '2');
    const same = first('1', '2');
    answers(start, same, same, same, same, first('0', '3'), same, first('3', '0'), same, same);
    const { candidates, draws } = await findCandidates(access(), question(start, action('inv_step_over')));
    expect(draws).toBe(8);
    expect(new Set(localsOf(candidates)).size).toBe(3);
    expect(service.script).toHaveLength(0);
  });

  it('that give more states than wanted lose the least probable', async () => {
    const start = second('1', '2');
    const same = first('1', '2');
    answers(start, same, same, same, first('1000', '2'), first('10', '2'), first('100', '2'));
    const { candidates } = await findCandidates(access(), question(start, action('inv_step_over')));
    expect(localsOf(candidates)).toEqual(['1,2', '10,2', '100,2']);
  });

  it('end when four times as many were drawn', async () => {
    const start = second('1', '2');
    answers(start, ...new Array<DebuggerState>(40).fill(first('1', '2')));
    const { candidates, draws } = await findCandidates(access(), question(start, action('inv_step_over')));
    expect([candidates.length, draws, service.requests.length]).toEqual([1, 12, 13]);
    expect(new Set(service.requests.map(({ key }) => key)).size).toBe(13);
  });

  it('are the same for the same seed and others for another', async () => {
    const seeds = async (seed: number): Promise<number[]> => {
      const start = second('1', '2');
      answers(start, first('1', '2'), first('0', '3'), first('3', '0'));
      const from = service.requests.length;
      await findCandidates(access(), question(start, action('inv_step_over'), { seed }));
      return service.requests.slice(from).map(({ sampling }) => sampling.seed);
    };
    expect(await seeds(7)).toEqual(await seeds(7));
    expect(await seeds(7)).not.toEqual(await seeds(8));
  });

  it.each([0, 17, 1.5, Number.NaN])('%d candidates are refused', async (count) => {
    const asked = question(end, action('inv_step_into'), { count });
    expect(await codeOf(findCandidates(access(), asked))).toBe('invalid_action');
    expect(service.requests).toHaveLength(0);
  });

  it('stop together when one fails, with its error', async () => {
    service.hold();
    answers(end, second('1', '2'), second('0', '3'));
    service.script.push(new ForetraceError('overloaded', 'full'));
    const running = findCandidates(access(), question(end, action('inv_step_into')));
    service.release();
    expect(await codeOf(running)).toBe('overloaded');
    expect(service.requests.map(({ signal }) => signal?.aborted)).toEqual([true, true, true]);
  });

  it('stop with their caller', async () => {
    const controller = new AbortController();
    service.hold();
    answers(end, second('1', '2'), second('0', '3'), second('3', '0'));
    const asked = question(end, action('inv_step_into'), { signal: controller.signal });
    const running = findCandidates(access(), asked);
    controller.abort();
    service.release();
    expect(await codeOf(running)).toBe('cancelled');
  });
});

describe('candidates', () => {
  /** Tokens that say that `total` is unbound, which is told: the line is the first that binds it. */
  const told = 2;

  it('have the probability of their tokens, the most probable first', async () => {
    const start = second('1', '2');
    answers(start, first('100', '2'), first('1', '2'), first('10', '2'));
    const { candidates } = await findCandidates(access(), question(start, action('inv_step_over')));
    expect(localsOf(candidates)).toEqual(['1,2', '10,2', '100,2']);
    for (const { probability, reply, consistent, forwardProbability } of candidates) {
      expect(probability).toBeCloseTo(0.5 ** (reply.result.tokens.length - told), 6);
      expect([consistent, forwardProbability]).toEqual([null, null]);
    }
  });

  it('that say the same in other words are one, the more probable', async () => {
    const start = second('1', '2');
    const [plain = []] = [encodeDelta(program, start, first('1', '2'), 1)];
    // Says once more what did not change.
    const wordy = encodeDelta(program, stateAt('line', 3, { a: '1', total: '3' }), first('1', '2'), 1);
    expect(wordy.length).toBeGreaterThan(plain.length);
    service.script.push(wordy, plain, wordy, ...new Array(7).fill(plain));
    const { candidates } = await findCandidates(
      access(),
      question(start, action('inv_step_over'), { count: 2 }),
    );
    expect(candidates).toHaveLength(1);
    expect(candidates[0]?.probability).toBeCloseTo(0.5 ** (plain.length - told), 6);
  });

  it('of one prompt share it', async () => {
    const scheduler = createScheduler(new FakeEngine({ pages: 512, pageTokens: 4 }));
    const asked = question(second('1', '2'), action('inv_step_over'), { count: 4 });
    const { candidates } = await findCandidates({ ...access(), service: scheduler }, asked);
    const cached = candidates.map(({ reply }) => reply.result.counts.cached);
    const prompt = encodePrompt(program, second('1', '2'), action('inv_step_over')).length;
    const most = Math.floor((prompt - 1) / 4) * 4;
    expect(cached.filter((count) => count < most)).toHaveLength(1);
  });

  it('of an engine are the same alone and beside other work', async () => {
    const ask = async (busy: boolean) => {
      const scheduler = createScheduler(new FakeEngine({ pages: 512, pageTokens: 4 }));
      const model = { ...access(), service: scheduler };
      const asked = question(end, action('inv_step_into'), { count: 4, check: true });
      const others = busy
        ? ['inv_step_over', 'inv_step_call', 'inv_continue'].map((kind) =>
            candidatesOf(model, program, end, action(kind as ActionKind), 5, { seed: 7 }),
          )
        : [];
      const found = await findCandidates(model, asked);
      await Promise.all(others);
      return found.candidates.map(({ state, probability, consistent, forwardProbability }) => ({
        state,
        probability,
        consistent,
        forwardProbability,
      }));
    };
    const alone = await ask(false);
    expect(alone.length).toBeGreaterThan(1);
    expect(await ask(true)).toEqual(alone);
  });
});

describe('a check', () => {
  const check = async (
    known: DebuggerState,
    asked: Action,
    past: DebuggerState,
    ...forward: DebuggerState[]
  ) => {
    answers(known, past);
    let before = past;
    for (const state of forward) {
      answers(before, state);
      before = state;
    }
    const { candidates } = await findCandidates(access(), question(known, asked, { count: 1, check: true }));
    return { ...candidates[0], asked: service.requests.slice(1).map(({ prompt }) => prompt) };
  };
  const lastTokens = async (found: ReturnType<typeof check>) =>
    (await found).asked.map((prompt) => prompt.at(-1));
  const tokenOf = (kind: ActionKind): number => 18 + ['step_into', 'step_over', 'step_return'].indexOf(kind);

  it.each<[ActionKind, DebuggerState, DebuggerState, ActionKind]>([
    ['inv_step_into', second('1', '2'), first('1', '2'), 'step_into'],
    ['inv_step_over', second('1', '2'), first('1', '2'), 'step_over'],
    ['inv_step_call', end, call('1', '2'), 'step_return'],
    ['inv_continue', end, call('1', '2'), 'step_return'],
  ])('of %s', async (kind, known, past, forward) => {
    expect(await lastTokens(check(known, action(kind), past, known))).toEqual([tokenOf(forward)]);
  });

  it('says whether the known state came back, and how sure the model is', async () => {
    const known = second('1', '2');
    const good = await check(known, action('inv_step_into'), first('1', '2'), known);
    expect(good).toMatchObject({ consistent: true });
    const delta = encodeDelta(program, first('1', '2'), known, 1);
    expect(good.forwardProbability).toBeCloseTo(0.5 ** delta.length, 6);
    const bad = await check(known, action('inv_step_into'), first('1', '2'), second('1', '2', '4'));
    expect(bad).toMatchObject({ consistent: false, forwardProbability: expect.any(Number) });
  });

  it('of a jump to a line stops there until the state is the known one, eight times at most', async () => {
    const known = second('1', '2');
    const other = second('1', '2', '0');
    const jump = action('inv_continue');
    const found = await check(known, jump, call('1', '2'), other, other, known);
    expect(found).toMatchObject({ consistent: true });
    expect(found.asked).toHaveLength(3);
    // <|breakpoint|> and the third code line.
    for (const prompt of found.asked) expect([...prompt.slice(-2)]).toEqual([21, 42]);
    service = new ScriptedService();
    const lost = await check(known, jump, call('1', '2'), ...new Array<DebuggerState>(9).fill(other));
    expect([lost.consistent, lost.asked.length]).toEqual([false, 8]);
    service = new ScriptedService();
    expect(await check(known, action('inv_breakpoint', 2), first('1', '2'), end)).toMatchObject({
      consistent: false,
    });
    expect(service.requests).toHaveLength(2);
  });

  it('is not made where no forward action matches', async () => {
    const raised = stateAt('exception', 2, { a: '1', b: '2' }, "TypeError('x')");
    expect(await check(raised, action('inv_continue'), call('1', '2'))).toMatchObject({
      consistent: null,
      forwardProbability: null,
    });
    service = new ScriptedService();
    expect(await check(first('1', '2'), action('step_into'), second('1', '2'))).toMatchObject({
      consistent: null,
    });
    expect(service.requests).toHaveLength(1);
  });

  it('is not made of a return to which another frame leads', async () => {
    const nested = parseProgram(
      'def inner(n):\n    return n\n\ndef outer(n):\n    inner(n)\n    return n\n',
      'outer(1)',
    );
    const known = stateAt('return', 6, { n: '1' }, '1');
    const [paused] = stateAt('line', 5, { n: '1' }).frames;
    const [called] = stateAt('line', 2, { n: '1' }).frames;
    if (!paused || !called) throw new Error('no frames');
    const past: DebuggerState = { event: 'line', frames: [paused, called], hiddenFrames: 0 };
    const ask = async (to: DebuggerState, line: number) => {
      service.script.push(encodeDelta(nested, known, to, 1));
      const asked = question(known, action('inv_breakpoint', line), { count: 1, check: true });
      return findCandidates(access(), { ...asked, program: nested, grammar: grammarOf(nested) });
    };
    expect((await ask(past, 2)).candidates[0]).toMatchObject({ consistent: null });
    expect(service.requests).toHaveLength(1);
    const inside = stateAt('line', 5, { n: '1' });
    const running = ask(inside, 5);
    service.script.push(encodeDelta(nested, inside, known, 1));
    expect((await running).candidates[0]).toMatchObject({ consistent: true });
  });

  it('of a jump from a call is not made', async () => {
    const nested = parseProgram('def f(n):\n    return f(n - 1)\n', 'f(2)');
    const known: DebuggerState = {
      event: 'call',
      frames: [...stateAt('line', 2, { n: '2' }).frames, ...stateAt('call', 1, { n: '1' }).frames],
      hiddenFrames: 0,
    };
    service.script.push(encodeDelta(nested, known, stateAt('call', 1, { n: '2' }), 1));
    const asked = question(known, action('inv_continue'), { count: 1, check: true });
    const found = await findCandidates(access(), { ...asked, program: nested, grammar: grammarOf(nested) });
    expect(found.candidates[0]).toMatchObject({ consistent: null });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    'inv_step_into',
    'inv_step_over',
    'inv_step_call',
  ] as const)('of %s from a call is a step into it', async (kind) => {
    const nested = parseProgram(
      'def inner(n):\n    return n\n\ndef outer(n):\n    return inner(n)\n',
      'outer(1)',
    );
    const caller = stateAt('line', 5, { n: '1' });
    const known: DebuggerState = {
      event: 'call',
      frames: [...caller.frames, ...stateAt('call', 1, { n: '1' }).frames],
      hiddenFrames: 0,
    };
    service.script.push(encodeDelta(nested, known, caller, 1), encodeDelta(nested, caller, known, 1));
    const asked = question(known, action(kind), { count: 1, check: true });
    const { candidates } = await findCandidates(access(), {
      ...asked,
      program: nested,
      grammar: grammarOf(nested),
    });
    expect(candidates[0]).toMatchObject({ consistent: true });
    expect(service.requests[1]?.prompt.at(-1)).toBe(tokenOf('step_into'));
  });

  it('puts consistent ones first', async () => {
    const known = second('1', '2');
    const [likely, rare] = [first('1', '2'), first('100', '2')];
    answers(known, likely, rare);
    answers(likely, end);
    answers(rare, known);
    const asked = question(known, action('inv_step_over'), { count: 2, check: true });
    const { candidates } = await findCandidates(access(), asked);
    expect(candidates.map(({ consistent }) => consistent)).toEqual([true, false]);
    expect(localsOf(candidates)).toEqual(['100,2', '1,2']);
  });

  it('that does not fit into the context is left open; other errors are not hidden', async () => {
    const known = second('1', '2');
    const past = first(`'${'x'.repeat(30)}'`, '2');
    answers(known, past);
    const maxContext = program.tokens.length + 56;
    const asked = question(known, action('inv_step_over'), { count: 1, check: true });
    const { candidates } = await findCandidates({ ...access(), maxContext }, asked);
    expect(candidates[0]).toMatchObject({ consistent: null });
    answers(known, past);
    service.script.push(new ForetraceError('overloaded', 'full'));
    expect(await codeOf(findCandidates(access(), asked))).toBe('overloaded');
  });
});
