/** What the store holds: answers to questions about states, each with how sure the model was. */
import { hash } from 'node:crypto';
import type { Action } from '../debugger/action.js';
import type { FieldProbability } from '../debugger/language/decoded.js';
import type { DebuggerState, Frame } from '../debugger/state.js';

/** The answer to one question. */
export interface Transition {
  /** The state the action leads to. */
  readonly state: DebuggerState;
  readonly probability: FieldProbability;
  /** Of the whole answer: the product over its tokens, 0..1. */
  readonly whole: number;
}

/** An answer with the names that chains are followed by. */
export interface Edge {
  readonly action: Action;
  readonly transition: Transition;
  /** Key of the state the action leads to. */
  readonly to: string;
  /** Predicted before anybody asked. */
  readonly isAhead: boolean;
}

/** What determines the answers besides program, state and action. */
export interface AnswererIdentity {
  /** Digest of the weights. */
  readonly model: string;
  /** Format of prompts and answers. */
  readonly dialect: string;
  /** Version of that format. */
  readonly language: number | string;
  /** Whatever else has a say: limits of an answer, the arithmetic, the release of this software. */
  readonly setting: string;
}

export interface SamplingIdentity {
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
}

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 32);

/** Names all questions whose answers may be joined to one walk: one answerer, one program, one sampling. 192 bits. */
export function worldKey(
  { model, dialect, language, setting }: AnswererIdentity,
  programDigest: string,
  { temperature, topP, seed }: SamplingIdentity,
): string {
  const draw = temperature === 0 ? [] : [temperature, topP, seed];
  return digest(JSON.stringify([model, dialect, language, setting, programDigest, draw]));
}

const frameText = ({ line, locals, its, gots, lineBefore, inFlight }: Frame): unknown => [
  line,
  [...locals].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  its,
  gots,
  ...(lineBefore === undefined ? [] : [lineBefore]),
  ...(inFlight === undefined ? [] : [[inFlight.value, inFlight.line, inFlight.isHandled]]),
];

/**
 * Names a state: its keyframe with *all* frames, those too that a prompt leaves out, because answers carry them on. `null` is the
 * state before the entry. 192 bits.
 */
export function stateKey(state: DebuggerState | null): string {
  if (state === null) return 'entry';
  let key = stateKeys.get(state);
  if (key === undefined) {
    const { event, value, hiddenFrames, frames, trail } = state;
    const text = [event, value ?? null, hiddenFrames, frames.map(frameText), ...(trail ? [trail.key] : [])];
    key = digest(JSON.stringify(text));
    stateKeys.set(state, key);
  }
  return key;
}

/** States never change, and stored answers hand out the same ones over and over. */
const stateKeys = new WeakMap<DebuggerState, string>();

/** Names an action: its kind, and its lines in ascending order. */
export const actionKey = ({ kind, lines }: Action): string =>
  lines.length === 0 ? kind : `${kind} ${lines.join(' ')}`;

const textBytes = (text: string): number => 2 * text.length + 24;
/** Map, list and object headers of a frame, and of one local beside its text. */
const frameHeaders = 320;
const localBytes = 64;

/** Upper estimate of the memory a frame takes. */
export function frameBytes({ locals, its, gots, inFlight }: Frame): number {
  let bytes = frameHeaders + 8 * its.length;
  for (const [, value] of locals) bytes += localBytes + textBytes(value);
  for (const value of gots) bytes += textBytes(value);
  if (inFlight !== undefined) bytes += localBytes + textBytes(inFlight.value);
  return bytes;
}

/** Upper estimate of the memory a state takes beside its frames. */
export const stateOverhead = ({ value, frames, trail }: DebuggerState): number =>
  128 + 8 * frames.length + (value === undefined ? 0 : textBytes(value)) + (trail?.bytes ?? 0);

/** Upper estimate of the memory a state takes. Frames that several states share are counted in each. */
export function stateBytes(state: DebuggerState): number {
  let bytes = stateOverhead(state);
  for (const frame of state.frames) bytes += frameBytes(frame);
  return bytes;
}

/** Upper estimate of the memory a transition takes, its state included. */
export const transitionBytes = ({ state, probability }: Transition): number =>
  stateBytes(state) + 160 + localBytes * probability.locals.size;
