/** Of which class of the program the object is that a part of a line comes to, as far as its value, its name and its making tell. */
import { lineTokens, type Program, perText, type Scope } from '../program.js';
import { scopeOf } from '../running.js';
import type { Frame } from '../state.js';
import { attributeName, classOfObject, hasPlainAttributes, valueOfPart } from './attributes.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { expressionParts } from './expression-parts.js';
import { itemAt } from './item-changes.js';
import { isKnownFunction } from './known-calls.js';
import { augmented } from './operators.js';
import type { Part, PartKind } from './parts.js';
import { classesOf, isFinal, keepsObject, ownerOf, type ProgramClass } from './program-classes.js';
import { getterOf } from './properties.js';
import { charTokens, operatorToken, wordTokens } from './tokens.js';
import { decodeValue } from './values.js';

/** `builtin`: of no class of the program. undefined: that is not told. */
export type Owner = ProgramClass | 'builtin' | undefined;

/** A line of a frame, and what its parts come to if they are literals. */
export interface OwnedLine {
  readonly program: Program;
  readonly frame: Frame;
  readonly code: ArrayLike<number>;
  told(part: Part): readonly number[] | undefined;
}

const [equals, dot, square] = charTokens('=.[') as [number, number, number];
const [forWord, inWord] = wordTokens('for in') as [number, number];
/** Words of statements that bind otherwise than by `=`. */
const binding: ReadonlySet<number> = new Set([
  ...wordTokens('as del global nonlocal import def'),
  operatorToken(':='),
]);
/** Functions of builtins whose value may be an object of the program. */
const givesBack: ReadonlySet<number> = new Set(wordTokens('abs divmod max min reversed round sum'));
/** What is never an object of the program. */
const ofBuiltins: ReadonlySet<PartKind> = new Set(['constant', 'display', 'comprehension', 'text', 'not']);
const builtin =
  /^(?:[[({'"\d-]|b['"]|(?:True|False|None|inf|nan)$|(?:deque|defaultdict|Counter|OrderedDict|range|set|frozenset)\()/;
const ofInterpreter = /^<(?:function|generator|class) /;

/** Whether a canonical repr is that of a number, a text, a constant or a collection of builtins, if what looks so is so. */
export const looksBuiltin = (text: string): boolean => builtin.test(text);

/** The class of what a part comes to. */
export function ownerOfPart(line: OwnedLine, part: Part): Owner {
  const { program, frame, code } = line;
  if (ofBuiltins.has(part.kind) || line.told(part) !== undefined) return 'builtin';
  if (part.kind === 'call') return ownerOfCall(line, part);
  if (part.kind === 'subscript') return ownerOfItem(line, part);
  if (part.kind !== 'name' && part.kind !== 'attribute') return undefined;
  const name = part.kind === 'name' ? attributeName(program, code[part.first] as number) : '';
  const scope = name === '' ? undefined : scopeOf(program, frame, 'paused');
  const value = valueOfPart(program, code, part, frame);
  const text = value && decodeValue(program, value);
  const shown = typeof text === 'string' ? ownerOfText(program, text) : undefined;
  return (scope && (objectOfMethod(program, scope, name) ?? madeOnce(program, scope, name))) ?? shown;
}

/** Data classes whose objects take no attributes. */
const unchanged = /\bfrozen\b|\bNamedTuple\b/;

/** Whether what is assigned to is an attribute of an object that takes it as it is. */
export function isPlainStore(line: OwnedLine, { kind, parts, end }: Part): boolean {
  const [base] = parts;
  const { program, frame, code } = line;
  if (kind !== 'attribute' || base?.kind !== 'name' || !hasPlainAttributes(program)) return false;
  const owner = frame.locals.has(attributeName(program, code[base.first] as number))
    ? ownerOfPart(line, base)
    : undefined;
  if (owner === undefined || owner === 'builtin' || !owner.isPlain) return false;
  if (getterOf(program, owner, attributeName(program, code[end - 1] as number)) !== null) return false;
  return !owner.isData || !unchanged.test(program.source);
}

/** The class of the object of a method, by its name there. */
function objectOfMethod(program: Program, scope: Scope, name: string): ProgramClass | undefined {
  if (scope.positional[0] !== name || !keepsObject(program, scope)) return undefined;
  const owner = ownerOf(program, scope);
  return owner && isFinal(program, owner) ? owner : undefined;
}

const made = perText(() => new Map<string, ProgramClass | undefined>());

/** The class whose object a name of a function is bound to, on one line and nowhere else. */
function madeOnce(program: Program, scope: Scope, name: string): ProgramClass | undefined {
  const found = made(program);
  const key = `${scope.index} ${name}`;
  if (!found.has(key)) found.set(key, readMade(program, scope, name));
  return found.get(key);
}

function readMade(program: Program, scope: Scope, name: string): ProgramClass | undefined {
  const slot = program.slots.get(name);
  if (slot === undefined || scope.namesAtCall.includes(name) || program.reboundNames.has(name))
    return undefined;
  const lines = program.codeLines.filter((line) => scope.firstLine <= line && line <= scope.lastLine);
  const binding = lines.map((line) => lineTokens(program, line)).filter((code) => binds(code, slot));
  const [code, ...others] = binding;
  if (code === undefined || others.length > 0 || code[0] !== slot || code[1] !== equals) return undefined;
  const value = expressionParts(Array.from(code).slice(2));
  if (value?.kind !== 'call' || value.parts[0]?.kind !== 'name') return undefined;
  const owner = classesOf(program).get(attributeName(program, code[2] as number));
  return owner?.isPlain ? owner : undefined;
}

/** Whether a line may bind a name. */
function binds(code: ArrayLike<number>, slot: number): boolean {
  const tokens = Array.from(code);
  if (!tokens.includes(slot)) return false;
  const isInHead = (token: number, at: number): boolean =>
    token === forWord && tokens.slice(at, tokens.indexOf(inWord, at)).includes(slot);
  if (tokens.some((token, at) => binding.has(token) || isInHead(token, at))) return true;
  const last = tokens.findLastIndex((token) => token === equals || augmented.has(token));
  const isTarget = (token: number, at: number): boolean =>
    token === slot && at < last && tokens[at + 1] !== dot && tokens[at + 1] !== square;
  return tokens.some(isTarget);
}

/** The class of an object with this canonical repr. */
export function ownerOfText(program: Program, text: string): Owner {
  const classes = classesOf(program);
  const written = classOfObject(text);
  if (written !== undefined) return classes.get(written);
  const isBuiltin = looksBuiltin(text) || ofInterpreter.test(text);
  return isBuiltin && !derivesFromBuiltins(program) ? 'builtin' : undefined;
}

/** The class of an item of a list or dict that shows it. */
function ownerOfItem({ program, frame, code, told }: OwnedLine, { parts }: Part): Owner {
  const [base, index] = parts as [Part, Part];
  const value = valueOfPart(program, code, base, frame);
  const key = told(index);
  const item = value && key ? itemAt(value, key) : undefined;
  const text = item && decodeValue(program, item);
  return typeof text === 'string' ? ownerOfText(program, text) : undefined;
}

function ownerOfCall({ program, code }: OwnedLine, { parts }: Part): Owner {
  const callee = parts[0] as Part;
  if (callee.kind !== 'name') return undefined;
  const token = code[callee.first] as number;
  if (givesBuiltins(token)) return 'builtin';
  const owner = classesOf(program).get(attributeName(program, token));
  return owner?.isPlain ? owner : undefined;
}

/** Whether a function of builtins gives nothing but what is of builtins; some give back what they are given. */
export const givesBuiltins = (token: number): boolean => isKnownFunction(token) && !givesBack.has(token);
