/** A GenerationService that writes the true frames of a run in Code World Model's format, token by token as its grammar allows. */
import type { DebuggerState } from '../../src/debugger/state.js';
import { frameTokens } from '../../src/dialects/cwm/prompt.js';
import type { Vocabulary } from '../../src/dialects/cwm/vocabulary.js';
import { GrammarWalker } from '../../src/native/grammar-walker.js';
import type { GenerationRequest, GenerationResult, GenerationService } from '../../src/scheduler/request.js';
import { answered } from './answered.js';
import type { TrueRun } from './true-runs.js';

/** Frames before that of the entry's call: what ends the program, and two of the main function. */
const framesBefore = 3;

export class CwmOracle implements GenerationService {
  readonly requests: GenerationRequest[] = [];
  /** Names of each frame on the stack, in the order in which they were shown. */
  private readonly shown: string[][] = [];

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly run: TrueRun,
    private readonly probability = 0.5,
  ) {}

  async submit(request: GenerationRequest): Promise<GenerationResult> {
    this.requests.push(request);
    const { prompt, constraint, maxNewTokens } = request;
    const shown = prompt.filter((token) => token === this.vocabulary.special.frame).length - framesBefore;
    const tokens = this.written(shown);
    if (constraint === undefined) throw new Error('a question without a grammar');
    const walker = new GrammarWalker(constraint.data, constraint.state, constraint.frames, maxNewTokens);
    for (const token of tokens)
      if (!walker.accept(token)) throw new Error(`${this.run.name}: the grammar refuses frame ${shown}`);
    if (!walker.accepted) throw new Error(`${this.run.name}: frame ${shown} is not the end`);
    return answered(request, tokens, this.probability);
  }

  /** The frame of the run's state with this number. */
  private written(index: number): number[] {
    const state = this.run.states[index] as DebuggerState;
    const { event, frames, value } = state;
    const { line, locals } = frames.at(-1) as DebuggerState['frames'][0];
    const depth = frames.length - 1;
    const old = event === 'line' ? this.run.states[index - 1]?.frames[depth]?.locals : undefined;
    const names = this.namesIn(state, old === undefined ? [] : (this.shown[depth] ?? []));
    if (event === 'call' || event === 'line') this.shown[depth] = names;
    const told = new Map(
      names.map((name) => [name, old?.get(name) === locals.get(name) ? '..' : (locals.get(name) ?? '')]),
    );
    const text = this.run.program.lines[line - 1] ?? '';
    const shown = { event, line: text, locals: told, ...(value === undefined ? {} : { value }) };
    return frameTokens(this.vocabulary, shown);
  }

  /** As CPython tells locals: those that were there before, then parameters, then others. */
  private namesIn(state: DebuggerState, before: readonly string[]): string[] {
    const { locals } = state.frames.at(-1) as DebuggerState['frames'][0];
    const { positional = [] } = this.run.program.scopeOf(state) ?? {};
    return [...new Set([...before, ...positional, ...locals.keys()])].filter((name) => locals.has(name));
  }
}
