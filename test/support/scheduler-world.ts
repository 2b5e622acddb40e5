/** Requests, a small grammar and reference answers for tests of the scheduler. */
import type { GrammarData } from '../../src/native/addon-types.js';
import { blockHeaderWords } from '../../src/scheduler/apply.js';
import type { Constraint, GeneratedTokens, GenerationRequest } from '../../src/scheduler/request.js';
import { FakeEngine } from './fake-engine.js';

export const vocabSize = 64;

const go = 0;
const call = 1;
const leave = 2;

interface EdgeSpec {
  readonly on: number | readonly [from: number, to: number];
  readonly operation?: number;
  readonly next: number;
  readonly back?: number;
  readonly limit?: number;
}

/**
 * A grammar with everything the automaton can do: a sub-automaton with a token limit, forced runs (8 9), leaving to the
 * frame stack, closing on both limits. State 2 accepts.
 */
export function smallGrammar(): GrammarData {
  const value: EdgeSpec = { on: [30, 49], next: 4 };
  const states: readonly (readonly EdgeSpec[])[] = [
    [{ on: [10, 29], operation: call, next: 3, back: 1, limit: 6 }],
    [
      { on: 5, next: 0 },
      { on: 6, next: 2 },
      { on: 7, next: 5 },
      { on: 11, operation: leave, next: 0 },
    ],
    [],
    [value],
    [value],
    [{ on: 8, next: 6 }],
    [{ on: 9, next: 1 }],
  ];
  const edges = states.flat();
  const masks: number[] = [];
  const edgeMask = edges.map((edge) => {
    if (typeof edge.on === 'number') return -1;
    const words = [0, 0];
    for (let token = edge.on[0]; token <= edge.on[1]; token += 1) {
      words[token >>> 5] = (words[token >>> 5] as number) | (1 << (token & 31));
    }
    masks.push(...words);
    return masks.length / 2 - 1;
  });
  const starts = [0];
  for (const state of states) starts.push((starts.at(-1) as number) + state.length);
  return {
    vocabSize,
    edgeStart: Int32Array.from(starts),
    edgeToken: Int32Array.from(edges, (edge) => (typeof edge.on === 'number' ? edge.on : -1)),
    edgeMask: Int32Array.from(edgeMask),
    edgeNext: Int32Array.from(edges, (edge) => edge.next),
    edgeOperation: Uint8Array.from(edges, (edge) => edge.operation ?? go),
    edgeReturn: Int32Array.from(edges, (edge) => edge.back ?? -1),
    edgeLimit: Int32Array.from(edges, (edge) => edge.limit ?? 0),
    stateFlags: Uint8Array.from([0, 0, 2, 0, 1, 0, 0]),
    stateClose: Int32Array.from([10, 6, -1, 30, -1, 8, 9]),
    stateDistance: Int32Array.from([3, 1, 0, 1, 0, 3, 2]),
    masks: Uint32Array.from(masks),
  };
}

const grammar = smallGrammar();

export function constraint(key = 'small', frames: readonly number[] = [0, 5]): Constraint {
  return { key, data: grammar, state: 0, frames: Int32Array.from(frames) };
}

/** The beginning that all requests about one program share. */
export function programTokens(program: number, length: number): number[] {
  return Array.from({ length }, (_, index) => (program * 7 + index * 3) % vocabSize);
}

/** A request about program 0 with a constraint; change what matters. */
export function request(changes: Partial<GenerationRequest> = {}): GenerationRequest {
  const shared = programTokens(0, 12);
  return {
    client: 'a',
    priority: 'interactive',
    prompt: Int32Array.from([...shared, 1, 2, 3]),
    sharedTokens: shared.length,
    constraint: constraint(),
    sampling: { temperature: 0, topP: 1, seed: 0 },
    maxNewTokens: 12,
    stopToken: -1,
    ...changes,
  };
}

/** A request with a prompt of its own: `ask` distinguishes questions about one program. */
export function question(
  program: number,
  ask: number,
  changes: Partial<GenerationRequest> = {},
  sharedLength = 12,
): GenerationRequest {
  const shared = programTokens(program, sharedLength);
  const prompt = Int32Array.from([...shared, ask % vocabSize, (ask * 5 + 1) % vocabSize, 2]);
  return request({ prompt, sharedTokens: shared.length, ...changes });
}

/** The answer of a fresh engine that nobody else uses, without any scheduler. */
export function answerAlone(
  asked: GenerationRequest,
  engineOptions: { pageTokens?: number } = {},
): GeneratedTokens {
  const engine = new FakeEngine({ vocabSize, pages: 256, maxRows: 4096, ...engineOptions });
  const requestRing = new Int32Array(3);
  const response = new Int32Array(4096);
  const logProbabilities = new Float32Array(2048);
  engine.attach(requestRing, response, logProbabilities);
  const { sequence } = engine.open(asked.prompt, asked.maxNewTokens);
  const { constraint: rule, sampling } = asked;
  engine.generate(sequence, {
    grammar: rule === undefined ? -1 : engine.addGrammar(rule.data),
    state: rule?.state ?? 0,
    frames: rule?.frames ?? new Int32Array(0),
    ...sampling,
    maxNewTokens: asked.maxNewTokens,
    stopToken: rule === undefined ? asked.stopToken : -1,
  });
  requestRing.set([sequence, asked.prompt.length, 1]);
  engine.stepSync({ words: 3, maxIterations: 1000, deadlineMicros: 0, returnOnFinish: true });
  const count = response[blockHeaderWords - 1] as number;
  return {
    tokens: Int32Array.from(
      { length: count },
      (_, index) => response[blockHeaderWords + 2 * index] as number,
    ),
    logProbabilities: logProbabilities.slice(0, count),
    forced: Uint8Array.from(
      { length: count },
      (_, index) => (response[blockHeaderWords + 2 * index + 1] as number) & 1,
    ),
  };
}

/** One turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Collects runs of tokens and joins them. */
export class Watch {
  readonly runs: GeneratedTokens[] = [];
  readonly onTokens = (run: GeneratedTokens): void => {
    this.runs.push(run);
  };

  get tokens(): number[] {
    return this.runs.flatMap((run) => Array.from(run.tokens));
  }
}

/** Small deterministic generator (mulberry32). */
export class Random {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
