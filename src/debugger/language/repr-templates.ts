/**
 * How objects write themselves whose `__repr__` returns an f-string: what stands in it tells the attributes, and these tell what is written.
 */
import { lineTokens, type Program, perProgram, type Scope } from '../program.js';
import { attributeName } from './attributes.js';
import { expressionParts } from './expression-parts.js';
import { fStringPieces } from './f-strings.js';
import { derivesFromBuiltins, showsLiterals } from './own-reprs.js';
import type { Part } from './parts.js';
import { classesOf, methodOf, type ProgramClass } from './program-classes.js';
import { behindRepr } from './repr-text.js';
import { reprOfText, textOfRepr } from './strings.js';
import { attributeOfName, isClassName } from './sure-reads.js';
import { charToken, wordToken } from './tokens.js';

/** What is written of an attribute: its repr, or (a text's) characters. */
interface Shown {
  readonly attribute: string;
  readonly isRepr: boolean;
  /** Whether it is a text, where it is not written as its repr. */
  readonly isText: boolean;
}

/** What is made of attributes, and cannot be read back. */
interface Computed {
  readonly reads: readonly string[];
}

type Piece = string | Shown | Computed;

export interface Template {
  /** `__qualname__` of the class. */
  readonly owner: string;
  readonly pieces: readonly Piece[];
  /** Attributes that are written as they are. */
  readonly shown: ReadonlySet<string>;
  /** Attributes that are made something of. */
  readonly computedOf: ReadonlySet<string>;
}

/** What a text says of an object: the reprs of attributes, and what cannot be read back, in order. */
export interface Written {
  readonly attributes: ReadonlyMap<string, string>;
  readonly computed: readonly string[];
}

const returnWord = wordToken('return') as number;
const dot = charToken('.');

/** By qualified name of the class. */
export const templatesOf = perProgram(readTemplates);

function readTemplates(program: Program): ReadonlyMap<string, Template> {
  if (!showsLiterals(program) || derivesFromBuiltins(program)) return new Map();
  const found = new Map<string, Template>();
  for (const owner of classesOf(program).values()) {
    const method = owner.isData ? null : methodOf(program, owner, '__repr__');
    const pieces = method ? piecesOf(program, owner, method) : undefined;
    if (pieces === undefined) continue;
    const computedOf = new Set(pieces.flatMap((piece) => (isComputed(piece) ? piece.reads : [])));
    const shown = new Set(pieces.flatMap((piece) => (isShown(piece) ? [piece.attribute] : [])));
    found.set(owner.name, { owner: owner.name, pieces, shown, computedOf });
  }
  return found;
}

const isShown = (piece: Piece): piece is Shown => typeof piece !== 'string' && 'attribute' in piece;

const isComputed = (piece: Piece): piece is Computed => typeof piece !== 'string' && 'reads' in piece;

/** The pieces of what a method returns, if that is all it does. */
function piecesOf(program: Program, owner: ProgramClass, method: Scope): readonly Piece[] | undefined {
  const code = codeOf(program, method);
  const value = code[0] === returnWord ? code.slice(1) : [];
  const part = expressionParts(value);
  const pieces = part?.kind === 'text' ? fStringPieces(program, value, part) : undefined;
  const [self = ''] = method.positional;
  const found: Piece[] = [];
  for (const piece of pieces ?? []) {
    if (typeof piece === 'string') {
      if (piece.includes('\\')) return undefined;
      found.push(piece);
      continue;
    }
    const { part: field, conversion, spec } = piece;
    const name = attributeOfName(program, value, field, self);
    // What is read by a function is not what was assigned.
    if (program.scopes.some((scope) => scope.name === name)) return undefined;
    const isPlain = spec.every((one) => one === '');
    if (name !== undefined && isPlain) {
      const kind = kindOf(program, name);
      if (conversion === 'repr' || kind !== undefined)
        found.push({ attribute: name, isRepr: conversion === 'repr', isText: kind === 'text' });
      else found.push({ reads: [name] });
      continue;
    }
    if (isClassName(program, value, field, self)) {
      found.push(owner.name.split('.').at(-1) as string);
      continue;
    }
    const reads = readsOf(program, value, field, self);
    if (reads === undefined || spec.some((one) => typeof one !== 'string')) return undefined;
    found.push({ reads });
  }
  return found.length > 0 ? joined(found) : undefined;
}

/** Pieces of text side by side are one. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') found[found.length - 1] = last + piece;
    else if (piece !== '') found.push(piece);
  }
  return found;
}

/** The code of the body of a function, its docstring left out. */
function codeOf(program: Program, { firstLine, lastLine }: Scope): readonly number[] {
  const body = program.executableLines.filter((line) => firstLine < line && line <= lastLine);
  const lines = program.codeLines.filter((line) => line >= (body[0] ?? lastLine + 1) && line <= lastLine);
  return lines.flatMap((line) => [...lineTokens(program, line)]);
}

