/**
 * Every state is well formed, whatever the weights: an untrained model on the real engine, greedy and hot, over the example programs and all
 * actions. The grammar guarantees it, not the model.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Action, actionKinds, isReverse, takesLines } from '../../src/debugger/action.js';
import { encodePrompt } from '../../src/debugger/language/encode.js';
import { decodeValue, encodeValue } from '../../src/debugger/language/values.js';
import { checkState } from '../../src/debugger/navigate.js';
import { type Program, parseProgram } from '../../src/debugger/program.js';
import { currentFrame, type DebuggerState } from '../../src/debugger/state.js';
import { ForetraceError } from '../../src/errors.js';
import type { NativeEngine } from '../../src/native/addon-types.js';
import { loadEngine } from '../../src/native/engine.js';
import { createScheduler, type Sampling, type Scheduler } from '../../src/scheduler/index.js';
import type { ModelAccess } from '../../src/session/ask-model.js';
import { DebugSession } from '../../src/session/debug-session.js';
import { root, tinyModel } from '../support/command.js';
import { Random } from '../support/scheduler-world.js';

const examples = readdirSync(`${root}examples`).filter((name) => name.endsWith('.py'));
const steps = 40;
/** Tokens of a prompt; a line of breakpoints and an answer still fit into the context of the model. */
const largest = 1600;

let engine: NativeEngine;
let scheduler: Scheduler;
let access: ModelAccess;

beforeAll(async () => {
  engine = await loadEngine({ modelDir: tinyModel, threads: 2, pages: 1024 });
  scheduler = createScheduler(engine);
  access = {
    service: scheduler,
    modelDigest: engine.info.modelDigest,
    maxContext: engine.info.maxContext,
    maxAnswerTokens: 200,
  };
});
afterAll(async () => {
  await scheduler.close();
  engine.checkInvariants();
  expect(engine.stats()).toMatchObject({ usedPages: 0, openSequences: 0 });
  await engine.dispose();
});

function chooseAction(random: Random, program: Program, from: { atStart: boolean; atEnd: boolean }): Action {
  const possible = actionKinds.filter((kind) => (isReverse(kind) ? !from.atStart : !from.atEnd));
  const kind = possible[random.below(possible.length)] ?? 'step_into';
  const lines = program.executableLines.filter(() => random.chance(0.3));
  return {
    kind,
    lines: takesLines(kind) ? (lines.length > 0 ? lines : program.executableLines.slice(0, 1)) : [],
  };
}

/** All that rule 1 of the design asks of a state. */
function checkWellFormed(program: Program, state: DebuggerState, action: Action): void {
  checkState(program, state);
  const { line } = currentFrame(state);
  const scopes = program.scopes.filter((scope) =>
    (state.event === 'call' ? scope.callLines : scope.lines).includes(line),
  );
  expect(scopes.length, `${state.event} on line ${line}`).toBeGreaterThan(0);
  if (takesLines(action.kind) && state.event === 'line') expect(action.lines).toContain(line);
  if (action.kind === 'continue') expect([state.event, state.frames.length]).toEqual(['return', 1]);
  if (action.kind === 'inv_continue') expect([state.event, state.frames.length]).toEqual(['call', 1]);
  // It can be asked about again, and comes back unchanged from its own keyframe.
  expect(encodePrompt(program, state, { kind: 'step_into', lines: [] }).length).toBeGreaterThan(
    program.tokens.length,
  );
}

/** A coded error as a value; any other is thrown on. */
function refusal(error: unknown): ForetraceError {
  if (error instanceof ForetraceError) return error;
  throw error;
}

/** Expressions that are not just a local. */
function expressionsAt(state: DebuggerState): string[] {
  const names = [...currentFrame(state).locals.keys()];
  return [...names.map((name) => `repr(${name})`), names.join(' == '), 'len(str(1)) + 1'].filter(
    (text) => text !== '',
  );
}

