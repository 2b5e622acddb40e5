/** The `try` statements of a function, by the lines of their parts: where what was raised may be on its way to. */
import { leavesNoCode } from './statement-code.js';
import type { Block, StatementLines } from './statement-lines.js';

export interface Attempt {
  /** Lines on which an exception may be raised that its clauses look at. */
  readonly body: ReadonlySet<number>;
  /** Lines of `except`, without what stands under them. */
  readonly clauses: ReadonlySet<number>;
  /** Lines under `except`. */
  readonly handlers: ReadonlySet<number>;
  /** Lines under `else`. */
  readonly otherwise: ReadonlySet<number>;
  /** Lines under `finally`. */
  readonly last: ReadonlySet<number>;
}

/** Whether what is raised on a line goes through `finally`. */
export const isCleanedUp = ({ body, clauses, handlers, otherwise }: Attempt, line: number): boolean =>
  [body, clauses, handlers, otherwise].some((part) => part.has(line));

/** The parts of a `try` without `except*`; none where a clause has no code, which ends where it takes something. */
export function attemptOf(blocks: readonly Block[], lines: StatementLines): Attempt[] {
  if (blocks.some(({ body }) => body.every(leavesNoCode))) return [];
  const of = (name: string): readonly Block[] => blocks.filter(({ keyword }) => keyword.name === name);
  const under = (name: string): Set<number> => lines.under(of(name).flatMap(({ body }) => body));
  const handlers = under('except');
  const headers = of('except').flatMap((block) => block.lines);
  const clauses = new Set(headers.filter((line) => !handlers.has(line)));
  return [{ body: under('try'), clauses, handlers, otherwise: under('else'), last: under('finally') }];
}

/** Attempts by code lines; those of which a line falls together with one of another part say nothing. */
export function attemptsOnCodeLines(attempts: readonly Attempt[], snap: (line: number) => number): Attempt[] {
  return attempts.flatMap((attempt) => {
    const on = (lines: ReadonlySet<number>): Set<number> => new Set([...lines].map(snap));
    const { body, clauses, handlers, otherwise, last } = attempt;
    const snapped = {
      body: on(body),
      clauses: on(clauses),
      handlers: on(handlers),
      otherwise: on(otherwise),
      last: on(last),
    };
    const lines = Object.values(snapped).flatMap((part) => [...part]);
    return new Set(lines).size === lines.length ? [snapped] : [];
  });
}
