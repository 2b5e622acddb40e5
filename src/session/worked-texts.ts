/** The line of a step with what its f-strings come to in place of them: what stands in their fields is worked out, and rounded where it is written so. */
import { readFrom } from '../debugger/language/code-cursor.js';
import { ExpressionParser } from '../debugger/language/expression-parts.js';
import { fieldsOf, fStringsIn, fStringText, type Shown } from '../debugger/language/f-strings.js';
import { formattedNumber, roundingOf } from '../debugger/language/format-spec.js';
import { withPartAs } from '../debugger/language/items.js';
import { mayCall } from '../debugger/language/known-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { isLiteral } from '../debugger/language/literal-values.js';
import { type Part, partTokens } from '../debugger/language/parts.js';
import type { Value } from '../debugger/language/plan.js';
import { type Reckon, reckoned } from '../debugger/language/reckoning.js';
import { charTokens, special, textTokens, wordToken } from '../debugger/language/tokens.js';
import { ToldLine } from '../debugger/language/told-line.js';
import { decodeValue, encodeValue } from '../debugger/language/values.js';
import type { Program } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import { type Asking, asAsked } from './asking.js';
import { type Paid, sumOf, sumOfPaid, unasked } from './cost.js';
import { type Reckoned, withCalls, withoutMutables } from './worked-mathematics.js';

const [raise, print] = [wordToken('raise'), wordToken('print')];
const [star, point] = charTokens('*.') as [number, number];
/** Most f-strings of a line. */
const mostTexts = 8;
/** Most tokens of one. */
const longestText = 160;

/** Whether a line may have such; what is only shown changes nothing. */
export const mayHaveTexts = (code: readonly number[]): boolean =>
  code.includes(special.fstring) && code[0] !== print;

/**
 * The code of a line that begins in a frame; undefined where it has no f-string that is told so.
 * @throws ForetraceError as workOut
 */
export async function withTexts(
  begins: (running: Running) => Asking,
  program: Program,
  running: Running,
  written: readonly number[],
): Promise<Reckoned | undefined> {
  let code = written;
  let paid: Paid = unasked;
  // What is left out stands behind what was looked at.
  for (let passed = 0, count = 0; count < mostTexts; count += 1) {
    const parts = partsOf(code);
    const part = parts.flatMap(fStringsIn)[passed];
    if (part === undefined) break;
    const isOld = parts.some((inner) => callsBefore(code, inner, part.begin));
    const known = isOld ? { ...running, frame: withoutMutables(running.frame) } : running;
    const asking = begins(known);
    const text = await asAsked(asking, () => textOf(asking, () => begins(known), program, known, code, part));
    const value = text === undefined ? undefined : encodeValue(program, text);
    if (value === undefined || value.length > longestText || !isLiteral(value)) {
      passed += 1;
      paid = { ...paid, cost: sumOf(paid.cost, asking.paid.cost) };
      continue;
    }
    code = withPartAs(code, part, value);
    paid = sumOfPaid(paid, asking.paid);
  }
  return code === written ? undefined : { ...paid, code };
}

/** The expressions of a line, of what it raises too. */
function partsOf(code: readonly number[]): readonly Part[] {
  if (code[0] === raise) {
    const raised = readFrom(code, 1, (cursor) => new ExpressionParser(cursor).single());
    return raised ? [raised] : [];
  }
  const line = lineParts(code);
  return line ? [...line.values, ...line.inner] : [];
}

/** Whether something is called before a place in the code that may change what names stand for. */
const callsBefore = (code: readonly number[], part: Part, at: number): boolean => {
  if (part.begin >= at) return false;
  return part.until <= at ? mayCall(code, part) : part.parts.some((inner) => callsBefore(code, inner, at));
};

/** What a text comes to, if all that stands in its fields is told. `begins`: to ask for one call in them. */
async function textOf(
  asking: Asking,
  begins: () => Asking,
  program: Program,
  running: Running,
  code: readonly number[],
  part: Part,
): Promise<string | undefined> {
  const fields = fieldsOf(program, code, part);
  if (fields === undefined || fields.some((field) => mayCall(code, field))) return undefined;
  const reckon = async (asked: readonly number[]): Promise<Value> => {
    const found = await withCalls(program, running.frame, begins, asked);
    if (found) asking.paid = sumOfPaid(asking.paid, found);
    return asking.valueOf(found?.code ?? asked);
  };
  const told = new ToldLine(program, running, code, false);
  const shown = new Map<number, Shown>();
  for (const field of fields) {
    const found = told.inField(field) ?? shownAs(program, await reckon(partTokens(code, field)));
    if (found === undefined) return undefined;
    shown.set(field.first, found);
  }
  const specs = new Map<number, string>();
  const spell = (): string | undefined =>
    fStringText(program, code, part, (field, spec) => {
      specs.set(field.first, spec);
      return shown.get(field.first);
    });
  const text = spell();
  if (text !== undefined) return text;
  for (const [at, spec] of specs) {
    const value = shown.get(at) as Shown;
    shown.set(at, { ...value, formatted: await rounded(program, value.repr, spec, reckon) });
  }
  return spell();
}

function shownAs(program: Program, value: Value): Shown | undefined {
  const repr = decodeValue(program, value);
  return typeof repr === 'string' ? { repr } : undefined;
}

/** What `format` makes of a number that has to be rounded first. */
async function rounded(
  program: Program,
  repr: string,
  spec: string,
  reckon: Reckon,
): Promise<string | undefined> {
  const rounding = roundingOf(spec);
  if (rounding === undefined || formattedNumber(repr, spec) !== undefined) return undefined;
  const number = encodeValue(program, repr);
  const scaled = rounding.isPercent ? await reckon([...number, star, ...textTokens('100')]) : number;
  const places = textTokens(`${rounding.places}`);
  const value = scaled.includes(point) ? await reckoned('nearest', [scaled, places], reckon) : scaled;
  const text = value && decodeValue(program, value);
  return typeof text === 'string' ? formattedNumber(text, spec, true) : undefined;
}