describe('random weights', () => {
  const samplings: [string, Sampling][] = [
    ['greedy', { temperature: 0, topP: 1, seed: 0 }],
    ['hot', { temperature: 2, topP: 1, seed: 5 }],
  ];
  it.each(
    examples.flatMap((name) => samplings.map(([how, sampling]) => [name, how, sampling] as const)),
  )('%s, %s', async (name, _how, sampling) => {
    const source = readFileSync(`${root}examples/${name}`, 'utf8');
    const call = /^# Debug: (.+)$/m.exec(source)?.[1];
    if (call === undefined) throw new Error(`${name} does not say what to debug`);
    const program = parseProgram(source, call);
    const settings = { id: name, client: 'test', sampling, maxStates: 100 };
    const session = await DebugSession.open(access, program, settings);
    expect(session.current.origin).toBe('given');
    const random = new Random(name.length + sampling.seed);
    for (let step = 0; step < steps; step += 1) {
      // A random walk soon reaches an end, a deep stack or values that fill the context: then it starts again.
      const large =
        encodePrompt(program, session.current.state, { kind: 'continue', lines: [] }).length > largest;
      const from = large || random.chance(0.2) ? session.goto(1) : session.current;
      const action = chooseAction(random, program, from);
      const answer = await session.act(action, { from: from.number });
      checkWellFormed(program, answer.state, action);
      expect(answer.probability.event).toBeGreaterThan(0);
      expect(answer.probability.event).toBeLessThanOrEqual(1);
    }
  });

  it.each(examples)('%s: values of expressions and candidates', async (name) => {
    const source = readFileSync(`${root}examples/${name}`, 'utf8');
    const program = parseProgram(source, /^# Debug: (.+)$/m.exec(source)?.[1] ?? '');
    const sampling = { temperature: 0, topP: 1, seed: 3 };
    const session = await DebugSession.open(
      access,
      program,
      { id: name, client: 'test', sampling, maxStates: 100 },
      {},
    );
    await session.act({ kind: 'step_into', lines: [] });
    const asked: Action[] = [
      { kind: 'inv_step_into', lines: [] },
      { kind: 'step_over', lines: [] },
    ];
    for (const action of asked) {
      const { candidates } = await session.candidates(action, { count: 3, check: true, from: 2 });
      candidates.forEach(({ answer, probability }, index) => {
        checkWellFormed(program, answer.state, action);
        expect(probability).toBeGreaterThan(0);
        expect(probability).toBeLessThanOrEqual(1);
        for (const other of candidates.slice(index + 1)) expect(other.answer.state).not.toEqual(answer.state);
      });
    }
    let evaluated = 0;
    for (const { number, state } of session.answers()) {
      for (const expression of expressionsAt(state)) {
        const answer = await session.evaluate(expression, { from: number }).catch(refusal);
        // Random weights write values that a question about them may not have room for.
        if ('code' in answer) {
          expect(answer.code).toBe('context_too_long');
          const [prompt, room] = (answer.details.actual ?? '').match(/\d+/g)?.map(Number) ?? [];
          expect(Number(prompt) + Number(room)).toBeGreaterThan(access.maxContext);
          continue;
        }
        evaluated += 1;
        expect(decodeValue(program, encodeValue(program, answer.text))).toBe(answer.text);
        expect(answer.probability).toBeGreaterThan(0);
        expect(answer.probability).toBeLessThanOrEqual(1);
      }
    }
    expect(evaluated).toBeGreaterThan(0);
  });

  it('candidates are the same whatever else runs', async () => {
    const source = readFileSync(`${root}examples/recursion.py`, 'utf8');
    const program = parseProgram(source, /^# Debug: (.+)$/m.exec(source)?.[1] ?? '');
    const sampling = { temperature: 0, topP: 1, seed: 1 };
    const settings = { id: 's', client: 'test', sampling, maxStates: 100 };
    const session = await DebugSession.open(access, program, settings);
    await session.act({ kind: 'step_into', lines: [] });
    const ask = async () => {
      const action: Action = { kind: 'inv_step_over', lines: [] };
      const options = { count: 4, check: true, from: 2, fresh: true };
      const { candidates } = await session.candidates(action, options);
      return candidates.map(({ answer, ...rest }) => ({ ...rest, state: answer.state }));
    };
    const alone = await ask();
    const others = session.candidates({ kind: 'step_into', lines: [] }, { count: 5, from: 1, fresh: true });
    expect(await Promise.all([ask(), ask()])).toEqual([alone, alone]);
    await others;
  });

  it('a call whose arguments are not literals', async () => {
    const source = readFileSync(`${root}examples/recursion.py`, 'utf8');
    const program = parseProgram(source, 'solve(sorted([3, 2]), 5)');
    const settings = {
      id: 's',
      client: 'test',
      sampling: { temperature: 0, topP: 1, seed: 0 },
      maxStates: 10,
    };
    const session = await DebugSession.open(access, program, settings);
    expect(session.current).toMatchObject({ origin: 'model', state: { event: 'call' }, atStart: true });
    checkState(program, session.current.state);
  });
});
