/** Constants of the module `string`, which are the same texts in every version: code that is read has them in place of their names. */
import { perText } from '../program.js';
import { harmlessImports } from './callables.js';
import { charTokens, special, textTokens, wordToken, wordTokens } from './tokens.js';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const texts = Object.entries({
  ascii_letters: lower + upper,
  ascii_lowercase: lower,
  ascii_uppercase: upper,
  digits: '0123456789',
  hexdigits: '0123456789abcdefABCDEF',
  octdigits: '01234567',
});
const [dot, equals] = charTokens('.=') as [number, number];
const [module] = wordTokens('string') as [number];
const changed = /\bstring\s*\.\s*\w+\s*=(?!=)|\bsetattr\b/;

interface Constants {
  readonly hasModule: boolean;
  /** By the tokens of names: their values behind `string.`, and whether they are imported from it. */
  readonly values: ReadonlyMap<number, { readonly value: readonly number[]; readonly isImported: boolean }>;
}

/** A name that is bound in the program is written with a slot, and is none of these. */
const constantsOf = perText((program): Constants => {
  const { source } = program;
  const harmless = changed.test(source) ? new Set() : harmlessImports(program);
  const values = texts.flatMap(([name, text]) => {
    const token = wordToken(name);
    const imports = source.match(new RegExp(`^.*\\bimport\\b.*\\b${name}\\b.*$`, 'gm')) ?? [];
    const isImported =
      harmless.has(name) && imports.length === 1 && /^[ \t]*from[ \t]+string[ \t]/.test(imports[0] ?? '');
    return token === undefined ? [] : [[token, { value: textTokens(`'${text}'`), isImported }] as const];
  });
  return { hasModule: harmless.has('string'), values: new Map(values) };
});

/** Code tokens with the texts of such constants in place of their names. */
export function withStringConstants(
  program: Parameters<typeof constantsOf>[0],
  code: readonly number[],
): readonly number[] {
  const { hasModule, values } = constantsOf(program);
  // In an f-string a quote would end that.
  if (!code.some((token) => values.has(token)) || code.includes(special.fstring)) return code;
  const out: number[] = [];
  code.forEach((token, at) => {
    const found = values.get(token);
    const isOfModule = out.at(-1) === dot && out.at(-2) === module && out.at(-3) !== dot;
    const isKnown = isOfModule ? hasModule : found?.isImported && out.at(-1) !== dot;
    if (found === undefined || !isKnown || code[at + 1] === equals) {
      out.push(token);
      return;
    }
    if (isOfModule) out.length -= 2;
    out.push(...found.value);
  });
  return out;
}
