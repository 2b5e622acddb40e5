/** Constants of the modules `string` and `math`, which are the same in every version: code that is read has them in place of their names. */
import { perText } from '../program.js';
import { harmlessImports } from './callables.js';
import { charTokens, special, textTokens, wordToken } from './tokens.js';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const text = (characters: string): number[] => textTokens(`'${characters}'`);
const modules: readonly [module: string, name: string, value: readonly number[]][] = [
  ['string', 'ascii_letters', text(lower + upper)],
  ['string', 'ascii_lowercase', text(lower)],
  ['string', 'ascii_uppercase', text(upper)],
  ['string', 'digits', text('0123456789')],
  ['string', 'hexdigits', text('0123456789abcdefABCDEF')],
  ['string', 'octdigits', text('01234567')],
  ['math', 'pi', textTokens('3.141592653589793')],
  ['math', 'inf', [wordToken('inf') as number]],
];
const [dot, equals] = charTokens('.=') as [number, number];

interface Constant {
  readonly value: readonly number[];
  /** The token of the module, if the program has it by its name. */
  readonly module: number | undefined;
  readonly isImported: boolean;
}

/** Whether a program may change something of a module, or has it by another name. */
function changes(source: string, module: string): boolean {
  const of = `\\b${module}\\s*\\.\\s*\\w+`;
  const ways = [
    '\\b(?:setattr|delattr|vars|globals|__dict__|reload)\\b',
    // Something is assigned behind it on its line, if not to it.
    `${of}[^\\n]*?[^=!<>\\n]=(?!=)`,
    `${of}\\s*[-+*/%&|^@<>]+=(?!=)`,
    `^[ \\t]*${of}\\s*:`,
    `\\bfor\\s(?:(?!\\bin\\b)[^\\n])*${of}`,
    `\\b(?:as|del)\\b[^\\n]*?${of}`,
    `[=(,]\\s*${module}\\b(?!\\s*\\.)`,
    `\\b${module}\\s+as\\b`,
  ];
  return ways.some((way) => new RegExp(way, 'm').test(source));
}

/** By the tokens of names. A name that is bound in the program is written with a slot, and is none of these. */
const constantsOf = perText((program): ReadonlyMap<number, Constant> => {
  const { source } = program;
  const harmless = harmlessImports(program);
  const found = modules.flatMap(([module, name, value]) => {
    const token = wordToken(name);
    if (token === undefined || changes(source, module)) return [];
    const imports = source.match(new RegExp(`^.*\\bimport\\b.*\\b${name}\\b.*$`, 'gm')) ?? [];
    const isFrom = new RegExp(`^[ \\t]*from[ \\t]+${module}[ \\t]`).test(imports[0] ?? '');
    const isRenamed = new RegExp(`\\bas\\s+${name}\\b`).test(source);
    const isImported = harmless.has(name) && imports.length === 1 && isFrom && !isRenamed;
    const own = harmless.has(module) ? wordToken(module) : undefined;
    return [[token, { value, module: own, isImported }] as const];
  });
  return new Map(found);
});

/** Code tokens with the values of such constants in place of their names. */
export function withModuleConstants(
  program: Parameters<typeof constantsOf>[0],
  code: readonly number[],
): readonly number[] {
  const constants = constantsOf(program);
  // In an f-string a quote would end that.
  if (!code.some((token) => constants.has(token)) || code.includes(special.fstring)) return code;
  const out: number[] = [];
  code.forEach((token, at) => {
    const found = constants.get(token);
    const isOfModule =
      found?.module !== undefined && out.at(-1) === dot && out.at(-2) === found.module && out.at(-3) !== dot;
    const isKnown = isOfModule || (found?.isImported && out.at(-1) !== dot);
    if (found === undefined || !isKnown || code[at + 1] === equals) {
      out.push(token);
      return;
    }
    if (isOfModule) out.length -= 2;
    out.push(...found.value);
  });
  return out;
}
