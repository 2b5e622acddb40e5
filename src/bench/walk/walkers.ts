/** Clients that walk through programs step by step, and how long every step took. */
import { parseProgram } from '../../debugger/program.js';
import { ForetraceError } from '../../errors.js';
import { greedy } from '../../scheduler/request.js';
import type { Answer } from '../../session/answer.js';
import type { ModelAccess } from '../../session/ask-model.js';
import { DebugSession } from '../../session/debug-session.js';
import { Random } from '../agents/random.js';
import type { WalkProgram } from './programs.js';

export interface Walkers {
  readonly clients: number;
  /** Walks of each client. */
  readonly walks: number;
  /** Most steps of a walk. */
  readonly maxSteps: number;
  readonly seed: number;
  /** Tells rounds apart: each asks about other arguments. */
  readonly round: number;
}

/** Errors that are the end of a walk and no failure: the model walks in circles, or on and on. */
const endOfWalk: readonly string[] = ['walk_too_long', 'past_end', 'context_too_long'];

/** Milliseconds of steps, from the state before each to the state it led to. */
export interface StepTimes {
  readonly all: number[];
  /** Those for which something was asked of the model; without the last ones of walks, of which it is not told. */
  readonly asked: number[];
}

/**
 * Lets all clients walk at once, each from program to program. Nothing is answered from a store. The same walkers ask the same questions whoever answers them.
 */
export async function walkAll(
  access: ModelAccess,
  programs: readonly WalkProgram[],
  walkers: Walkers,
): Promise<StepTimes> {
  const { clients, walks, seed, round } = walkers;
  const times: StepTimes = { all: [], asked: [] };
  const client = async (index: number): Promise<void> => {
    const random = new Random(seed + round, index);
    for (let walk = 0; walk < walks; walk += 1) {
      const program = programs[(index + walk) % programs.length] as WalkProgram;
      await walkOnce(access, program.source, program.call(random), `walker ${index}`, walkers, times);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return times;
}

async function walkOnce(
  access: ModelAccess,
  source: string,
  call: string,
  client: string,
  { maxSteps }: Walkers,
  times: StepTimes,
): Promise<void> {
  const settings = { id: client, client, sampling: greedy, maxStates: 4 * maxSteps };
  const session = await DebugSession.open(access, parseProgram(source, call), settings, { fresh: true });
  let began = performance.now();
  const note = (passed?: Answer): void => {
    const now = performance.now();
    times.all.push(now - began);
    if (passed !== undefined && passed.origin !== 'derived') times.asked.push(now - began);
    began = now;
  };
  try {
    await session.act({ kind: 'continue', lines: [] }, { mode: 'walk', fresh: true, maxSteps, onStep: note });
    note();
  } catch (error) {
    if (!(error instanceof ForetraceError) || !endOfWalk.includes(error.code)) throw error;
    if (error.code === 'walk_too_long') note();
  }
}
