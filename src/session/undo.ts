/** What is known of a step back before it is asked: what names stood for on the lines that it can lead to. */
import { type Action, singleSteps } from '../debugger/action.js';
import { literalOf } from '../debugger/language/frame-literals.js';
import { isLiteral } from '../debugger/language/literal-values.js';
import { expressionParts } from '../debugger/language/parts.js';
import { stepConstraint } from '../debugger/language/step-constraints.js';
import { toldValue } from '../debugger/language/told.js';
import { valueWorkings } from '../debugger/language/workings.js';
import { type Heads, headsBefore } from '../debugger/loop-heads.js';
import { lineTokens, type Program } from '../debugger/program.js';
import { type Running, runningFrame } from '../debugger/running.js';
import { type Undone, undoneBy } from '../debugger/undone.js';
import { type Cost, noCost, sumOf } from './cost.js';
import type { ModelAccess } from './submit-question.js';
import { type WorkedQuestion, workOut } from './work-out.js';

export interface LinesBefore {
  /** By line; undefined: unbound. */
  readonly lines: Heads;
  /** Of what was asked for it. */
  readonly logProbability: number;
  readonly cost: Cost;
}

export const noLines: LinesBefore = { lines: new Map(), logProbability: 0, cost: noCost };

/** Most lines for which the model is asked: a step back leads to one of them. */
const mostAsked = 2;

/**
 * What names stood for on the lines that a reverse action can lead to, a step back from a `line` state, as far as it is told or worked out by taking back what the line did.
 * @throws ForetraceError as workOut
 */
export async function linesBefore(
  access: ModelAccess,
  question: WorkedQuestion & { readonly action: Action },
): Promise<LinesBefore> {
  const { program, state, action } = question;
  const lines = new Map(headsBefore(program, state, action));
  let [logProbability, cost, asked] = [0, noCost, 0];
  const isBack = state?.event === 'line' && singleSteps.has(action.kind);
  const running = isBack ? runningFrame(program, state) : undefined;
  if (running === undefined) return { lines, logProbability, cost };
  for (const [line, undone] of statementsBefore(program, running)) {
    const found = new Map(undone.told);
    if (undone.asked && access.showsWorkings && asked < mostAsked) {
      asked += 1;
      const workings = valueWorkings(program, running.frame, undone.asked.code);
      const worked = workings && (await workOut(access, question, workings));
      const value = worked && literalIn(program, running, worked.code);
      if (value) for (const [name, text] of undone.asked.told(value)) found.set(name, text);
      logProbability += worked?.logProbability ?? 0;
      cost = sumOf(cost, worked?.cost ?? noCost);
    }
    if (found.size > 0) lines.set(line, found);
  }
  return { lines, logProbability, cost };
}

/** The lines before this one that are one statement each and enter no function of the program, with what they can be taken back to. */
function statementsBefore(program: Program, running: Running): [line: number, undone: Undone][] {
  const { scope, frame } = running;
  const before = stepConstraint(scope, 'reverse', { event: 'line', line: frame.line })?.events.get('line');
  return [...(before ?? [])].flatMap((line): [number, Undone][] => {
    const flow = scope.flow?.lines.get(line);
    const isAlone = flow?.own.size === 1 && flow.entered?.size === 0;
    return isAlone ? [[line, undoneBy(program, running, [...lineTokens(program, line)])]] : [];
  });
}

function literalIn(
  program: Program,
  { frame }: Running,
  code: readonly number[],
): readonly number[] | undefined {
  const part = expressionParts(code);
  const value =
    part &&
    toldValue(code, part, ({ kind, first }) =>
      kind === 'name' ? (literalOf(program, frame, code[first] as number) ?? null) : undefined,
    );
  return value && isLiteral(value) ? value : undefined;
}
