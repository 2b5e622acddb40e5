import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { greedy } from '../../../src/scheduler/request.js';
import { DebugSession } from '../../../src/session/debug-session.js';
import type { Mode } from '../../../src/session/navigate.js';
import { StateStore } from '../../../src/trajectory/index.js';
import { OracleService } from '../../support/oracle-service.js';
import { shown, stateAt, type TrueAnswer, type TrueRun, trueRuns } from '../../support/true-runs.js';

const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4096 };
const runs = trueRuns.filter(({ program, states }) => !program.hasSeveralCalls && states.length < 40);

async function sessionAt(run: TrueRun, from: number, isStored: boolean): Promise<DebugSession> {
  const stored = isStored ? { trajectory: new StateStore(1 << 24) } : {};
  const access = {
    service: new OracleService(run),
    modelDigest: 'm',
    maxContext: 4096,
    maxAnswerTokens: 512,
    ...stored,
  };
  return DebugSession.open(access, run.program, settings, { start: stateAt(run, from) });
}

describe('a session that goes back and forth', () => {
  const journeys = fc.record({
    run: fc.nat(runs.length - 1),
    start: fc.nat(1000),
    isStored: fc.boolean(),
    moves: fc.array(
      fc.record({
        choice: fc.nat(10_000),
        mode: fc.constantFrom<Mode>('jump', 'auto', 'auto', 'auto', 'walk'),
        // Seldom from an earlier state instead of the cursor.
        from: fc.option(fc.nat(1000), { freq: 5 }),
      }),
      { minLength: 1, maxLength: 25 },
    ),
  });

  it('is always where the run is, whatever was derived from its past or from the store', async () => {
    let derived = 0;
    let certain = 0;
    const property = fc.asyncProperty(journeys, async ({ run: index, start, isStored, moves }) => {
      const run = runs[index] as TrueRun;
      const first = start % run.states.length;
      const session = await sessionAt(run, first, isStored);
      /** Event of the run by number of the state. */
      const events = new Map([[1, first]]);
      for (const { choice, mode, from } of moves) {
        const visited = [...events.keys()];
        const number = from === null ? session.current.number : (visited[from % visited.length] as number);
        const at = events.get(number);
        const possible = run.answers.filter((answer) => answer.from === at && answer.to >= 0);
        const asked = possible[choice % possible.length] as TrueAnswer;
        const answer = await session.act(asked.action, { mode, from: number });
        expect(shown(answer.state), `${run.name}: ${asked.action.kind} from ${at}`).toEqual(
          stateAt(run, asked.to),
        );
        if (answer.horizon > 0) expect(answer.horizon).toBe(Math.abs(asked.to - asked.from));
        events.set(answer.number, asked.to);
        if (answer.origin === 'derived') derived += 1;
        if (answer.same !== undefined) certain += 1;
      }
    });
    await fc.assert(property, { numRuns: 400 });
    expect(derived).toBeGreaterThan(100);
    expect(certain).toBeGreaterThan(20);
  });
});
