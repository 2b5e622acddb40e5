/** What methods of texts come to that only compare characters and put them together (docs/trace-language.md, section 9). */
import { isText, quotes } from './displays.js';
import { listed } from './items.js';
import { integerOf } from './literal-values.js';
import type { Part } from './parts.js';
import type { Plan, Told, Value } from './plan.js';
import { charToken, textTokens, wordToken, wordTokens } from './tokens.js';

const quote = quotes[0] as number;
const [isTrue, isFalse] = wordTokens('True False') as [number, number];
/** Most characters of what is made, and most pieces. */
const longest = 96;

/** The inside of a text, a character for each token. */
const spelled = (text: Value): string => String.fromCharCode(...text.slice(1, -1));
const space = String.fromCharCode(charToken(' '));

const written = (text: string): Value => [quote, ...Array.from(text, (one) => one.charCodeAt(0)), quote];
const decided = (holds: boolean): Value => [holds ? isTrue : isFalse];

type Method = (text: string, given: readonly string[], most: number | undefined) => Value | undefined;

/** The method that takes so many texts at most, and so many at least. */
const taking =
  (least: number, most: number, make: Method): Method =>
  (text, given, limit) =>
    given.length < least || given.length > most ? undefined : make(text, given, limit);

const stripping = (isLeft: boolean, isRight: boolean): Method =>
  taking(0, 1, (text, [characters = space]) => {
    let [begin, end] = [0, text.length];
    while (isLeft && begin < end && characters.includes(text[begin] as string)) begin += 1;
    while (isRight && begin < end && characters.includes(text[end - 1] as string)) end -= 1;
    return written(text.slice(begin, end));
  });

/** The pieces between separators, at most so many of these; without one, what stands between spaces. */
function piecesOf(text: string, separator: string | undefined, most = Number.POSITIVE_INFINITY): string[] {
  if (separator === undefined) return text.split(space).filter((piece) => piece !== '');
  const pieces = text.split(separator);
  return pieces.length <= most + 1 ? pieces : [...pieces.slice(0, most), pieces.slice(most).join(separator)];
}

const methods = new Map<number | undefined, Method>(
  Object.entries<Method>({
    count: taking(1, 1, (text, [sought = '']) =>
      sought === '' ? undefined : textTokens(String(text.split(sought).length - 1)),
    ),
    startswith: taking(1, 1, (text, [start = '']) => decided(text.startsWith(start))),
    endswith: taking(1, 1, (text, [end = '']) => decided(text.endsWith(end))),
    replace: taking(2, 2, (text, [old = '', other = '']) =>
      old === '' ? undefined : written(text.split(old).join(other)),
    ),
    strip: stripping(true, true),
    lstrip: stripping(true, false),
    rstrip: stripping(false, true),
    split: taking(0, 1, (text, [separator], most) =>
      separator === '' ? undefined : listed(piecesOf(text, separator, most).map(written)),
    ),
  }).map(([name, method]) => [wordToken(name), method]),
);
const split = wordToken('split');

/** `text.split(',')`, `text.replace('a', 'b')`: where the texts are told, no question is needed. */
export function textPlan(code: ArrayLike<number>, { kind, parts }: Part, told: Told): Plan | undefined {
  const [callee, ...given] = kind === 'call' ? parts : [];
  const name = callee?.kind === 'attribute' ? code[callee.end - 1] : undefined;
  const method = methods.get(name);
  const text = method && told((callee as Part).parts[0] as Part);
  if (method === undefined || text === undefined || !isText(text)) return undefined;
  const values = given.map(told);
  const most = name === split && values.length === 2 ? integerOf(values[1] ?? []) : undefined;
  const texts = most === undefined ? values : values.slice(0, 1);
  if (!texts.every((one): one is Value => one !== undefined && isText(one))) return undefined;
  if (most !== undefined && most < 0) return undefined;
  const value = method(spelled(text), texts.map(spelled), most);
  return value === undefined || value.length > longest + 2 ? undefined : { questions: 0, value: () => value };
}
