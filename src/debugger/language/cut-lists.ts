/** Lists whose text is cut at its end: the items that they show, and the texts with others in their place. */
import { boundedRepr } from '../literals.js';
import { cutMark } from './values.js';

/** Where an item stands in a text. */
interface Place {
  readonly begin: number;
  readonly end: number;
}

/**
 * The text of a cut list with `item` in place of the one that these numbers lead to, counted from the beginning. undefined where that is not shown whole, and
 * where the text becomes shorter: what comes after its end is not known.
 */
export function withShownItem(text: string, path: readonly number[], item: string): string | undefined {
  let place: Place | undefined = { begin: 0, end: text.length };
  for (const [depth, number] of path.entries()) {
    place = placeOf(text, place.begin, number, depth === path.length - 1);
    if (place === undefined) return undefined;
  }
  const { begin, end } = place;
  const shown = text.slice(0, -cutMark.length);
  if (!text.endsWith(cutMark) || item.length < end - begin || item.endsWith(cutMark)) return undefined;
  return boundedRepr(`${shown.slice(0, begin)}${item}${shown.slice(end)}${cutMark}`);
}

/** The item of this number of a cut list, counted from the beginning; undefined where it is not shown whole. */
export function shownItem(text: string, number: number): string | undefined {
  const place = text.endsWith(cutMark) ? placeOf(text, 0, number, true) : undefined;
  return place && place.begin < place.end ? text.slice(place.begin, place.end) : undefined;
}

/** The item of this number of the list that begins here; isWhole: whether its end has to be shown. */
function placeOf(text: string, from: number, number: number, isWhole: boolean): Place | undefined {
  if (text[from] !== '[') return undefined;
  let [begin, left] = [from + 1, number];
  for (;;) {
    const end = endOf(text, begin);
    if (left === 0 && (end !== undefined || !isWhole)) return { begin, end: end ?? text.length };
    if (end === undefined || text[end] !== ',') return undefined;
    begin = end + 2;
    left -= 1;
  }
}

/** Where the item that begins here ends; undefined if that is not shown. */
function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === cutMark) return undefined;
    if (character === "'" || character === '"') {
      at += 1;
      while (at < text.length && text[at] !== character) at += text[at] === '\\' ? 2 : 1;
    } else if ('[({'.includes(character)) depth += 1;
    else if (depth === 0 && ',])}'.includes(character)) return at;
    else if (')]}'.includes(character)) depth -= 1;
  }
  return undefined;
}
