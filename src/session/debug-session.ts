/** One user's debugging session: a program, the states visited so far as a tree, and a cursor. */
import type { Action } from '../debugger/action.js';
import { entryState } from '../debugger/entry.js';
import { grammarOf, type ProgramGrammar } from '../debugger/language/grammar.js';
import { checkAction, checkState } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { singleStep, type World } from '../trajectory/index.js';
import { defaultAccuracy } from './accuracy.js';
import { type Answer, givenAnswer, type NewAnswer, predictedAnswer, steppedAnswer } from './answer.js';
import type { ModelAccess } from './ask-model.js';
import { checkCount, findCandidates } from './candidates.js';
import { editedState } from './edit.js';
import { type Evaluation, evaluateExpression } from './evaluate.js';
import { historyOf } from './history.js';
import { defaultMaxSteps, defaultMode, travel } from './navigate.js';
import { checkQuery, type QueryBounds, type QueryResult, runQuery, type TrajectoryQuery } from './query.js';
import { RetryLedger } from './retries.js';
import type {
  ActOptions,
  AskedOptions,
  CandidateAnswers,
  CandidateOptions,
  SessionSettings,
} from './session-options.js';
import { askStep, type StepReply, worldOf } from './step.js';
import { VisitedStates } from './visited-states.js';
import type { Traveller } from './ways.js';

export type { Answer, AnswerOrigin } from './answer.js';
export type {
  ActOptions,
  AskedOptions,
  CandidateAnswer,
  CandidateAnswers,
  CandidateOptions,
  SessionSettings,
} from './session-options.js';

/** More than a client has on the way at once; weighed in bytes. */
const retryBounds = { maxEntries: 256, maxWeight: 2 * 1024 * 1024 };

export class DebugSession {
  readonly program: Program;
  readonly settings: SessionSettings;
  private readonly access: ModelAccess;
  private readonly grammar: ProgramGrammar;
  private readonly world: World | null;
  private readonly visited: VisitedStates;
  /** Requests that may be sent again after a lost connection. */
  readonly retries = new RetryLedger(retryBounds);
  private moving = false;

  /** Use `openSession` or `fork`; a session without a state is of no use to anyone. */
  private constructor(
    access: ModelAccess,
    program: Program,
    grammar: ProgramGrammar,
    settings: SessionSettings,
    visited = new VisitedStates(settings),
  ) {
    this.access = access;
    this.program = program;
    this.grammar = grammar;
    this.settings = settings;
    this.visited = visited;
    this.world = worldOf(access, program, settings.sampling);
  }

  /**
   * Opens a session at `start`, else at the entry's call: derived when the arguments are literals, else predicted.
   * @throws ForetraceError invalid_state, and what askModel throws
   */
  static async open(
    access: ModelAccess,
    program: Program,
    settings: SessionSettings,
    options: ActOptions & { start?: DebuggerState } = {},
  ): Promise<DebugSession> {
    if (program.scopes.length === 0) {
      throw new ForetraceError('invalid_entry', 'the program has no function that the entry could enter', {
        expected: 'a call that enters a function of the program',
        actual: program.call,
      });
    }
    const session = new DebugSession(access, program, grammarOf(program), settings);
    const known = options.start ?? entryState(program);
    if (known) {
      checkState(program, known);
      session.visited.add(givenAnswer(program, 0, known));
    } else {
      const reply = await session.step(null, { kind: 'step_into', lines: [] }, options);
      session.visited.add(steppedAnswer(program, null, null, reply));
    }
    session.lookAhead(options);
    return session;
  }

  get current(): Answer {
    return this.answer(0);
  }

  /** Upper estimate of the memory that the visited states and the answers kept for retries take. */
  get bytes(): number {
    return this.visited.bytes + this.retries.held;
  }

  /** The visited state with this number, 0 = the cursor's. @throws ForetraceError unknown_state */
  answer(number: number): Answer {
    return this.visited.answer(number);
  }

  /** All states still held, oldest first. */
  answers(): Answer[] {
    return this.visited.all();
  }

  /**
   * Finds the state `action` leads to and moves the cursor there. Without `from` one action at a time may run.
   * On any error the session is as it was.
   * @throws ForetraceError busy, unknown_state, past_end, past_start, invalid_action, invalid_breakpoint, walk_too_long, and what askModel throws
   */
  async act(action: Action, options: ActOptions = {}): Promise<Answer> {
    const {
      mode = defaultMode,
      maxSteps = defaultMaxSteps,
      fresh = false,
      stopAtExceptions = false,
    } = options;
    const before = this.before(action, options, true);
    return this.alone(!options.from, async () => {
      const traveller = this.traveller(before, options);
      try {
        const route = { mode, maxSteps, fresh, stopAtExceptions };
        const answer = this.visited.add(await travel(traveller, before, action, route));
        this.lookAhead(options);
        return answer;
      } catch (error) {
        traveller.forget();
        throw error;
      }
    });
  }

  /**
   * Several answers to one action, best first. Each becomes a state of the session, a sibling of the others; the cursor stays unless `choose`
   * is given, which moves it to the best one as `act` would.
   * @throws ForetraceError invalid_action for a count that is not 1 to 16 or leaves no room in the session, and what `act` throws
   */
  async candidates(action: Action, options: CandidateOptions): Promise<CandidateAnswers> {
    const { count, check = false, choose = false } = options;
    checkCount(count, this.settings.maxStates - 1);
    const before = this.before(action, options, choose);
    return this.alone(choose && !options.from, async () => {
      const { seed } = this.settings.sampling;
      const asked = { ...this.asked(options), state: before.state, action, count, seed, check };
      const { candidates, draws } = await findCandidates(this.access, asked);
      const answers = candidates.map(({ reply, probability, consistent, forwardProbability }) => ({
        probability,
        consistent,
        forwardProbability,
        answer: this.visited.keep(predictedAnswer(this.program, before, action, reply)),
      }));
      const [best] = answers;
      if (choose && best) this.visited.goto(best.answer.number);
      this.visited.forgetOldest();
      return { from: before.number, candidates: answers, draws };
    });
  }

