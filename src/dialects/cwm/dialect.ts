/**
 * Code World Model's frame format as a dialect (docs/cwm.md): the program and the frames so far are the prompt, and the next frame is the answer, held
 * to what may follow by the control flow of the program.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Action } from '../../debugger/action.js';
import { grammarBytes } from '../../debugger/language/automaton.js';
import { hiddenArguments } from '../../debugger/language/encode.js';
import type { QuestionGrammar } from '../../debugger/language/grammar.js';
import type { Program } from '../../debugger/program.js';
import type { DebuggerState } from '../../debugger/state.js';
import { type Successors, successors } from '../../debugger/successors.js';
import { ForetraceError } from '../../errors.js';
import type { ModelReply, Question } from '../../session/ask-model.js';
import { type Dialect, unanswerable } from '../../session/dialect.js';
import {
  answerLogProbability,
  assertFits,
  type ModelAccess,
  submitQuestion,
} from '../../session/submit-question.js';
import { deltaOf, partsOf } from './delta.js';
import { formsOf, goingOn, type Place, placesOf, sourceLine } from './forms.js';
import { frameGrammar } from './frame-grammar.js';
import { beginningOf, frameTokens, keyframe } from './prompt.js';
import { FrameTrail } from './trail.js';
import type { Vocabulary } from './vocabulary.js';
import { FrameReader, type WrittenFrame } from './written-frame.js';

const keptGrammarBytes = 128 * 1024 * 1024;

export class CwmDialect implements Dialect {
  readonly name = 'cwm';
  readonly version = 1;
  private readonly beginnings = new WeakMap<Program, readonly number[]>();
  private readonly grammars = new LRUCache<string, QuestionGrammar>({
    maxSize: keptGrammarBytes,
    sizeCalculation: ({ data }) => grammarBytes(data),
  });

  constructor(private readonly vocabulary: Vocabulary) {}

  /** The next event; and from a call its return, over all that is in between, which the format has without saying so. */
  answers(state: DebuggerState | null, { kind }: Action): boolean {
    return kind === 'step_into' || (kind === 'step_return' && state?.event === 'call');
  }

  async ask(access: ModelAccess, question: Question): Promise<ModelReply> {
    const { program, state, action, onPart } = question;
    if (!this.answers(state, action)) throw unanswerable(action, this);
    const next = action.kind === 'step_return' ? returns(program, state) : successors(program, state);
    if (state === null && program.hidesArguments) throw hiddenArguments(program);
    const beginning = this.beginning(program);
    const trail = this.trail(access, program, state);
    const length = beginning.length + (trail?.length ?? 0);
    assertFits(access, length);
    const grammar = this.grammar(program, state, next);
    assertEnds(access, length, grammar);
    const tokens = [...beginning];
    trail?.addTo(tokens);
    const prompt = { tokens: Int32Array.from(tokens), programTokens: beginning.length, grammar };
    const reader = new FrameReader(this.vocabulary);
    const result = await submitQuestion(access, prompt, question, (token, logProbability) =>
      reader.push(token, logProbability),
    );
    const written = reader.finish();
    const told = deltaOf(program, state, action, next, written, this.placeOf(program, state, next, written));
    const delta = { ...told, state: { ...told.state, trail: new FrameTrail(trail, reader.written) } };
    if (onPart) for (const part of partsOf(delta)) onPart(part);
    return { delta, probability: Math.exp(answerLogProbability(result)), result };
  }

  private beginning(program: Program): readonly number[] {
    let tokens = this.beginnings.get(program);
    if (tokens === undefined) {
      tokens = beginningOf(this.vocabulary, program);
      this.beginnings.set(program, tokens);
    }
    return tokens;
  }

  /** The way to a state where it is known and still fits, else the state alone, as if by a way of its own. */
  private trail(access: ModelAccess, program: Program, state: DebuggerState | null): FrameTrail | null {
    if (state === null) return null;
    const { trail } = state;
    const room = access.maxContext - access.maxAnswerTokens - this.beginning(program).length;
    if (trail instanceof FrameTrail && trail.length <= room) return trail;
    const tokens = keyframe(program, state).flatMap((frame) => frameTokens(this.vocabulary, frame));
    return new FrameTrail(null, Int32Array.from(tokens));
  }

  private grammar(program: Program, state: DebuggerState | null, next: Successors): QuestionGrammar {
    const forms = formsOf(program, state, next);
    const key = `cwm ${createHash('sha256').update(JSON.stringify(forms)).digest('base64url')}`;
    let grammar = this.grammars.get(key);
    if (grammar === undefined) {
      const { data, start } = frameGrammar(this.vocabulary, forms);
      grammar = { key, data, start: { state: start, frames: new Int32Array(0) } };
      this.grammars.set(key, grammar);
    }
    return grammar;
  }

  /** What a frame means, by the text of its line; of several lines with that text the next one. */
  private placeOf(
    program: Program,
    state: DebuggerState | null,
    next: Successors,
    { event, line, locals }: WrittenFrame,
  ): Place {
    const text = line.join();
    const places = placesOf(next, event, locals.keys()).filter(
      (place) => this.vocabulary.encodeLine(sourceLine(program, place.line)).join() === text,
    );
    const here = goingOn(state, next)?.line ?? 0;
    const place = places.find((one) => one.line > here) ?? places[0];
    if (place !== undefined) return place;
    throw new ForetraceError('internal', 'the grammar let a line pass that the frame cannot have');
  }
}

/** A frame names all locals that are sure to be there. @throws ForetraceError context_too_long */
function assertEnds(
  { maxAnswerTokens, maxContext }: ModelAccess,
  length: number,
  { data, start }: QuestionGrammar,
): void {
  const room = Math.min(maxAnswerTokens, maxContext - length);
  const least = data.stateDistance[start.state] ?? 0;
  if (least <= room) return;
  throw new ForetraceError(
    'context_too_long',
    'the next frame does not fit behind the program and the frames before it',
    {
      expected: `a frame of at most ${room} tokens`,
      actual: `at least ${least}`,
    },
  );
}

/** The returns of the current frame. */
function returns(program: Program, state: DebuggerState | null): Successors {
  const next = successors(program, state);
  const scope = state === null ? undefined : program.scopeOf(state);
  const scopes = scope === undefined ? program.scopes : [scope];
  return { ...next, all: scopes.map((one) => ({ event: 'return', scope: one, lines: one.lines })) };
}
