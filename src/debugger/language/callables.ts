/** What the names of a program call, as far as its text tells. */
import { nameOfSlot, type Program, type ProgramText, perText, type Scope } from '../program.js';
import type { Frame } from '../state.js';
import { boundMethod } from './bound-methods.js';
import { isChanging, isKnownMethod } from './known-calls.js';
import { classOf, isConstructor, isDecorated, isMethod } from './methods.js';
import { classesOf } from './program-classes.js';
import { wordToken } from './tokens.js';

/** What a program's names call. */
export interface Callables {
  /** Whether operators may call functions of the program. */
  readonly hasSpecialMethods: boolean;
  /** Whether a subscript may call one: a `defaultdict` makes what is missing with a function or a class of the program. */
  readonly hasFactories: boolean;
  /** By the tokens of names that stand for one function each (those of classes for `__init__`). */
  readonly plain: ReadonlyMap<number, Scope>;
  /** By name: functions in the bodies of classes. */
  readonly methods: ReadonlyMap<string, readonly Scope[]>;
}

const madeByProgram =
  /\bdefaultdict\s*\(\s*(?!(?:None|bool|(?:collections\.)?(?:Counter|deque|OrderedDict)|dict|float|frozenset|int|list|set|str|tuple)\s*[,)]|\))/;

export const callablesOf = perText((text): Callables => {
  const { scopes, slots, source } = text;
  const functions = scopes.filter(({ isGenerator }) => !isGenerator);
  const byToken = (found: readonly Scope[]) =>
    new Map(found.map((scope) => [slots.get(scope.name) ?? -1, scope]));
  return {
    hasSpecialMethods: scopes.some(({ name }) => /^__\w+__$/.test(name) && name !== '__init__'),
    hasFactories: madeByProgram.test(source),
    plain: new Map([...byToken(functions.filter(({ isPlain }) => isPlain)), ...constructors(text)]),
    methods: methodsByName(scopes),
  };
});

/** Whether a line of a function may enter methods by its operators, loops, conditions, and what builtins do (special-runs.ts). */
export const mayOperate = (program: Program, scope: Scope | undefined, line: number): boolean =>
  callablesOf(program).hasSpecialMethods && (scope?.flow?.lines.get(line)?.effects.operates ?? true);

function methodsByName(scopes: readonly Scope[]): ReadonlyMap<string, readonly Scope[]> {
  const found = new Map<string, Scope[]>();
  for (const scope of scopes) {
    const { name } = scope;
    if (isMethod(scope)) found.set(name, [...(found.get(name) ?? []), scope]);
  }
  return found;
}

/** By the tokens of the names of classes: what their calls enter, where the class has no bases but those of the program and its name stands for nothing else. */
function constructors(text: ProgramText): (readonly [token: number, initial: Scope])[] {
  const { scopes, slots, source } = text;
  if (/\b(?:__new__|setattr|exec|eval|globals|vars)\b/.test(source)) return [];
  return scopes.flatMap((scope) => {
    const isOnly = scopes.filter(({ qualifiedName }) => qualifiedName === scope.qualifiedName).length === 1;
    if (scope.isGenerator || !isConstructor(scope) || !isOnly || isDecorated(text, scope)) return [];
    const name = classOf(scope).split('.').at(-1) as string;
    const { isPlain = false, isData = false } = classesOf(text).get(classOf(scope)) ?? {};
    return (isPlain && !isData) || isPlainClass(source, name)
      ? [[slots.get(name) ?? -1, scope] as const]
      : [];
  });
}

/** Whether a line is the head of a class without bases. */
export const isPlainClassHead = (line: string): boolean =>
  /^\s*class\s+\w+\s*(?:\(\s*(?:object\s*)?\))?\s*:/.test(line);

