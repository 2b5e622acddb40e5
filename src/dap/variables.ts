/** What a client shows of a state: the scopes of a frame, and variables that open into their parts. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { isGiven } from '../wire/given.js';
import { eventNumbers, originNumbers, type WireAnswer, type WireFrame } from '../wire/messages.js';
import { eventName, originName } from '../wire/names.js';
import { type Part, partsOf } from './parts.js';

/** Something with a reference, by which a client asks for what is in it. */
export interface Container {
  readonly variables: () => readonly NamedValue[];
  /** The locals of the current frame: they can be given other values. */
  readonly isEditable: boolean;
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
  /** Python for it in the current frame; undefined: there is none. */
  readonly expression?: string | undefined;
  /** Whether the value is Python's: such a one may have parts. */
  readonly isPython: boolean;
}

/** Gives references to containers. */
export type Refer = (container: Container) => number;

const percent = (probability: number): string => `${Math.round(probability * 1000) / 10} %`;

/** How sure the answer is of where it stands; undefined where nothing was predicted. */
export const certaintyOf = ({ origin, probability }: WireAnswer): string | undefined =>
  origin === originNumbers.given ? undefined : percent(probability.event * probability.line);

const localsOf = (frame: WireFrame | undefined, isCurrent: boolean): NamedValue[] =>
  (frame?.locals ?? []).map(({ name, value }) => ({
    name,
    value,
    expression: isCurrent ? name : undefined,
    isPython: true,
  }));

/** What the current frame gives back or is left by. */
function outcomeOf({ state }: WireAnswer): NamedValue[] {
  if (!isGiven(state.value)) return [];
  const name = state.event === eventNumbers.exception ? 'raised' : 'returned';
  return [{ name, value: state.value, isPython: true }];
}

/** How the state was found, and how sure each part of it is. */
function predictionOf(answer: WireAnswer): NamedValue[] {
  const { probability, origin, horizon } = answer;
  const said = (name: string, value: string): NamedValue => ({ name, value, isPython: false });
  const locals = Object.entries(probability.locals).map(([name, one]) => said(name, percent(one)));
  return [
    said('event', eventName(answer.state)),
    said('origin', originName(answer)),
    ...(horizon > 0 ? [said('events passed', String(horizon))] : []),
    ...(origin === originNumbers.given
      ? []
      : [
          said('probability of the event', percent(probability.event)),
          said('probability of the line', percent(probability.line)),
        ]),
    ...(isGiven(probability.value) ? [said('probability of the value', percent(probability.value))] : []),
    ...locals.map(({ name, value }) => said(`probability of ${name}`, value)),
  ];
}

/**
 * The scopes of a frame of the current answer (0: the outermost that is known). What is in them is read when it is asked for: a local
 * that is given another value leaves the scope as it is.
 */
export function scopesOf(current: () => WireAnswer, frameIndex: number, refer: Refer): DebugProtocol.Scope[] {
  const { state } = current();
  const isCurrent = frameIndex === state.frames.length - 1;
  if (state.frames[frameIndex] === undefined) return [];
  const scope = (
    name: string,
    variables: () => NamedValue[],
    more: Partial<DebugProtocol.Scope & Container> = {},
  ) => {
    const { isEditable = false, ...shown } = more;
    return { name, variablesReference: refer({ variables, isEditable }), expensive: false, ...shown };
  };
  const locals = scope('Locals', () => localsOf(current().state.frames[frameIndex], isCurrent), {
    isEditable: isCurrent,
    presentationHint: 'locals',
  });
  if (!isCurrent) return [locals];
  const prediction = scope('Prediction', () => predictionOf(current()));
  if (!isGiven(state.value)) return [locals, prediction];
  const name = state.event === eventNumbers.exception ? 'Exception' : 'Return value';
  return [scope(name, () => outcomeOf(current()), { presentationHint: 'returnValue' }), locals, prediction];
}

const partVariable = ({ name, value, expression }: Part, of: string | undefined): NamedValue => ({
  name,
  value,
  expression: of === undefined ? undefined : expression(of),
  isPython: true,
});

/** A reference to the parts of a value; 0 where it shows none. */
export function referenceTo(value: string, expression: string | undefined, refer: Refer): number {
  const parts = partsOf(value);
  if (parts.length === 0) return 0;
  return refer({
    variables: () => parts.map((part) => partVariable(part, expression)),
    isEditable: false,
  });
}

export function shownVariables({ variables }: Container, refer: Refer): DebugProtocol.Variable[] {
  return variables().map(({ name, value, expression, isPython }) => ({
    name,
    value,
    variablesReference: isPython ? referenceTo(value, expression, refer) : 0,
    ...(expression === undefined ? {} : { evaluateName: expression }),
    ...(isPython ? {} : { presentationHint: { attributes: ['readOnly'] } }),
  }));
}
