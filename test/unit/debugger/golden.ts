/** The golden files of the trace language, written by `python -m foretrace.language.golden`. */
import { readFileSync } from 'node:fs';
import type { ActionKind } from '../../../src/debugger/action.js';
import type { DebuggerState, EventKind, Frame } from '../../../src/debugger/state.js';

export interface GoldenScope {
  firstLine: number;
  lastLine: number;
  isGenerator: boolean;
  names: string[];
  lines: number[];
  callLines: number[];
  loops: Record<string, number[]>;
}
export interface GoldenProgram {
  source: string;
  call: string;
  error?: string;
  tokens: number[];
  codeLines: number[];
  slots: Record<string, number>;
  scopes: GoldenScope[];
}
export interface GoldenValues {
  source: string;
  call: string;
  cases: { text: string; tokens: number[] }[];
}
export interface GoldenFrame {
  event?: EventKind;
  line: number;
  its: number[];
  locals: Record<string, string>;
  gots: string[];
  value?: string;
}
export interface GoldenTransition {
  stack: GoldenFrame[];
  action: ActionKind;
  lines?: number[];
  common: number;
  /** What the condition on the line about to run came to, where the delta says so. */
  holds?: boolean;
  keyframe: number[];
  /** Between keyframe and delta: the line about to run, the action. */
  question: number[];
  delta: number[];
  next: GoldenFrame[];
}
export interface GoldenTransitions {
  source: string;
  call: string;
  cases: GoldenTransition[];
}

export interface GoldenPatches {
  source: string;
  call: string;
  changes: { before: string; after: string; tokens: number[] }[];
  applied: {
    before: string;
    patches: { path: number[][]; operation: number; operand: number[] }[];
    after: string;
  }[];
}

export interface GoldenExpressions {
  source: string;
  call: string;
  /** Without tokens: refused with `error`. */
  cases: { expression: string; tokens?: number[]; error?: string }[];
}
export interface GoldenAnswers {
  source: string;
  call: string;
  cases: {
    stack: GoldenFrame[];
    keyframe: number[];
    expression: string;
    tokens: number[];
    outcome: 'value' | 'exception';
    text: string;
    answer: number[];
  }[];
}
export interface GoldenHidden {
  source: string;
  call: string;
  error?: string;
  hidden: boolean;
  tokens: number[];
  slots: Record<string, number>;
}

/** [kind, first, end, parts, slots that it binds] */
export type GoldenPart = [string, number, number, GoldenPart[], number[]?];
export interface GoldenWorkings {
  trees: {
    code: number[];
    line: { values: GoldenPart[]; inner: GoldenPart[] } | null;
    expression: GoldenPart | null;
  }[];
  programs: {
    source: string;
    call: string;
    cases: {
      stack: GoldenFrame[];
      action?: ActionKind;
      expression?: string;
      /** In the order in which CPython was asked; without an answer where none can be told. */
      questions: { tokens: number[]; answer: number[] | null; written?: number[] }[];
      /** The whole question, here line and action or expression. */
      tokens: number[];
    }[];
  }[];
}

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../golden/language/${name}.json`, import.meta.url), 'utf8')) as T;

export const goldenPrograms = (): GoldenProgram[] => read('programs');
export const goldenValues = (): GoldenValues[] => read('values');
export const goldenTransitions = (): GoldenTransitions[] => read('transitions');
export const goldenPatches = (): GoldenPatches[] => read('patches');

export const goldenExpressions = (): GoldenExpressions[] => read('expressions');
export const goldenAnswers = (): GoldenAnswers[] => read('answers');
export const goldenWorkings = (): GoldenWorkings => read('workings');
export const goldenHidden = (): GoldenHidden[] => read('hidden');

/** A golden stack as a state; an empty stack is the state before the entry. */
export function stateOf(stack: readonly GoldenFrame[]): DebuggerState {
  const frames: Frame[] = stack.map(({ line, its, locals, gots }) => ({
    line,
    its,
    locals: new Map(Object.entries(locals)),
    gots,
  }));
  const current = stack.at(-1);
  const value = current?.value === undefined ? {} : { value: current.value };
  return { event: current?.event ?? 'call', frames, hiddenFrames: 0, ...value };
}
