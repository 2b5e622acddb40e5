/** Questions about a whole trajectory in one call: the states from one on are predicted event by event, and what was asked for is picked out. */
import { createHash } from 'node:crypto';
import { isAtEnd, noCode } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, depth } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { singleStep, stateKey } from '../trajectory/index.js';
import { type Answer, type NewAnswer, steppedAnswer } from './answer.js';
import { nothingSpent, type Spent, spentOn, spentTogether } from './spent.js';
import type { StepReply } from './step.js';

export type TrajectoryQuery =
  /** A local at every hit of a line, in whatever frame. */
  | { readonly kind: 'values'; readonly name: string; readonly line: number }
  /** The first state of the current frame in which a local differs from what it is now. */
  | { readonly kind: 'change'; readonly name: string }
  /** The states of the current frame until it returns; without names all locals. */
  | { readonly kind: 'table'; readonly names: readonly string[] };

export interface QueryBounds {
  readonly maxRows: number;
  /** Most events predicted for one page. */
  readonly maxSteps: number;
  /** Where the page before stopped; empty: the first page. */
  readonly page: string;
}

export const defaultQueryRows = 64;
export const mostQueryRows = 256;

/** What ended a query; `open`: nothing did, there is another page. */
export type QueryEnd = 'open' | 'run' | 'frame' | 'found' | 'circle';

export interface QueryRow {
  /** The state, which the session now holds. */
  readonly answer: Answer;
  /** Values by name, of those names that are bound. */
  readonly values: ReadonlyMap<string, string>;
  /** Of the whole way from the state asked of this page to this one, 0..1. */
  readonly probability: number;
}

export interface QueryResult extends Spent {
  readonly from: number;
  readonly columns: readonly string[];
  readonly rows: readonly QueryRow[];
  readonly end: QueryEnd;
  /** Token of the next page; empty unless `end` is `open`. */
  readonly nextPage: string;
}

/** What a session lends for answering a query. */
export interface QueryHost {
  readonly program: Program;
  find(number: number): Answer;
  step(state: DebuggerState): Promise<StepReply>;
  keep(answer: NewAnswer): Answer;
}

/** Where a query stands between two pages. */
interface Mark {
  readonly at: number;
  /** Depth of the frame that was asked about. */
  readonly level: number;
  /** Value of the local when the query began; null: unbound. */
  readonly was: string | null;
  readonly isFirst: boolean;
}

const localOf = (state: DebuggerState, name: string): string | null =>
  currentFrame(state).locals.get(name) ?? null;

/** @throws ForetraceError unknown_state, invalid_message for a page that is not of this query, and what a prediction throws */
export async function runQuery(
  host: QueryHost,
  from: Answer,
  query: TrajectoryQuery,
  { maxRows, maxSteps, page }: QueryBounds,
): Promise<QueryResult> {
  const mark = page === '' ? markOf(from, query) : readPage(page, from, query);
  const start = host.find(mark.at);
  const found: { reply: StepReply | null; state: DebuggerState; way: number; events: number }[] = [];
  const take = (state: DebuggerState, reply: StepReply | null, way: number, events: number): QueryEnd => {
    const { isRow, end } = judge(query, mark, state);
    if (isRow) found.push({ reply, state, way, events });
    return end;
  };
  const seen = new Set([stateKey(start.state)]);
  let spent = nothingSpent;
  let at = start.state;
  let reply: StepReply | null = null;
  let way = 1;
  let events = 0;
  let end = mark.isFirst ? take(at, null, 1, 0) : 'open';
  while (end === 'open' && events < maxSteps && found.length < maxRows) {
    if (isAtEnd(at, host.program)) {
      end = 'run';
      break;
    }
    reply = await host.step(at);
    events += 1;
    spent = spentTogether(spent, spentOn(reply));
    way *= reply.transition.whole;
    at = reply.transition.state;
    const key = stateKey(at);
    end = seen.has(key) ? 'circle' : take(at, reply, way, events);
    seen.add(key);
  }
  const keep = (last: StepReply, length: number): Answer =>
    host.keep(foundAnswer(host.program, start, last, length));
  const rows = found.map((row) => ({
    answer: row.reply === null ? start : keep(row.reply, row.events),
    values: valuesOf(query, row.state),
    probability: row.way,
  }));
  const isKept = found.at(-1)?.events === events;
  const resume =
    end !== 'open' || reply === null
      ? start
      : isKept
        ? (rows.at(-1) as QueryRow).answer
        : keep(reply, events);
  const nextPage =
    end === 'open' ? writePage(from, query, { ...mark, at: resume.number, isFirst: false }) : '';
  return { from: from.number, columns: columnsOf(query, rows), rows, end, nextPage, ...spent };
}

