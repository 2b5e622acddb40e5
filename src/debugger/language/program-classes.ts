/** The classes of a program, as far as their heads and methods tell what their objects do. */
import { type Program, type ProgramText, perText, type Scope } from '../program.js';
import type { Frame } from '../state.js';
import { classOf, isDecorated, isGetter, isMethod } from './methods.js';

export interface ProgramClass {
  /** `__qualname__`. */
  readonly name: string;
  /** Its bases that are classes of the program. */
  readonly bases: readonly ProgramClass[];
  /** Whether nothing but its text and these bases says what its objects do. */
  readonly isPlain: boolean;
  /** Whether it is a data class or a named tuple. */
  readonly isData: boolean;
  /** Whether it has been given the comparisons that it does not define itself. */
  readonly isOrdered: boolean;
}

const head =
  /^(?<before>(?:[ \t]*@[^\n]*\n)*)[ \t]*class[ \t]+(?<name>[^\W\d]\w*)[ \t]*(?:\((?<bases>[^()\n]*)\))?[ \t]*:/gmu;
const harmlessBase =
  /^(?:object|ABC|abc\.ABC|metaclass\s*=\s*(?:abc\.)?ABCMeta|(?:typing\.)?(?:NamedTuple|(?:Generic|Protocol)(?:\[.*\])?))$/;
