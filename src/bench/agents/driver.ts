/**
 * Drives agents in a closed loop (each asks again as soon as it has its answer) or an open one (questions come when they come). In the open loop
 * a question that has to wait because its agent still waits for an answer is timed from when it was meant to be asked: what a stalled server
 * keeps from being asked would otherwise be missing from the percentiles ("coordinated omission").
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asForetraceError } from '../../errors.js';

/** What came of one turn. */
export interface TurnOutcome {
  /** What was asked. */
  readonly kind: string;
  /** Where the answer came from. */
  readonly origin: string;
  /** When the question was sent, by `performance.now()`: what an agent does before is not the service's time. */
  readonly askedAt: number;
  /** When the first piece of the answer was there, likewise. */
  readonly firstAt: number;
  /** Tokens generated for this answer, where the other side tells. */
  readonly generated?: number;
}

/** One agent: asks one question at a time. */
export interface Agent {
  /** Sets itself up as if it had never asked anything; not timed. */
  begin(): Promise<void>;
  turn(): Promise<TurnOutcome>;
  /** After a turn that failed: makes the next one possible. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export interface Sample extends Pick<TurnOutcome, 'kind' | 'origin' | 'generated'> {
  readonly agent: number;
  /** From when the question was asked (open loop: was meant to be) to the whole answer. */
  readonly millis: number;
  readonly firstMillis: number;
  /** From when it was really asked. */
  readonly serviceMillis: number;
}

export interface Failure {
  readonly agent: number;
  readonly code: string;
  readonly message: string;
}

export interface RunResult {
  readonly samples: readonly Sample[];
  readonly failures: readonly Failure[];
  readonly seconds: number;
}

export interface DriveOptions {
  /** Turns of each agent. */
  readonly turns: number;
  /** Questions a second of all agents together: the open loop. Without it: the closed loop. */
  readonly rate?: number;
  /** Pause between an answer and the next question; closed loop only. */
  readonly thinkMillis?: number;
  /** Uniform in [0, 1): draws the gaps between the questions of the open loop. */
  readonly random: () => number;
  readonly onTurn?: () => void;
}

/** Runs `turns` turns of every agent. A turn that fails is counted, and the agent goes on. */
export async function drive(agents: readonly Agent[], options: DriveOptions): Promise<RunResult> {
  const samples: Sample[] = [];
  const failures: Failure[] = [];
  await Promise.all(agents.map((agent) => agent.begin()));
  const began = performance.now();
  const ask = async (index: number, meantAt?: number): Promise<void> => {
    const agent = agents[index] as Agent;
    try {
      const { kind, origin, askedAt, firstAt, generated } = await agent.turn();
      const now = performance.now();
      const from = meantAt ?? askedAt;
      samples.push({
        agent: index,
        kind,
        origin,
        ...(generated === undefined ? {} : { generated }),
        millis: now - from,
        firstMillis: firstAt - from,
        serviceMillis: now - askedAt,
      });
    } catch (error) {
      const { code, message } = asForetraceError(error);
      failures.push({ agent: index, code, message });
      await agent.recover();
    }
    options.onTurn?.();
  };
  if (options.rate === undefined) await closedLoop(agents.length, options, ask);
  else await openLoop(agents.length, { ...options, rate: options.rate }, ask);
  return { samples, failures, seconds: (performance.now() - began) / 1000 };
}

type Ask = (agent: number, meantAt?: number) => Promise<void>;

async function closedLoop(agents: number, { turns, thinkMillis = 0 }: DriveOptions, ask: Ask): Promise<void> {
  const one = async (_: unknown, agent: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) {
      if (thinkMillis > 0 && turn > 0) await sleep(thinkMillis);
      await ask(agent);
    }
  };
  await Promise.all(Array.from({ length: agents }, one));
}

/** Questions arrive as a Poisson process and go to the agents in turn. */
async function openLoop(
  agents: number,
  { turns, rate, random }: DriveOptions & { readonly rate: number },
  ask: Ask,
): Promise<void> {
  const busy: Promise<void>[] = Array.from({ length: agents }, () => Promise.resolve());
  let at = performance.now();
  for (let question = 0; question < agents * turns; question += 1) {
    at += (-Math.log(1 - random()) / rate) * 1000;
    const wait = at - performance.now();
    // Timers are late by a millisecond or so: questions that are due by then go out together, each with its own intended time.
    if (wait > 0) await sleep(wait);
    const agent = question % agents;
    const meantAt = at;
    busy[agent] = (busy[agent] as Promise<void>).then(() => ask(agent, meantAt));
  }
  await Promise.all(busy);
}
