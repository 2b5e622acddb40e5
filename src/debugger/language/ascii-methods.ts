/** What methods of texts give that cut, pad and compare them, or change the case of their letters: for texts of ASCII, whatever escapes they are written with. */
import { wordToken, wordTokens } from './tokens.js';

/** Texts of which it is certain what Python takes for white, and for the end of a line. */
const plain = /^[ -~\t\n\r]*$/;
const white = /[ \t\n\r]/;
const lineEnd = /\r\n|[\n\r]/;

type Made = string | boolean | number | readonly string[];
/** What a method gives of a text and of what it is given; undefined where it is not told. */
type Method = (text: string, given: readonly (string | number)[]) => Made | undefined;

const areTexts = (given: readonly (string | number)[]): given is readonly string[] =>
  given.every((one) => typeof one === 'string');

/** The method of so many texts. */
const ofTexts =
  (least: number, most: number, make: (text: string, given: readonly string[]) => Made | undefined): Method =>
  (text, given) =>
    areTexts(given) && given.length >= least && given.length <= most ? make(text, given) : undefined;

const stripped = (isLeft: boolean, isRight: boolean): Method =>
  ofTexts(0, 1, (text, [characters]) => {
    const isTaken =
      characters === undefined
        ? (one: string): boolean => white.test(one)
        : (one: string): boolean => characters.includes(one);
    const points = Array.from(text);
    let [begin, end] = [0, points.length];
    while (isLeft && begin < end && isTaken(points[begin] as string)) begin += 1;
    while (isRight && begin < end && isTaken(points[end - 1] as string)) end -= 1;
    return points.slice(begin, end).join('');
  });

function linesOf(text: string): readonly string[] {
  const lines = text.split(lineEnd);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

const swapped = (letter: string): string =>
  letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();

/** Most characters of a width. */
const widest = 256;

/** A text made as wide as the first argument says, with the second one or spaces. */
const padded =
  (make: (text: string, missing: number, fill: string, width: number) => string): Method =>
  (text, [width, fill = ' ', ...others]) => {
    const isPlain =
      typeof width === 'number' && width <= widest && typeof fill === 'string' && fill.length === 1;
    return isPlain && others.length === 0
      ? make(text, Math.max(0, width - text.length), fill, width)
      : undefined;
  };

/** Where one text begins in another, perhaps from a place on; -1: nowhere. */
function placeIn(
  text: string,
  [sought, from = 0, ...others]: readonly (string | number)[],
): number | undefined {
  if (typeof sought !== 'string' || typeof from !== 'number' || from < 0 || others.length > 0)
    return undefined;
  return from > text.length ? -1 : text.indexOf(sought, from);
}

/** The pieces between separators, at most so many of these; without one, what stands between white characters. */
function split(text: string, [separator, most]: readonly (string | number)[]): Made | undefined {
  if (typeof separator === 'number' || typeof most === 'string' || separator === '') return undefined;
  if (separator === undefined) return text.split(white).filter((piece) => piece !== '');
  const pieces = text.split(separator);
  if (most === undefined || most < 0 || pieces.length <= most + 1) return pieces;
  return [...pieces.slice(0, most), pieces.slice(most).join(separator)];
}

const methods = new Map<number | undefined, Method>(
  Object.entries<Method>({
    count: ofTexts(1, 1, (text, [sought = '']) =>
      sought === '' ? undefined : text.split(sought).length - 1,
    ),
    startswith: ofTexts(1, 1, (text, [start = '']) => text.startsWith(start)),
    endswith: ofTexts(1, 1, (text, [end = '']) => text.endsWith(end)),
    find: (text, given) => placeIn(text, given),
    index: (text, given) => {
      const place = placeIn(text, given);
      return place === -1 ? undefined : place;
    },
    replace: ofTexts(2, 2, (text, [old = '', other = '']) =>
      old === '' ? undefined : text.split(old).join(other),
    ),
    removeprefix: ofTexts(1, 1, (text, [start = '']) =>
      text.startsWith(start) ? text.slice(start.length) : text,
    ),
    removesuffix: ofTexts(1, 1, (text, [end = '']) =>
      text.endsWith(end) ? text.slice(0, text.length - end.length) : text,
    ),
    strip: stripped(true, true),
    lstrip: stripped(true, false),
    rstrip: stripped(false, true),
    splitlines: ofTexts(0, 0, linesOf),
    upper: ofTexts(0, 0, (text) => text.toUpperCase()),
    lower: ofTexts(0, 0, (text) => text.toLowerCase()),
    swapcase: ofTexts(0, 0, (text) => text.replace(/[a-z]/gi, (one) => swapped(one))),
    capitalize: ofTexts(0, 0, (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()),
    title: ofTexts(0, 0, (text) =>
      text.replace(/[a-z]+/gi, (word) => word[0]?.toUpperCase() + word.slice(1).toLowerCase()),
    ),
    isdigit: ofTexts(0, 0, (text) => /^\d+$/.test(text)),
    isalpha: ofTexts(0, 0, (text) => /^[a-z]+$/i.test(text)),
    isalnum: ofTexts(0, 0, (text) => /^[a-z\d]+$/i.test(text)),
    isspace: ofTexts(0, 0, (text) => /^[ \t\n\r]+$/.test(text)),
    isupper: ofTexts(0, 0, (text) => /[A-Z]/.test(text) && !/[a-z]/.test(text)),
    islower: ofTexts(0, 0, (text) => /[a-z]/.test(text) && !/[A-Z]/.test(text)),
    ljust: padded((text, missing, fill) => text + fill.repeat(missing)),
    rjust: padded((text, missing, fill) => fill.repeat(missing) + text),
    // CPython puts the odd one on the left where the width is odd.
    center: padded((text, missing, fill, width) => {
      const left = Math.floor(missing / 2) + (missing & width & 1);
      return fill.repeat(left) + text + fill.repeat(missing - left);
    }),
    split: (text, given) => (given.length > 2 ? undefined : split(text, given)),
  }).map(([name, method]) => [wordToken(name), method]),
);
/** Methods of which training text tells nothing. */
const always = new Set(
  wordTokens(
    'upper lower swapcase capitalize title isdigit isalpha isalnum isspace isupper islower ljust rjust center',
  ),
);

/** Whether a token is the name of such a method. */
export const isTextMethod = (token: number): boolean => methods.has(token);

/** Whether training text never tells what a method gives. */
export const isUntaught = (name: number): boolean => always.has(name);

/** What a method gives of a text and these arguments; undefined where it raises, or is not told. */
export const madeOfText = (
  name: number,
  text: string,
  given: readonly (string | number)[],
): Made | undefined => (plain.test(text) ? methods.get(name)?.(text, given) : undefined);
