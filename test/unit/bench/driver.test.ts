/** Closed and open loop with agents whose answers the test gives by hand: order, counts, intended times. Nothing here depends on how fast anything is. */
import { describe, expect, it } from 'vitest';
import { type Agent, drive, type TurnOutcome } from '../../../src/bench/agents/driver.js';
import { phaseReport } from '../../../src/bench/agents/phase.js';
import { ForetraceError } from '../../../src/errors.js';

class ScriptedAgent implements Agent {
  readonly log: string[] = [];
  running = 0;
  mostRunning = 0;

  constructor(private readonly answer: (turn: number) => Promise<Partial<TurnOutcome>>) {}

  private turns = 0;

  async begin(): Promise<void> {
    this.log.push('begin');
  }

  async turn(): Promise<TurnOutcome> {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    const askedAt = performance.now();
    try {
      this.log.push('turn');
      const answer = await this.answer(this.turns++);
      return { kind: 'step', origin: 'model', askedAt, firstAt: askedAt, ...answer };
    } finally {
      this.running -= 1;
    }
  }

  async recover(): Promise<void> {
    this.log.push('recover');
  }

  async close(): Promise<void> {}
}

const quick = async (): Promise<Partial<TurnOutcome>> => ({});
const half = (): number => 0.5;

describe('the closed loop', () => {
  it('asks every agent its turns, one after the other', async () => {
    const agents = [new ScriptedAgent(quick), new ScriptedAgent(quick)];
    const { samples, failures } = await drive(agents, { turns: 3, random: half });
    expect(agents.map(({ log }) => log)).toEqual(Array(2).fill(['begin', 'turn', 'turn', 'turn']));
    expect(agents.map(({ mostRunning }) => mostRunning)).toEqual([1, 1]);
    expect(samples.map(({ agent }) => agent).sort()).toEqual([0, 0, 0, 1, 1, 1]);
    expect(failures).toEqual([]);
  });

  it('counts turns that fail by their code and goes on', async () => {
    const agent = new ScriptedAgent(async (turn) => {
      if (turn === 1) throw new ForetraceError('overloaded', 'no');
      return {};
    });
    const result = await drive([agent], { turns: 3, random: half });
    expect(agent.log).toEqual(['begin', 'turn', 'turn', 'recover', 'turn']);
    expect(result.samples).toHaveLength(2);
    expect(result.failures).toEqual([{ agent: 0, code: 'overloaded', message: 'no' }]);
    const report = phaseReport(result, { phase: 'cold', agents: 1, clientCpuMillis: 0, server: null });
    expect(report).toMatchObject({ turns: 2, errors: 1, error_codes: { overloaded: 1 } });
  });

  it('times from the question, not from what the agent did before', async () => {
    const agent = new ScriptedAgent(async () => ({ askedAt: performance.now() - 1000 }));
    const [sample] = (await drive([agent], { turns: 1, random: half })).samples;
    expect(sample?.millis).toBeGreaterThanOrEqual(1000);
    expect(sample?.millis).toBe(sample?.serviceMillis);
  });
});

describe('the open loop', () => {
  it('times a question from when it was meant to be asked, though its agent still waited', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The first answer comes when the second and third question have long been due.
    const agent = new ScriptedAgent(async (turn) => {
      if (turn === 0) await held;
      return {};
    });
    const running = drive([agent], { turns: 3, rate: 1000, random: half });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(agent.log).toEqual(['begin', 'turn']);
    release();
    const { samples } = await running;
    expect(agent.mostRunning).toBe(1);
    expect(samples).toHaveLength(3);
    const late = samples.slice(1);
    for (const { millis, serviceMillis } of late) expect(millis - serviceMillis).toBeGreaterThan(50);
  });

  it('gives the questions to the agents in turn', async () => {
    const agents = Array.from({ length: 3 }, () => new ScriptedAgent(quick));
    const { samples } = await drive(agents, { turns: 2, rate: 10_000, random: half });
    expect(samples).toHaveLength(6);
    expect(agents.map(({ log }) => log.filter((entry) => entry === 'turn').length)).toEqual([2, 2, 2]);
  });
});
