import { describe, expect, it } from 'vitest';
import { currentFrame, type DebuggerState, depth } from '../../../src/debugger/state.js';
import { greedy } from '../../../src/scheduler/request.js';
import { DebugSession } from '../../../src/session/debug-session.js';
import type { QueryResult, TrajectoryQuery } from '../../../src/session/query.js';
import { StateStore } from '../../../src/trajectory/index.js';
import { OracleService } from '../../support/oracle-service.js';
import { codeOf } from '../../support/service-world.js';
import { runNamed, shown, stateAt, type TrueRun, trueRuns } from '../../support/true-runs.js';

const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4096 };
const bounds = { maxRows: 256, maxSteps: 1024, page: '' };

async function sessionAt(
  run: TrueRun,
  from: number,
): Promise<{ session: DebugSession; oracle: OracleService }> {
  const oracle = new OracleService(run);
  const trajectory = new StateStore(16 * 1024 * 1024);
  const access = { service: oracle, modelDigest: 'm', maxContext: 4096, maxAnswerTokens: 512, trajectory };
  const session = await DebugSession.open(access, run.program, settings, { start: stateAt(run, from) });
  return { session, oracle };
}

const textOf = (state: DebuggerState, name: string): string | undefined =>
  currentFrame(state).locals.get(name);

/** The same, read off the whole run. */
function truth(run: TrueRun, from: number, query: TrajectoryQuery): DebuggerState[] {
  const start = stateAt(run, from);
  const level = depth(start);
  const later = run.states.slice(from);
  if (query.kind === 'values')
    return later.filter((state) => state.event === 'line' && currentFrame(state).line === query.line);
  const end = later.findIndex((state) => depth(state) === level && state.event === 'return');
  const frame = later.slice(0, end + 1).filter((state) => depth(state) === level);
  if (query.kind === 'table') return frame;
  return frame.filter((state) => textOf(state, query.name) !== textOf(start, query.name)).slice(0, 1);
}

const questions = (run: TrueRun): TrajectoryQuery[] => {
  const name = [...currentFrame(stateAt(run, run.states.length - 1)).locals.keys()].at(-1);
  const names = name === undefined ? [] : [name];
  return [
    ...names.map((one) => ({ kind: 'change', name: one }) as const),
    ...names.flatMap((one) =>
      run.program.executableLines.map((line) => ({ kind: 'values', name: one, line }) as const),
    ),
    { kind: 'table', names: [] },
    { kind: 'table', names },
  ];
};

describe('a query', () => {
  it.each(
    trueRuns.filter(({ states }) => states.length < 30).map((run) => [run.name, run] as const),
  )('of %s gives what the run shows, however it is paged', async (_name, run) => {
    for (const from of [0, 2, 5].filter((index) => index < run.states.length - 1)) {
      for (const query of questions(run)) {
        // The end of an entry that makes several calls does not show.
        if (run.program.hasSeveralCalls && query.kind === 'values') continue;
        const expected = truth(run, from, query);
        const { session } = await sessionAt(run, from);
        const whole = await session.query(query, bounds);
        expect(whole.rows.map(({ answer }) => shown(answer.state))).toEqual(expected);
        expect(whole.end).not.toBe('open');
        const small = { maxRows: 2, maxSteps: 3, page: '' };
        const paged: QueryResult[] = [await session.query(query, small, { from: 1 })];
        while (paged.at(-1)?.end === 'open' && paged.length < 100) {
          const page = paged.at(-1)?.nextPage ?? '';
          paged.push(await session.query(query, { ...small, page }, { from: 1 }));
        }
        expect(paged.flatMap(({ rows }) => rows.map(({ answer }) => shown(answer.state)))).toEqual(expected);
        expect(paged.at(-1)?.end).toBe(whole.end);
      }
    }
  });

  const run = runNamed('calls in a loop');

  it('keeps the states of its rows in the session, and leaves the cursor', async () => {
    const { session, oracle } = await sessionAt(run, 0);
    const { rows, steps, columns } = await session.query({ kind: 'values', name: 's', line: 8 }, bounds);
    expect(rows.length).toBeGreaterThan(1);
    for (const { answer, values } of rows) {
      expect(session.answer(answer.number)).toBe(answer);
      expect(values.get('s')).toBe(textOf(answer.state, 's'));
    }
    expect(columns).toEqual(['s']);
    expect(session.current.number).toBe(1);
    expect(steps).toEqual({ model: run.states.length - 1, cache: 0 });
    expect(rows.map(({ probability }) => probability)).toEqual(
      rows
        .map(({ probability }) => probability)
        .sort()
        .reverse(),
    );
    const asked = oracle.requests.length;
    const again = await session.query({ kind: 'values', name: 's', line: 8 }, bounds);
    expect(oracle.requests.length).toBe(asked);
    expect(again.steps).toEqual({ model: 0, cache: run.states.length - 1 });
    expect(again.rows.map(({ probability }) => probability)).toEqual(
      rows.map(({ probability }) => probability),
    );
  });

  it('refuses what is not a question, and pages of others', async () => {
    const { session } = await sessionAt(run, 0);
    const table = { kind: 'table', names: [] } as const;
    const first = await session.query(table, { ...bounds, maxRows: 1 });
    expect(first.end).toBe('open');
    const refused: [TrajectoryQuery, Partial<typeof bounds>, string][] = [
      [{ kind: 'values', name: 'nothing', line: 8 }, {}, 'invalid_message'],
      [{ kind: 'values', name: 's', line: 1 }, {}, 'invalid_breakpoint'],
      [table, { maxRows: 257 }, 'invalid_message'],
      [table, { page: 'bm90IGEgcGFnZQ' }, 'invalid_message'],
      [{ kind: 'change', name: 's' }, { page: first.nextPage }, 'invalid_message'],
    ];
    for (const [query, change, code] of refused)
      expect(await codeOf(session.query(query, { ...bounds, ...change }))).toBe(code);
  });
});