/** The attributes that an expression reads, if it reads nothing else of the object. */
function readsOf(
  program: Program,
  code: readonly number[],
  part: Part,
  self: string,
): readonly string[] | undefined {
  const reads: string[] = [];
  for (let at = part.first; at < part.end; at += 1) {
    if (attributeName(program, code[at] as number) !== self || code[at - 1] === dot) continue;
    const token = code[at + 2] ?? -1;
    const isMethod = program.scopes.some(({ name }) => name === attributeName(program, token));
    if (code[at + 1] !== dot || isMethod) return undefined;
    reads.push(attributeName(program, token));
  }
  return reads;
}

const isTextual = /^(?:[fF]?["']|str\()/;
const isOther =
  /^(?:-?[\d.]+\b|\[|\{|True\b|False\b|(?:int|float|len|list|dict|set|sum|round|abs|deque|Counter|defaultdict|OrderedDict)\()/;
const isName = /^[^\W\d]\w*$/u;

/** Whether an attribute is a text, or surely none, wherever something is assigned to it; undefined where that is not seen of all. */
function kindOf({ source }: Program, name: string): 'text' | 'other' | undefined {
  const assigned = new RegExp(`\\.${name}[ \\t]*(?::[ \\t]*([\\w.]+)[^\\n=]*)?=(?!=)[ \\t]*([^\\n#]*)`, 'g');
  const kinds = [...source.matchAll(assigned)].map(([, annotation, value = '']) => {
    const text = value.trim();
    const parameter = isName.test(text) ? kindOfParameter(source, text) : undefined;
    return kindOfValue(text) ?? kindOfType(annotation) ?? parameter;
  });
  // What something is taken from, or divided, is no text.
  const counts = new RegExp(`\\.${name}[ \\t]*(?:-|\\*|//?|%)=|\\.${name}[ \\t]*(?:-|/)`);
  const found = new Set(kinds.map((kind) => kind ?? (counts.test(source) ? 'other' : undefined)));
  const [kind, ...others] = found;
  return others.length === 0 ? kind : undefined;
}

const kindOfValue = (text: string): 'text' | 'other' | undefined =>
  isTextual.test(text) ? 'text' : isOther.test(text) ? 'other' : undefined;

function kindOfType(type: string | undefined): 'text' | 'other' | undefined {
  if (type === 'str') return 'text';
  return type !== undefined && /^(?:int|float|bool|list|dict|set|tuple|List|Dict|Set)$/.test(type)
    ? 'other'
    : undefined;
}

/** By the annotation or the default of the parameters of a name, if they agree. */
function kindOfParameter(source: string, name: string): 'text' | 'other' | undefined {
  const parameter = new RegExp(
    `\\bdef\\s[^\\n]*[(,]\\s*${name}\\s*(?::\\s*([\\w.]+)[^=,)\\n]*)?(?:=\\s*([^,)\\n]+))?`,
    'g',
  );
  const kinds = new Set(
    [...source.matchAll(parameter)].map(([, type, value]) => kindOfType(type) ?? kindOfValue(value ?? '')),
  );
  const [kind, ...others] = [...kinds].filter((one) => one !== undefined);
  return others.length === 0 ? kind : undefined;
}

/** What a text says of an object that writes itself so; undefined for what it does not write, and where that can be read in two ways. */
export function readWritten({ pieces }: Template, text: string): Written | undefined {
  const attributes = new Map<string, string>();
  const computed: string[] = [];
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === 'string') {
      if (!text.startsWith(piece, at)) return undefined;
      at += piece.length;
      continue;
    }
    const end = endOf(text, at, pieces[index + 1], piece);
    if (end < at) return undefined;
    const written = text.slice(at, end);
    at = end;
    if (isComputed(piece)) computed.push(written);
    else {
      const value = piece.isRepr || !piece.isText ? written : reprOfText(written);
      const isSame = attributes.get(piece.attribute) ?? value;
      if (isSame !== value) return undefined;
      attributes.set(piece.attribute, value);
    }
  }
  return at === text.length ? { attributes, computed } : undefined;
}

/** Where what a piece writes ends: a repr by itself, other text where what comes next stands, if that is once. */
function endOf(text: string, at: number, next: Piece | undefined, piece: Shown | Computed): number {
  const isText = !isComputed(piece) && piece.isText && !piece.isRepr;
  const end = isText ? -1 : behindRepr(text, at);
  if (!isComputed(piece) && !isText) return end;
  if (next === undefined) return text.length;
  if (typeof next !== 'string') return -1;
  if (end >= 0 && text.startsWith(next, end)) return end;
  const found = text.indexOf(next, at);
  return text.indexOf(next, found + 1) < 0 ? found : -1;
}

/** How an object writes itself that has these attributes; undefined where one is missing or is not written as it would be read. */
export function written({ pieces }: Template, { attributes, computed }: Written): string | undefined {
  let [text, made] = ['', 0];
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else if (isComputed(piece)) {
      const value = computed[made];
      if (value === undefined) return undefined;
      text += value;
      made += 1;
    } else {
      const value = attributes.get(piece.attribute);
      const isText = value !== undefined && /^['"]/.test(value);
      const shown = isText && !piece.isRepr ? textOfRepr(value) : value;
      if (shown === undefined || (!piece.isRepr && piece.isText !== isText)) return undefined;
      text += shown;
    }
  }
  return text;
}
