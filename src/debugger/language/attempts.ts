/** The `try` statements of a function, by the lines of their parts: where what was raised may be on its way to. */
import { leavesNoCode } from './statement-code.js';
import type { Block, StatementLines } from './statement-lines.js';

/** An `except ... as`: the name is unbound wherever a frame goes from these lines, but for those of the clauses. */
export interface Handler {
  readonly name: string;
  readonly lines: ReadonlySet<number>;
}

export interface Attempt {
  /** Lines on which an exception may be raised that its clauses look at. */
  readonly body: ReadonlySet<number>;
  /** Lines of `except`, without what stands under them. */
  readonly clauses: ReadonlySet<number>;
  /** Lines under `except`. */
  readonly handlers: ReadonlySet<number>;
  /** Of these what stands under an `except ... as`. */
  readonly binding: readonly Handler[];
  /** Lines under `else`. */
  readonly otherwise: ReadonlySet<number>;
  /** Lines under `finally`. */
  readonly last: ReadonlySet<number>;
}

/** Whether what is raised on a line goes through `finally`. */
export const isCleanedUp = ({ body, clauses, handlers, otherwise }: Attempt, line: number): boolean =>
  [body, clauses, handlers, otherwise].some((part) => part.has(line));

/**
 * The parts of a `try` without `except*`; none where a clause has no code, which ends where it takes something. namesOf: what a clause binds.
 */
export function attemptOf(
  blocks: readonly Block[],
  lines: StatementLines,
  namesOf: (block: Block) => readonly string[],
): Attempt[] {
  if (blocks.some(({ body }) => body.every(leavesNoCode))) return [];
  const of = (name: string): readonly Block[] => blocks.filter(({ keyword }) => keyword.name === name);
  const under = (name: string): Set<number> => lines.under(of(name).flatMap(({ body }) => body));
  const handlers = under('except');
  const headers = of('except').flatMap((block) => block.lines);
  const clauses = new Set(headers.filter((line) => !handlers.has(line)));
  const binding = of('except').flatMap((block) =>
    namesOf(block).map((name) => ({ name, lines: lines.under(block.body) })),
  );
  return [
    { body: under('try'), clauses, handlers, binding, otherwise: under('else'), last: under('finally') },
  ];
}

/** Attempts by code lines; those of which a line falls together with one of another part say nothing. */
export function attemptsOnCodeLines(attempts: readonly Attempt[], snap: (line: number) => number): Attempt[] {
  return attempts.flatMap((attempt) => {
    const on = (lines: ReadonlySet<number>): Set<number> => new Set([...lines].map(snap));
    const { body, clauses, handlers, binding, otherwise, last } = attempt;
    const parts = {
      body: on(body),
      clauses: on(clauses),
      handlers: on(handlers),
      otherwise: on(otherwise),
      last: on(last),
    };
    const lines = Object.values(parts).flatMap((part) => [...part]);
    const snapped = { ...parts, binding: binding.map((one) => ({ ...one, lines: on(one.lines) })) };
    return new Set(lines).size === lines.length ? [snapped] : [];
  });
}
