/** Steps to which the true answer is given: what is told of them must leave it as it is. */
import { outcomeOf } from '../../src/debugger/language/conditions.js';
import { encodeAnswer, encodeDelta } from '../../src/debugger/language/encode.js';
import { compileGrammar } from '../../src/debugger/language/grammar.js';
import { actionToken, special } from '../../src/debugger/language/tokens.js';
import { type Program, parseProgram } from '../../src/debugger/program.js';
import { type DebuggerState, depth } from '../../src/debugger/state.js';
import type { Transition } from '../../src/eval/cases.js';
import { GrammarWalker } from '../../src/native/grammar-walker.js';
import type { GenerationRequest, GenerationResult } from '../../src/scheduler/request.js';
import { askModel } from '../../src/session/ask-model.js';
import { answered } from './answered.js';
import { realRun } from './real-run.js';
import { stepOf } from './scripted-step.js';

const unknown = { outcome: 'value', text: '<unknown>' } as const;

/** What a client sees of a state. */
const shown = ({ event, value, frames }: DebuggerState) =>
  JSON.stringify([event, value, ...frames.map(({ line, locals }) => [line, [...locals].sort()])]);

/** Steps of a real run whose true answer is not taken as it is, with what becomes of it. */
export async function takenOtherwise(source: string, call: string): Promise<string[]> {
  const program = parseProgram(source, call);
  const found: string[] = [];
  for (const step of await realRun(source, call)) {
    const outcome = await withTrueAnswer(program, step);
    const { event, frames } = step.before;
    if (outcome !== 'taken') found.push(`${outcome}: ${event} on line ${frames.at(-1)?.line}`);
  }
  return found;
}

/** What becomes of the true answer to a single step forward; nothing that is worked out for it has a value. */
export async function withTrueAnswer(
  program: Program,
  { before, after, action }: Transition,
): Promise<'taken' | 'refused' | 'changed'> {
  const common = Math.min(depth(before) - Number(before.event === 'return'), depth(after));
  const truth = encodeDelta(program, before, after, common, outcomeOf(program, before, after));
  let isRefused = false;
  const submit = async (request: GenerationRequest): Promise<GenerationResult> => {
    if (request.prompt.at(-1) !== actionToken(action.kind))
      return answered(request, [...encodeAnswer(program, unknown), special.end], 0.5);
    const { data, state, frames } = request.constraint as NonNullable<GenerationRequest['constraint']>;
    const walker = new GrammarWalker(data, state, frames, 16000);
    isRefused = !truth.every((token) => walker.accept(token));
    return answered(request, truth, 0.5);
  };
  const service = { submit, isIdle: true, onIdle: () => () => undefined };
  const limits = { maxContext: 4096, maxAnswerTokens: 512 };
  const access = { modelDigest: 'm', ...limits, showsWorkings: true, answersTold: false, service };
  // The true answer may be longer than what a model may write.
  const grammar = compileGrammar(program, { valueTokens: 2048 });
  const { delta } = await askModel(access as never, { ...stepOf(program, before, action.kind), grammar });
  if (isRefused) return 'refused';
  return shown(delta.state) === shown(after) ? 'taken' : 'changed';
}
