/** F-strings that call functions of the program, written as what they come to is put together: `f"{a}: {f(x)}"` as `''.join([str(a), ': ', str(f(x))])`. */
import { type Program, perText } from '../program.js';
import { quotes, withCommas } from './displays.js';
import { fStringPieces, fStringsIn, type Piece } from './f-strings.js';
import { withPartAs } from './items.js';
import { changesNothing, mayCall } from './known-calls.js';
import { lineParts } from './line-parts.js';
import type { Part } from './parts.js';
import type { Value } from './plan.js';
import { literalRepr } from './strings.js';
import { charTokens, special, wordToken, wordTokens } from './tokens.js';
import { encodeValue } from './values.js';

const [opening, closing, square, squareEnd, dot] = charTokens('()[].') as [
  number,
  number,
  number,
  number,
  number,
];
const [brace, braceEnd] = charTokens('{}') as [number, number];
const [str, join] = wordTokens('str join') as [number, number];
const [print, type] = [wordToken('print'), wordToken('type')];
/** What may write values otherwise than `str` does. */
const writesOtherwise = perText(
  ({ source, bound }) => /__format__|\bEnum\b|\bIntFlag\b/.test(source) || bound.has('str'),
);

/** Code tokens of a line, in which other f-strings stay as they are. */
export function withTextsSpelledOut(program: Program, written: readonly number[]): readonly number[] {
  if (!written.includes(special.fstring) || written[0] === print || writesOtherwise(program)) return written;
  let code = written;
  for (;;) {
    const line = lineParts(code);
    const found =
      line && [...line.values, ...line.inner].flatMap(fStringsIn).find((part) => calls(program, code, part));
    const spelled = found && spelledOut(program, code, found);
    if (found === undefined || spelled === undefined) return code;
    code = withPartAs(code, found, spelled);
  }
}

const calls = (program: Program, code: readonly number[], part: Part): boolean =>
  (fStringPieces(program, code, part) ?? []).some(
    (piece) => typeof piece !== 'string' && mayCall(code, piece.part) && !asksForType(code, piece.part),
  );

/** Whether nothing is called in a part but `type` and what changes nothing. */
const asksForType = (code: readonly number[], { kind, parts }: Part): boolean => {
  const [callee] = kind === 'call' ? parts : [];
  const isQuiet = callee === undefined || changesNothing(code, callee) || code[callee.end - 1] === type;
  return isQuiet && kind !== 'text' && parts.every((inner) => asksForType(code, inner));
};

function spelledOut(program: Program, code: readonly number[], part: Part): Value | undefined {
  const pieces = (fStringPieces(program, code, part) ?? []).filter((piece) => piece !== '');
  const items = pieces.map((piece) => itemOf(program, code, piece));
  if (!items.every((item) => item !== undefined)) return undefined;
  const list = [square, ...withCommas(items), squareEnd];
  return [quotes[0] as number, quotes[0] as number, dot, join, opening, ...list, closing];
}

/** What a piece comes to, as an expression; undefined where what a call gives is formatted. */
function itemOf(program: Program, code: readonly number[], piece: Piece): Value | undefined {
  if (typeof piece === 'string') {
    const quoted = piece.replace(/\\.|'/gs, (found) => (found === "'" ? "\\'" : found));
    return encodeValue(program, literalRepr(`'${quoted}'`, { line: 1, column: 1 }));
  }
  const { part, conversion, spec } = piece;
  if (spec.every((one) => one === '') && conversion !== 'repr')
    return [str, opening, ...code.slice(part.begin, part.until), closing];
  if (mayCall(code, part) || spec.some((one) => typeof one !== 'string')) return undefined;
  const end = code.indexOf(braceEnd, part.until);
  return [special.fstring, brace, ...code.slice(part.begin, end + 1), special.fend];
}