/** Whether a state is asked for, and whether it is the last one that can be. */
function judge(query: TrajectoryQuery, { level, was }: Mark, state: DebuggerState) {
  const here = depth(state);
  const isOver = here < level || (here === level && state.event === 'return');
  switch (query.kind) {
    case 'values': {
      const isRow = state.event === 'line' && currentFrame(state).line === query.line;
      return { isRow, end: 'open' as QueryEnd };
    }
    case 'change': {
      const isRow = here === level && localOf(state, query.name) !== was;
      return { isRow, end: (isRow ? 'found' : isOver ? 'frame' : 'open') as QueryEnd };
    }
    case 'table':
      return { isRow: here === level, end: (isOver ? 'frame' : 'open') as QueryEnd };
  }
}

const valuesOf = (query: TrajectoryQuery, state: DebuggerState): ReadonlyMap<string, string> => {
  const { locals } = currentFrame(state);
  const names = query.kind === 'table' ? query.names : [query.name];
  return names.length === 0 ? locals : new Map([...locals].filter(([name]) => names.includes(name)));
};

function columnsOf(query: TrajectoryQuery, rows: readonly QueryRow[]): readonly string[] {
  if (query.kind !== 'table') return [query.name];
  if (query.names.length > 0) return query.names;
  return [...new Set(rows.flatMap(({ values }) => [...values.keys()]))];
}

/** A state that a query came to: reached from the page's first one by so many events, by no action. */
const foundAnswer = (program: Program, start: Answer, reply: StepReply, horizon: number): NewAnswer => ({
  ...steppedAnswer(program, start, singleStep('forward'), reply),
  action: null,
  horizon,
  mode: 'walk',
});

const markOf = ({ number, state }: Answer, query: TrajectoryQuery): Mark => ({
  at: number,
  level: depth(state),
  was: query.kind === 'change' ? localOf(state, query.name) : null,
  isFirst: true,
});

/** A page belongs to one query asked of one state. */
const signature = (from: Answer, query: TrajectoryQuery): string =>
  createHash('sha256')
    .update(JSON.stringify([from.number, query]))
    .digest('base64url')
    .slice(0, 16);

const writePage = (from: Answer, query: TrajectoryQuery, { at, level, was }: Mark): string =>
  Buffer.from(JSON.stringify([signature(from, query), at, level, was])).toString('base64url');

function readPage(page: string, from: Answer, query: TrajectoryQuery): Mark {
  const [name, at, level, was] = fieldsOf(page);
  const isMark = Number.isInteger(at) && Number.isInteger(level) && (was === null || typeof was === 'string');
  if (name === signature(from, query) && isMark) {
    return { at: at as number, level: level as number, was: was as string | null, isFirst: false };
  }
  throw new ForetraceError('invalid_message', 'the page is not one of this query', {
    expected: 'the next_page of the same query of the same state',
    actual: page.slice(0, 80),
  });
}

function fieldsOf(page: string): unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(page, 'base64url').toString());
    return Array.isArray(fields) ? fields : [];
  } catch {
    return [];
  }
}

/** @throws ForetraceError invalid_message */
export function checkQuery(program: Program, query: TrajectoryQuery, { maxRows }: QueryBounds): void {
  const wrong = (what: string, expected: string, actual: string): never => {
    throw new ForetraceError('invalid_message', what, { expected, actual });
  };
  if (maxRows < 1 || maxRows > mostQueryRows)
    wrong('the number of rows is out of range', `1 to ${mostQueryRows}`, String(maxRows));
  const names = query.kind === 'table' ? query.names : [query.name];
  const unknown = names.find((name) => !program.slots.has(name));
  if (unknown !== undefined) wrong('the program has no such name', 'a name of the program', unknown);
  if (query.kind === 'values' && !program.executableLines.includes(query.line))
    throw noCode(program, query.line);
}