const dataClass = /^[ \t]*@(?:dataclasses\.)?dataclass\b[^\n]*$/;
const ordering = /^[ \t]*@(?:functools\.)?total_ordering[ \t]*$/;
const comparison = /^__[lg][te]__$/;
/** What makes objects do something else than the methods of their classes. */
const unread = /__new__|__class__\s*=|\bsetattr\b|\btype\s*\([^()]*,|^[ \t]+__\w+__[ \t]*=(?!=)/m;
const harmlessBinding = /^[ \t]+__(?:slots|match_args)__[ \t]*=/gm;

/** By qualified name. */
export const classesOf = perText(({ source, scopes }): ReadonlyMap<string, ProgramClass> => {
  const found = new Map<string, ProgramClass>();
  if (unread.test(source.replace(harmlessBinding, ''))) return found;
  const qualified = new Map(
    scopes.filter(isMethod).map((scope) => [classOf(scope).split('.').at(-1) as string, classOf(scope)]),
  );
  const byName = new Map<string, ProgramClass>();
  for (const { groups = {} } of source.matchAll(head)) {
    const { before = '', name = '', bases = '' } = groups;
    const decorators = before.split('\n').filter((line) => line !== '');
    const isTuple = /\bNamedTuple\b/.test(bases);
    const isData = isTuple || decorators.some((line) => dataClass.test(line));
    const own = bases
      .split(/,(?![^[]*\])/)
      .map((base) => base.trim())
      .filter((base) => base !== '');
    const ours = own.flatMap((base) => byName.get(base) ?? []);
    // Behind a colon it is an annotation.
    const isBound = new RegExp(`(?<![:.]\\s*)\\b${name}\\s*=(?!=)|\\bdef\\s+${name}\\b`).test(source);
    const isPlain =
      !byName.has(name) &&
      !isBound &&
      decorators.every((line) => dataClass.test(line) || ordering.test(line)) &&
      own.every((base) => byName.has(base) || harmlessBase.test(base)) &&
      ours.length <= 1 &&
      ours.every((base) => base.isPlain);
    const isOrdered = decorators.some((line) => ordering.test(line));
    const made = { name: qualified.get(name) ?? name, bases: ours, isPlain, isData, isOrdered };
    byName.set(name, made);
    found.set(made.name, made);
  }
  return found;
});

/** Whether no class of the program has this one among its bases. */
export const isFinal = (program: Program, owner: ProgramClass): boolean =>
  ![...classesOf(program).values()].some(({ bases }) => bases.includes(owner));

/** What data classes have without its being written. */
const ofData = new Set(['__init__', '__eq__', '__repr__']);

/** The method that an object of a class has by a name. null: it has none of the program; undefined: that cannot be told. */
export function methodOf(program: Program, owner: ProgramClass, name: string): Scope | null | undefined {
  if (!owner.isPlain) return undefined;
  const [own, ...others] = program.scopes.filter(
    ({ qualifiedName }) => qualifiedName === `${owner.name}.${name}`,
  );
  if (own) return others.length === 0 && bindingOf(program, own) !== undefined ? own : undefined;
  if (isBoundInside(program, name) || (owner.isOrdered && comparison.test(name))) return undefined;
  // They go through their fields, which may have such a method.
  if (owner.isData && ofData.has(name)) return program.source.includes(name) ? undefined : null;
  const [base] = owner.bases;
  return base ? methodOf(program, base, name) : null;
}

/** What a method is given by itself before its arguments: its object, its class or nothing; undefined where a decorator decides. */
export type Binding = 'object' | 'class' | 'nothing';

export function bindingOf(program: Program, method: Scope): Binding | undefined {
  if (!isDecorated(program, method)) return 'object';
  const [first = '', second = ''] = program.lines.slice(method.firstLine - 1);
  const decorator = /^\s*@(static|class)method\s*$/.exec(first)?.[1];
  if (decorator === undefined || !/^\s*def\b/.test(second)) return undefined;
  return decorator === 'static' ? 'nothing' : 'class';
}

/** The class whose method a function is. */
export const ownerOf = (program: Program, scope: Scope): ProgramClass | undefined =>
  isMethod(scope) ? classesOf(program).get(classOf(scope)) : undefined;

/** Whether the first parameter of a method is its object all along. */
export const keepsObject = (program: Program, scope: Scope): boolean =>
  isMethod(scope) &&
  (!isDecorated(program, scope) || isGetter(program, scope)) &&
  scope.keptParameters.has(scope.positional[0] ?? '');

/** The class that a name stands for in a frame. */
export function classNamed(program: Program, { locals }: Frame, name: string): ProgramClass | undefined {
  const found = locals.has(name) ? undefined : classesOf(program).get(name);
  return found?.isPlain && !program.scopes.some(({ names }) => names.includes(name)) ? found : undefined;
}

interface Assigned {
  /** Names that are assigned to as attributes, of whatever object. */
  readonly attributes: ReadonlySet<string>;
  /** Names that the bodies of classes may bind, functions apart. */
  readonly inside: ReadonlySet<string>;
}

const attribute = /\.(\w+)[ \t]*(?::[^\n=]*)?=(?!=)/g;
/** Words with an assignment behind them. */
const assignedTo = /\b[^\W\d]\w*\b(?=[^\n]*(?<![=!<>])=(?!=))/gu;
const bindingWords = /^[ \t]*(?:for|import|from|with|del)\b/;
const words = /[^\W\d]\w*/gu;

const assignedIn = perText((text): Assigned => {
  const attributes = new Set([...text.source.matchAll(attribute)].map(([, name = '']) => name));
  const inside = classLines(text).flatMap(
    (line) => line.match(bindingWords.test(line) ? words : assignedTo) ?? [],
  );
  return { attributes, inside: new Set(inside) };
});

/** The lines that may be of the body of a class: all that are indented and in no function, and those of functions with classes in them. */
function classLines({ lines, scopes }: ProgramText): readonly string[] {
  const isClass = (line: string): boolean => /^[ \t]*class\b/.test(line);
  const functions = scopes.filter(({ name }) => !name.startsWith('<'));
  const plain = functions.filter(
    ({ firstLine, lastLine }) => !lines.slice(firstLine - 1, lastLine).some(isClass),
  );
  const isInPlain = (line: number): boolean =>
    plain.some(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  return lines.filter((line, at) => (/^[ \t]/.test(line) || isClass(line)) && !isInPlain(at + 1));
}

const stores = /\.(\w+)[ \t]*(?::[^\n=]*)?(?:[-+*%&|^@]|\/\/?|\*\*|<<|>>)?=(?!=)|\bdel\b[^\n]*\.(\w+)/g;

/** Attributes that are stored or deleted where no object is being made. */
const storedLater = perText(({ source, scopes, lines }): ReadonlySet<string> | 'any' => {
  if (/__dict__|__setattr__|\b(?:setattr|delattr|vars)\b/.test(source)) return 'any';
  const making = new Set<number>();
  for (const { name, firstLine, lastLine } of scopes)
    if (name === '__init__') for (let line = firstLine; line <= lastLine; line += 1) making.add(line);
  const others = lines.map((line, at) =>
    making.has(at + 1) ? line.replace(/\bself\.\w+(?=[^\n=]*=(?!=))/g, '') : line,
  );
  // Targets side by side, and those of loops.
  const several = others.filter((line) =>
    /^[^=#]*,[^=#]*=(?!=)|\b(?:for|as)\b[^\n]*\.\w+[^\n]*(?:\bin\b|:)/.test(line),
  );
  const names = [...others.join('\n').matchAll(stores)].flatMap(([, name, deleted]) => name ?? deleted ?? []);
  return new Set([
    ...names,
    ...several.flatMap((line) => [...line.matchAll(/\.(\w+)/g)].map(([, name = '']) => name)),
  ]);
});

/** Whether an attribute of this name stays what its object was made with. */
export function isLasting(program: Program, name: string): boolean {
  const stored = storedLater(program);
  return stored !== 'any' && !stored.has(name);
}

/** Whether something is assigned to an attribute of this name, of whatever object. */
export const isStored = (program: Program, name: string): boolean => assignedIn(program).attributes.has(name);

/** Whether the body of a class may bind a name, by anything but a `def`. */
export const isBoundInside = (program: Program, name: string): boolean =>
  assignedIn(program).inside.has(name);

/** Whether objects have an attribute of this name only once it is assigned. */
export const isAttribute = (program: Program, name: string): boolean =>
  !name.startsWith('__') && !isBoundInside(program, name) && !program.scopes.some((one) => one.name === name);
