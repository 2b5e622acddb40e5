/** List comprehensions with their items in place of them, where the text tells what they go over. */
import type { Program, Scope } from '../program.js';
import type { Frame } from '../state.js';
import { toldIn } from './frame-literals.js';
import { hidden, listed, mostItems, spliced, substituted, taken, targetOf } from './items.js';
import { iterated } from './iterated.js';
import { changesNothing } from './known-calls.js';
import { lineParts } from './line-parts.js';
import type { Part } from './parts.js';
import { wordToken } from './tokens.js';

const forWord = wordToken('for');

/**
 * The code tokens of a line with a display in place of each list comprehension that calls the same for every item, if the items are told and what is called
 * cannot change them.
 */
export function withItems(program: Program, frame: Frame, code: readonly number[]): readonly number[] {
  const isPlain = (item: Part): boolean => {
    const quiet = new Set(
      program.scopes.filter(leavesOthersAlone).map(({ name }) => program.slots.get(name)),
    );
    return callees(item).every((callee) => quiet.has(code[callee.first]) || changesNothing(code, callee));
  };
  return opened(program, frame, code, mostItems, (item) =>
    isPlain(item) ? Number.POSITIVE_INFINITY : undefined,
  );
}

/** The same with a display of the first item alone, whatever is called: what comes first in the line is the same. */
export function withFirstItems(program: Program, frame: Frame, code: readonly number[]): readonly number[] {
  const found = opened(program, frame, code, Number.POSITIVE_INFINITY, () => 1);
  return found.length === code.length ? found : withFirstItems(program, frame, found);
}

/** longest: most items that are looked at; shown: how many of them are shown, given what is computed of each. */
function opened(
  program: Program,
  frame: Frame,
  code: readonly number[],
  longest: number,
  shown: (item: Part) => number | undefined,
): readonly number[] {
  const line = code.includes(forWord as number) ? lineParts(code) : undefined;
  const found = line && comprehensions([...line.values, ...line.inner]);
  if (found === undefined || found.length === 0) return code;
  const places = new Map<number, { until: number; tokens: number[] }>();
  for (const part of found) {
    const [iterable, item, ...conditions] = part.parts as [Part, Part, ...Part[]];
    const count = conditions.length > 0 ? undefined : shown(item);
    if (count === undefined) continue;
    const target = hidden(code, part)?.size === 0 ? targetOf(code, part) : undefined;
    const items = iterated(code, iterable, (inner) => toldIn(program, frame, code, inner), longest);
    const values = target && items?.slice(0, count).map((value) => taken(target, value));
    if (!values?.every((value) => value !== undefined)) continue;
    const written = code.slice(item.begin, item.until);
    places.set(part.first, {
      until: part.end,
      tokens: listed(values.map((value) => substituted(written, value))),
    });
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
