/**
 * A caller's line with the values that its calls gave in their place: behind a `return` the state has them all, in the order of the calls. Only where the
 * text tells which call gave which.
 */
import { isImmutable } from '../frozen.js';
import { lineTokens, type Program, type Scope } from '../program.js';
import type { DebuggerState, Frame } from '../state.js';
import { gotLimit } from './encode.js';
import { toldIn } from './frame-literals.js';
import { goingOn } from './here.js';
import { hidden, inPlace, listed, spliced, substituted, taken, targetOf } from './items.js';
import { iterated } from './iterated.js';
import { changesNothing } from './known-calls.js';
import { isConstructor, type LineCall, type LineCalls, lineCalls } from './line-calls.js';
import { lineParts } from './line-parts.js';
import { isLiteral } from './literal-values.js';
import type { Part } from './parts.js';
import { wordToken } from './tokens.js';
import { encodeValue } from './values.js';

const forWord = wordToken('for');

/** A caller's line behind one of its calls. */
export interface ReturnedLine {
  /** Its code tokens, with the values in place of the calls if they are literals. */
  readonly code: readonly number[];
  /** Canonical repr of what the line computes, where that is what the last call gave. */
  readonly value?: string;
  /** The call that comes next; the line is not at its last one. */
  readonly next?: LineCall;
}

/**
 * The line of the caller behind a `return`, its calls so far replaced; undefined for other states, where the calls cannot be told, and where a value that is
 * needed is no literal. `worked`: the code tokens of the line, where some of its expressions were worked out.
 */
export function returnedLine(
  program: Program,
  state: DebuggerState,
  worked?: readonly number[],
): ReturnedLine | undefined {
  const { event, value: last = '' } = state;
  const frame = event === 'return' ? goingOn(state) : undefined;
  if (frame === undefined) return undefined;
  const code = withItems(program, frame, worked ?? [...lineTokens(program, frame.line)]);
  const found = callsOf(program, frame, code);
  const texts = [...frame.gots, last];
  if (found === undefined || found.calls.length < texts.length || texts.length > gotLimit) return undefined;
  // A class gives the object that its `__init__` was given, which of earlier calls is not there any more.
  const made = found.calls.slice(0, texts.length).map(({ callee }) => isConstructor(callee));
  if (made.slice(0, -1).includes(true)) return undefined;
  if (made.at(-1)) {
    const object = objectOf(state, (found.calls[texts.length - 1] as LineCall).callee);
    if (object === undefined) return undefined;
    texts[texts.length - 1] = object;
  }
  const values = texts.map((text) => encodeValue(program, text));
  // A list that a call gave may be one that a later call has changed.
  const isKnown = values.every(isLiteral) && texts.slice(0, -1).every(isImmutable);
  const replaced = isKnown ? withValuesOf(found.calls, values, code) : undefined;
  const next = found.calls[texts.length];
  if (next !== undefined) {
    const again = replaced && callsOf(program, frame, replaced)?.calls[0];
    return replaced && again ? { code: replaced, next: again } : { code, next };
  }
  if (!found.isWhole) return undefined;
  const isLoop = code[0] === forWord;
  if (!isLoop && found.calls.at(-1)?.part === found.computed) return { code, value: texts.at(-1) as string };
  return replaced && { code: replaced };
}

/** What the `__init__` that returns leaves of its object, under the name that it has all along. */
function objectOf({ frames }: DebuggerState, { positional, keptParameters }: Scope): string | undefined {
  const [name] = positional;
  return name !== undefined && keptParameters.has(name) ? frames.at(-1)?.locals.get(name) : undefined;
}

/** The calls of a line, and the part whose value it shows. */
function callsOf(
  program: Program,
  frame: Frame,
  code: readonly number[],
): (LineCalls & { readonly computed: Part | undefined }) | undefined {
  // What a loop goes over is made before its first pass.
  const line = code[0] === forWord && frame.its.at(-1) !== 0 ? undefined : lineParts(code);
  const [computed] = line?.values ?? [];
  return line && { ...lineCalls(program, frame, code, [...line.values, ...line.inner]), computed };
}

/**
 * The code tokens of a line with a display in place of each list comprehension that calls the same for every item, if the items are told and what is called
 * cannot change them.
 */
function withItems(program: Program, frame: Frame, code: readonly number[]): readonly number[] {
  const line = code.includes(forWord as number) ? lineParts(code) : undefined;
  const found = line && comprehensions([...line.values, ...line.inner]);
  if (found === undefined || found.length === 0) return code;
  const quiet = new Set(program.scopes.filter(leavesOthersAlone).map(({ name }) => program.slots.get(name)));
  const places = new Map<number, { until: number; tokens: number[] }>();
  for (const part of found) {
    const [iterable, item, ...conditions] = part.parts as [Part, Part, ...Part[]];
    const target = hidden(code, part)?.size === 0 ? targetOf(code, part) : undefined;
    const items = iterated(code, iterable, (inner) => toldIn(program, frame, code, inner));
    const values = target && items?.map((value) => taken(target, value));
    const isPlain = callees(item).every(
      (callee) => quiet.has(code[callee.first]) || changesNothing(code, callee),
    );
    if (conditions.length > 0 || !isPlain || !values?.every((value) => value !== undefined)) continue;
    const written = code.slice(item.begin, item.until);
    const tokens = listed(values.map((value) => substituted(written, value)));
    places.set(part.first, { until: part.end, tokens });
  }
  return spliced(code, 0, code.length, (at) => places.get(at));
}

/** The list comprehensions that are no parts of others. */
const comprehensions = (parts: readonly Part[]): Part[] =>
  parts.flatMap((part) => (part.kind === 'comprehension' ? [part] : comprehensions(part.parts)));

/** What is called in a part. */
const callees = ({ kind, parts }: Part): Part[] => [
  ...(kind === 'call' ? [parts[0] as Part] : []),
  ...parts.flatMap(callees),
];

/** Whether a function changes no object that exists when it is called, but those behind its parameters. */
function leavesOthersAlone({
  flow,
  lines,
  isPlain,
  isGenerator,
  names,
  namesAtCall,
  parameters,
}: Scope): boolean {
  const isOwn = (name: string): boolean =>
    names.includes(name) && (parameters.has(name) || !namesAtCall.includes(name));
  return (
    isPlain &&
    !isGenerator &&
    lines.every((line) => {
      const effects = flow?.lines.get(line)?.effects;
      return effects?.quiet === true && [...effects.updates].every(isOwn);
    })
  );
}

/** Code tokens with values in place of the first calls, one for each value. */
function withValuesOf(
  calls: readonly LineCall[],
  values: readonly number[][],
  code: readonly number[],
): number[] {
  const places = new Map(
    values.map((value, index) => {
      const { begin, until } = (calls[index] as LineCall).part;
      return [begin, { until, tokens: inPlace(value, code[until]) }];
    }),
  );
  return spliced(code, 0, code.length, (at) => places.get(at));
}