  /**
   * The value of an expression in a visited state; no new state, and the cursor stays. Any number may run at once.
   * @throws ForetraceError unknown_state, invalid_expression, and what askValue throws
   */
  async evaluate(
    expression: string,
    options: AskedOptions = {},
  ): Promise<Evaluation & { readonly from: number }> {
    const { number, state } = this.answer(options.from ?? 0);
    const evaluation = await evaluateExpression(this.access, { ...this.asked(options), state, expression });
    return { ...evaluation, from: number };
  }

  /**
   * Follows the program from a visited state on, event by event, and picks out what is asked for. The states of the rows become states of the
   * session; the cursor stays. Any number may run at once.
   * @throws ForetraceError unknown_state, invalid_breakpoint, invalid_message, and what askModel throws
   */
  async query(query: TrajectoryQuery, bounds: QueryBounds, options: AskedOptions = {}): Promise<QueryResult> {
    checkQuery(this.program, query, bounds);
    const host = {
      program: this.program,
      find: (number: number) => this.answer(number),
      step: (state: DebuggerState) => this.step(state, singleStep('forward'), options),
      keep: (answer: NewAnswer) => this.visited.keep(answer),
    };
    const result = await runQuery(host, this.answer(options.from ?? 0), query, bounds);
    this.visited.forgetOldest();
    return result;
  }

  /**
   * A new state in which locals of the current frame have other values: a new branch, origin `given`.
   * @throws ForetraceError invalid_state when a name is not one of the frame's, or one to be deleted has no value
   */
  edit(from: number, locals: ReadonlyMap<string, string>, deleted: readonly string[] = []): Answer {
    const before = this.answer(from);
    const state = editedState(this.program, before.state, locals, deleted);
    return this.visited.add(givenAnswer(this.program, before.number, state));
  }

  /** Moves the cursor to a visited state. @throws ForetraceError unknown_state */
  goto(number: number): Answer {
    return this.visited.goto(number);
  }

  /** An independent session of `client` over the same program with all states visited so far; its cursor stands at `at`. */
  fork(id: string, at = 0, client = this.settings.client): DebugSession {
    const settings = { ...this.settings, id, client };
    const visited = this.visited.copy(settings, at);
    return new DebugSession(this.access, this.program, this.grammar, settings, visited);
  }

  /** The state an action is asked of, once the action fits it. `moves`: the answer will move the cursor. */
  private before(action: Action, { from = 0 }: AskedOptions, moves: boolean): Answer {
    if (moves && from === 0 && this.moving) {
      throw new ForetraceError('busy', 'the session is still answering an earlier action', {
        expected: 'an action after the answer, or one with an explicit `from`',
      });
    }
    const before = this.answer(from);
    checkAction(this.program, before.state, action);
    return before;
  }

  /** Runs what starts at the cursor and moves it: nothing else may do so meanwhile. */
  private async alone<Result>(isAlone: boolean, run: () => Promise<Result>): Promise<Result> {
    if (!isAlone) return run();
    this.moving = true;
    try {
      return await run();
    } finally {
      this.moving = false;
    }
  }

  private step(state: DebuggerState | null, action: Action, options: ActOptions): Promise<StepReply> {
    const { onPart } = options;
    const question = { ...this.asked(options), state, action, ...(onPart ? { onPart } : {}) };
    return askStep(this.access, this.world, question);
  }

  /** The cursor has moved: what comes next may be predicted while there is time. */
  private lookAhead({ priority }: AskedOptions): void {
    const { access, program, grammar, world } = this;
    if (world === null || priority === 'batch') return;
    access.ahead?.visited({
      program,
      grammar,
      world,
      sampling: this.settings.sampling,
      state: this.current.state,
    });
  }

  /** What answering an action needs of the session. */
  private traveller(before: Answer, options: ActOptions): Traveller {
    const passed: Answer[] = [];
    const { onPart, ...quiet } = options;
    return {
      program: this.program,
      world: this.world,
      accuracy: this.access.accuracy ?? defaultAccuracy,
      dialect: this.access.dialect,
      history: historyOf(before, (number) => this.visited.find(number)),
      onPart,
      step: (state, action, watch) => this.step(state, action, watch ? { ...quiet, onPart: watch } : quiet),
      pass: (answer) => {
        const kept = this.visited.keep(answer);
        passed.push(kept);
        options.onStep?.(kept);
        return kept;
      },
      forget: () => {
        for (const { number } of passed.splice(0)) this.visited.forget(number);
      },
    };
  }

  /** What all questions of the session have in common. */
  private asked({ client, priority, fresh, signal, deadline, onPrediction }: AskedOptions) {
    return {
      program: this.program,
      grammar: this.grammar,
      sampling: this.settings.sampling,
      client: client ?? this.settings.client,
      priority: priority ?? 'interactive',
      fresh: fresh ?? false,
      ...(signal ? { signal } : {}),
      ...(deadline === undefined ? {} : { deadline }),
      ...(onPrediction ? { onPrediction } : {}),
    } as const;
  }
}
