/** What is known of a step back before it is asked: which lines it can lead to, and what names stood for on them. */
import { type Action, singleSteps } from '../debugger/action.js';
import { cameFrom, claimsOf } from '../debugger/came-from.js';
import type { Value } from '../debugger/language/plan.js';
import { type Way, waysTo } from '../debugger/language/step-constraints.js';
import { type Heads, headsBefore } from '../debugger/loop-heads.js';
import type { Program } from '../debugger/program.js';
import { type Running, runningFrame } from '../debugger/running.js';
import { type Undone, undoneBy } from '../debugger/undone/index.js';
import { type Cost, noCost, sumOf } from './cost.js';
import type { ModelAccess } from './submit-question.js';
import type { WorkedQuestion } from './work-out.js';
import { workedValue } from './worked-value.js';

export interface LinesBefore {
  /** By line; undefined: unbound. */
  readonly lines: Heads;
  /** Those that can have led here; undefined: all that the control flow allows. */
  readonly ways?: ReadonlySet<Way> | undefined;
  /** Of what ruled lines out. */
  readonly logProbability: number;
  /** By line, of what was asked of it. */
  readonly ofLine: ReadonlyMap<number, number>;
  readonly cost: Cost;
}

export const noLines: LinesBefore = { lines: new Map(), logProbability: 0, ofLine: new Map(), cost: noCost };

/** Most conditions, and most lines, about which the model is asked: a step back leads to one of them. */
const mostAsked = 2;
/** Most questions of which one needs the answer of the one before. */
const mostInARow = 2;

/**
 * The lines that a reverse action can lead to, a step back from a `line` state, and what names stood for on them, as far as it is told, or worked out by taking back what
 * the line did.
 * @throws ForetraceError as workOut
 */
export async function linesBefore(
  access: ModelAccess,
  question: WorkedQuestion & { readonly action: Action },
): Promise<LinesBefore> {
  const { program, state, action } = question;
  const lines = new Map(headsBefore(program, state, action));
  const isBack = state?.event === 'line' && singleSteps.has(action.kind);
  const running = isBack ? runningFrame(program, state) : undefined;
  if (running === undefined) return { ...noLines, lines };
  const asking = new Asking(access, question, running);
  const told = cameFrom(program, state, action) ?? new Set(waysTo(running.scope, running.frame.line));
  const ways = access.showsWorkings ? await asking.waysLeft(told) : told;
  const ofLine = new Map<number, number>();
  for (const [line, statement] of statementsBefore(program, running, ways)) {
    const found = new Map(lines.get(line));
    const mayAsk = access.showsWorkings && ofLine.size < mostAsked;
    const logProbability = await asking.takenBack(statement, found, mayAsk ? mostInARow : 0);
    if (logProbability !== undefined) ofLine.set(line, logProbability);
    if (found.size > 0) lines.set(line, found);
  }
  return { lines, ways, logProbability: asking.logProbability, ofLine, cost: asking.cost };
}

/** What the model is asked about a frame, and what that costs. */
class Asking {
  /** Of what ruled ways out. */
  logProbability = 0;
  cost: Cost = noCost;

  constructor(
    private readonly access: ModelAccess,
    private readonly question: WorkedQuestion,
    private readonly running: Running,
  ) {}

  /** The ways without those that would have left something else, or led elsewhere; one at least. */
  async waysLeft(ways: ReadonlySet<Way>): Promise<ReadonlySet<Way>> {
    const left = new Set(ways);
    const asked = new Map<string, ReturnType<Asking['about']>>();
    for (const way of ways) {
      for (const claim of left.size > 1 ? claimsOf(this.question.program, this.running, way) : []) {
        const key = claim.code.join();
        if (!asked.has(key) && asked.size === mostAsked) continue;
        const answer = asked.get(key) ?? this.about(claim.code);
        asked.set(key, answer);
        const { value, logProbability } = await answer;
        if (!value || claim.fits(value)) continue;
        left.delete(way);
        this.logProbability += logProbability;
        break;
      }
    }
    return left;
  }

  /**
   * Notes in `found` what names stood for before a statement, as far as so many questions in a row tell it. Returns of what was asked or taken to be so the log probability,
   * if there was anything.
   */
  async takenBack(
    { told, asked, logProbability: assumed }: Undone,
    found: Map<string, string | undefined>,
    questions: number,
  ): Promise<number | undefined> {
    for (const [name, text] of told) found.set(name, text);
    if (asked === undefined || questions === 0) return assumed;
    const { value, logProbability } = await this.about(asked.code);
    const more = value && (await this.takenBack(asked.follows(value), found, questions - 1));
    return logProbability + (more ?? 0) + (assumed ?? 0);
  }

  /** What an expression comes to, if that is a literal. */
  async about(code: readonly number[]): Promise<{ value?: Value | undefined; logProbability: number }> {
    const { value, logProbability, cost } = await workedValue(this.access, this.question, this.running, code);
    this.cost = sumOf(this.cost, cost);
    return { value, logProbability };
  }
}

/** The lines before this one that are one statement each, with what they can be taken back to. */
function statementsBefore(
  program: Program,
  running: Running,
  ways: ReadonlySet<Way>,
): [line: number, undone: Undone][] {
  return [...ways].flatMap((way): [number, Undone][] => {
    const flow = way === 'call' ? undefined : running.scope.flow?.lines.get(way);
    const isAlone = flow?.own.size === 1;
    return isAlone ? [[way as number, undoneBy(program, running, way as number)]] : [];
  });
}
