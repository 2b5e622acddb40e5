/**
 * Whether a target of an assignment looks where a target before it has assigned: targets are taken from left to right, each with the indices and objects that it names by then
 * (The Python Language Reference, section 7.2), so what the state tells of these is not what is meant.
 */
import { type Part, partTokens } from './parts.js';

type Code = ArrayLike<number>;

/** The name, and the attributes and items behind it, from the outside in. */
interface Place {
  readonly slot: number;
  readonly steps: readonly Part[];
}

/** targets: of a statement as it is written, from left to right. */
export function looksBack(code: Code, targets: readonly Part[]): boolean {
  const inTurn = targets.flatMap(assignedIn);
  return inTurn.some((target, at) => inTurn.slice(0, at).some((before) => isSeen(code, before, target)));
}

/** The names, attributes and items that a target is made of. */
export const assignedIn = (target: Part): Part[] =>
  target.kind === 'display' || target.kind === 'star' ? target.parts.flatMap(assignedIn) : [target];

/** The targets in a target with what is assigned to each; a display to which something else than one of as many parts is assigned stays whole. */
export function pairsOf(target: Part, value: Part): (readonly [target: Part, value: Part])[] {
  const isPairwise =
    target.kind === 'display' && value.kind === 'display' && target.parts.length === value.parts.length;
  return isPairwise
    ? target.parts.flatMap((inner, index) => pairsOf(inner, value.parts[index] as Part))
    : [[target, value]];
}

/** Whether what was assigned to `before` may be what `target` looks at. */
function isSeen(code: Code, before: Part, target: Part): boolean {
  if (target.kind === 'name') return false;
  if (before.kind === 'name') return partTokens(code, target).includes(code[before.first] as number);
  const [place, assigned] = [placeOf(code, target), placeOf(code, before)];
  if (place === undefined || assigned === undefined) return true;
  const isIndexSeen = place.steps.some(
    ({ kind, parts }) => kind === 'subscript' && holds(code, before, parts[1] as Part),
  );
  if (isIndexSeen) return true;
  const passed = place.steps[assigned.steps.length - 1];
  const isPassed = passed !== undefined && passed !== place.steps.at(-1);
  return isPassed && place.slot === assigned.slot && mayBeOne(code, passed, before);
}

/** undefined where something else than a name is at its root. */
function placeOf(code: Code, part: Part): Place | undefined {
  if (part.kind === 'name') return { slot: code[part.first] as number, steps: [] };
  if (part.kind !== 'attribute' && part.kind !== 'subscript') return undefined;
  const base = placeOf(code, part.parts[0] as Part);
  return base && { ...base, steps: [...base.steps, part] };
}

/** Whether an index looks at what was assigned, by whatever name, or calls something. */
const holds = (code: Code, before: Part, index: Part): boolean =>
  index.kind === 'call' ||
  mayBeOne(code, index, before) ||
  index.parts.some((part) => holds(code, before, part));

/** Whether both are items, or attributes of one name. */
const mayBeOne = (code: Code, part: Part, other: Part): boolean =>
  part.kind === other.kind &&
  (part.kind === 'subscript' || (part.kind === 'attribute' && code[part.end - 1] === code[other.end - 1]));
