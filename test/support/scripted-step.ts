/** A step whose questions are answered by a script, as askModel puts it together. */
import type { ActionKind } from '../../src/debugger/action.js';
import { grammarOf } from '../../src/debugger/language/grammar.js';
import type { Program } from '../../src/debugger/program.js';
import type { DebuggerState, EventKind, Frame } from '../../src/debugger/state.js';
import { type Constraint, greedy } from '../../src/scheduler/request.js';
import { askModel, type ModelReply } from '../../src/session/ask-model.js';
import { ScriptedService } from './scripted-service.js';

/** The question for a step without lines. */
export const stepOf = (program: Program, state: DebuggerState, kind: ActionKind) =>
  ({
    program,
    grammar: grammarOf(program),
    state,
    action: { kind, lines: [] },
    sampling: greedy,
    client: 'me',
    priority: 'interactive',
    fresh: false,
  }) as const;

/** The reply, how often the model was asked, and what its last answer was held to. script: its answers, in order. answersTold: not where all is told. */
export async function scriptedStep(
  program: Program,
  state: DebuggerState,
  kind: ActionKind,
  script: readonly (readonly number[])[],
  answersTold = false,
): Promise<ModelReply & { readonly asked: number; readonly constraint: Constraint | undefined }> {
  const service = new ScriptedService();
  service.script.push(...script);
  const limits = { maxContext: 512, maxAnswerTokens: 64 };
  const access = { modelDigest: 'm', ...limits, showsWorkings: true, answersTold, service };
  const reply = await askModel(access, stepOf(program, state, kind));
  const { requests } = service;
  return { ...reply, asked: requests.length, constraint: requests.at(-1)?.constraint };
}

/** A state of frames that are all shown. */
export const stateOf = (event: EventKind, frames: Frame[], value?: string): DebuggerState => ({
  event,
  frames,
  hiddenFrames: 0,
  ...(value === undefined ? {} : { value }),
});