/** Whether a class of this name is defined once, without bases and decorators, and the name is bound to nothing else. */
function isPlainClass(source: string, name: string): boolean {
  const [head = '', ...others] = source.match(new RegExp(`^[ \\t]*class\\s+${name}\\b.*`, 'gm')) ?? [];
  const isDecorated = new RegExp(`^[ \\t]*@.*\\n\\s*(?:@.*\\n\\s*)*class\\s+${name}\\b`, 'm').test(source);
  const isBound = new RegExp(`\\b${name}\\s*=(?!=)`).test(source);
  return others.length === 0 && isPlainClassHead(head) && !isDecorated && !isBound;
}

/** Whether builtins have a method of this name. */
export const isBuiltinMethod = (name: string): boolean => {
  const word = wordToken(name);
  return isChanging(name) || (word !== undefined && isKnownMethod(word));
};

/** What has functions be written by the names of others. */
const renamed = /\b(?:wraps|update_wrapper|__(?:qual)?name__\s*=(?!=))/;

/** The one function that a name stands for in a frame: by the value that it has there, or by the only `def` of the module that binds it. */
export function functionNamed(program: Program, { locals }: Frame, token: number): Scope | undefined {
  const name = nameOfSlot(program, token);
  if (name === '' || program.reboundNames.has(name)) return undefined;
  const value = locals.get(name);
  if (value !== undefined && renamed.test(program.source)) return undefined;
  const bound = boundMethod(program, value);
  if (bound) return bound.method;
  const ofValue = value === undefined ? undefined : /^<function (.+)>$/.exec(value)?.[1];
  if (value !== undefined && ofValue === undefined) return undefined;
  const found = named(program);
  const key = `${ofValue ?? ''} ${name}`;
  if (!found.has(key)) found.set(key, onlyFunction(program, ofValue, name));
  return found.get(key);
}

const named = perText(() => new Map<string, Scope | undefined>());

function onlyFunction(program: Program, qualified: string | undefined, name: string): Scope | undefined {
  const [only, ...others] = program.scopes.filter(
    ({ qualifiedName }) => qualifiedName === (qualified ?? name),
  );
  if (only === undefined || others.length > 0 || isDecorated(program, only)) return undefined;
  return qualified !== undefined || isBoundOnce(program, name) ? only : undefined;
}

/** Whether nothing but one `def` of the module binds a name. */
function isBoundOnce({ source, scopes }: Program, name: string): boolean {
  const binding = new RegExp(
    [
      `\\b${name}\\s*(?:=(?!=)|,[^\\n()]*=(?!=))`,
      `\\b(?:import|as|global|class|del)\\b[^\\n]*\\b${name}\\b`,
      `\\bfor\\b(?:(?!\\bin\\b)[^\\n])*\\b${name}\\b`,
    ].join('|'),
  );
  const definitions = source.match(new RegExp(`\\bdef\\s+${name}\\b`, 'g')) ?? [];
  return (
    definitions.length === 1 && !binding.test(source) && !scopes.some(({ names }) => names.includes(name))
  );
}

const harmless = 'math|cmath|itertools|collections|string';
const fromModule = new RegExp(`^[ \\t]*from[ \\t]+(?:${harmless})[ \\t]+import[ \\t]+(.+)$`, 'gm');
const wholeModule = new RegExp(`^[ \\t]*import[ \\t]+(?:${harmless})[ \\t]*$`, 'gm');

/** Names that stand for such a module, or for something of one, of which no call changes what it is given: nothing of the program runs if it is given literals. */
export const harmlessImports = perText(({ source, scopes }): ReadonlySet<string> => {
  const modules = [...source.matchAll(wholeModule)].map(
    ([line]) => line.trim().split(/\s+/).at(-1) as string,
  );
  const parts = [...source.matchAll(fromModule)].flatMap(([, names = '']) => names.split(','));
  const names = parts.map((part) => /(\w+)\s*$/.exec(part)?.[1] ?? '');
  const isLocal = (name: string): boolean => scopes.some((scope) => scope.names.includes(name));
  const isBound = (name: string): boolean =>
    new RegExp(`\\b${name}\\s*=(?!=)|\\b(?:def|class)\\s+${name}\\b`).test(source);
  return new Set([...modules, ...names].filter((name) => name !== '' && !isLocal(name) && !isBound(name)));
});
