/**
 * The next item of a loop over a list that its body may change: the loop counts, and takes what is at that place by then. What it goes over must be
 * a name, for another expression gives a list that nobody sees.
 */
import { valueOfName } from './language/constants.js';
import { shownItem } from './language/cut-lists.js';
import { itemsIn } from './language/displays.js';
import { joined } from './language/items.js';
import { isNamed, type Part } from './language/parts.js';
import type { Value } from './language/plan.js';
import { charToken, special, textTokens, wordToken } from './language/tokens.js';
import { encodeValue } from './language/values.js';
import { nameOfSlot, type Program } from './program.js';
import type { Running } from './running.js';
import type { Frame } from './state.js';

const [square, dots] = [charToken('['), textTokens('...').join()];
const enumerate = wordToken('enumerate');

/** Slot of the name of such a list; `isCounted`: the loop is over `enumerate` of it. */
export interface LiveList {
  readonly slot: number;
  readonly isCounted: boolean;
}

/** The list that a loop goes over, if it is a name. */
export function liveList(code: ArrayLike<number>, iterable: Part): LiveList | undefined {
  const { kind, first, parts } = iterable;
  const isCounted = kind === 'call' && code[first] === enumerate && parts.length === 2;
  const list = isCounted ? (parts[1] as Part) : iterable;
  return list.kind === 'name' && isNamed(list) ? { slot: code[list.first] as number, isCounted } : undefined;
}

/** What the head of the loop binds behind so many passes; 'over': nothing; undefined where the frame does not show that. */
export function liveItem(
  program: Program,
  { frame }: Running,
  { slot, isCounted }: LiveList,
  passes: number,
): Value | 'over' | undefined {
  const value = valueOfName(program, frame, slot);
  if (value === undefined || value[0] !== square) return undefined;
  const items = value.includes(special.cut) ? undefined : itemsIn(value);
  const item = items ? items[passes] : itemOfCut(program, frame, slot, passes);
  if (item === undefined) return passes === items?.length ? 'over' : undefined;
  // What holds what holds it is not written out there.
  if (item.join().includes(dots)) return undefined;
  return isCounted ? joined([textTokens(`${passes}`), item]) : item;
}

function itemOfCut(program: Program, { locals }: Frame, slot: number, number: number): Value | undefined {
  const item = shownItem(locals.get(nameOfSlot(program, slot)) ?? '', number);
  return item === undefined ? undefined : encodeValue(program, item);
}
