/** Which names of a frame the calls of its line give to a function: the parameters then have the same objects. */
import { nameOfSlot, type Program, type Scope } from '../program.js';
import { scopeOf } from '../running.js';
import { gotLimit } from './encode.js';
import { toldIn } from './frame-literals.js';
import { isSuper } from './known-calls.js';
import { lineCalls } from './line-calls.js';
import { entersProgram, type FrameLine } from './line-changes.js';
import type { LineParts } from './line-parts.js';
import { isDecorated, isMethod as isOfClass } from './methods.js';
import { ownerOfPart } from './object-owners.js';
import type { Part, PartKind } from './parts.js';
import { keepsObject, methodOf } from './program-classes.js';
import { wordToken } from './tokens.js';

/** What calls of a function on a line give it. */
export interface Given {
  /** Attributes and items that are given, and the parameters that have their objects. */
  readonly places?: readonly Place[];
  /** By name of the frame (or of a comprehension on the line, see namesInside): a parameter that has its object, whichever of the calls it was. Only parameters that nothing binds again. */
  readonly names: ReadonlyMap<string, string>;
  /** The call itself, where it is told and the line makes it once. */
  readonly call?: Part | undefined;
}

/** A part of a line that looks something up, and the parameter that has it; only parameters that nothing binds again. */
export interface Place {
  readonly part: Part;
  readonly parameter: string;
}

const nothing: Given = { names: new Map() };
/** What is evaluated several times, or elsewhere. */
const repeating: ReadonlySet<PartKind> = new Set(['comprehension', 'generator', 'lambda']);

/** What the frame gave `callee`, which it called on this line and which returns. */
export function givenNames(line: FrameLine, callee: Scope): Given {
  const { program, code, parts } = line;
  const told = line.isPart ? undefined : toldCall(line, callee);
  if (told) return told;
  // A method may be named like one of a builtin.
  const token = program.slots.get(callee.name) ?? wordToken(callee.name);
  if (token === undefined || program.scopes.some((other) => other !== callee && other.name === callee.name))
    return nothing;
  if (isDecorated(program, callee)) return nothing;
  const isCall = ({ kind, parts: [target] }: Part): boolean =>
    kind === 'call' && target !== undefined && code[target.end - 1] === token && entersProgram(line, target);
  const calls = partsOf(parts).filter(isCall);
  // It may be called where the line is not read: in an f-string, in a message.
  const mentions = Array.from(code).filter((other) => other === token).length;
  if (calls.length === 0 || mentions !== calls.length) return nothing;
  const made = calls.length > 1 && !line.isPart ? madeCall(line, callee) : undefined;
  const possible = made ? [made] : calls;
  const [first = nothing.names, ...others] = possible.map((part) => bindings(line, part, callee).names);
  const names = [...first].filter(([name, parameter]) =>
    others.every((other) => other.get(name) === parameter),
  );
  const isOnce = possible.length === 1 && partsOf(parts, repeating).some((part) => part === possible[0]);
  return { names: new Map(names), call: isOnce ? possible[0] : undefined };
}

/** The same where the line tells which of its calls has returned. */
function toldCall(line: FrameLine, callee: Scope): Given | undefined {
  const { program, frame, code, parts } = line;
  if (frame.gots.length >= gotLimit) return undefined;
  const { calls } = lineCalls(program, frame, code, [...parts.values, ...parts.inner]);
  const made = calls[frame.gots.length];
  if (made?.callee !== callee) return undefined;
  if (made.operands === undefined) {
    if (isDecorated(program, callee) || !isOfObject(line, made.part.parts[0] as Part, callee))
      return undefined;
    const { names, places } = bindings(line, made.part, callee);
    return { names, places, call: made.part };
  }
  const given = new Bindings(program, code, callee);
  for (const [index, operand] of made.operands.entries()) given.bind(callee.positional[index], operand);
  return given;
}

/** Whether what is called is no method, or one of the object that stands before it. */
function isOfObject({ program, frame, code }: FrameLine, target: Part, callee: Scope): boolean {
  const [base] = target.kind === 'attribute' ? target.parts : [];
  if (base === undefined) return true;
  if (isSuper(code, base)) return true;
  const told = (part: Part): readonly number[] | undefined => toldIn(program, frame, code, part);
  const owner = ownerOfPart({ program, frame, code, told }, base);
  return owner !== undefined && owner !== 'builtin' && methodOf(program, owner, callee.name) === callee;
}

/** Which of the line's calls returns, where its text tells their order. */
function madeCall({ program, frame, code, parts }: FrameLine, callee: Scope): Part | undefined {
  if (frame.gots.length >= gotLimit) return undefined;
  const { calls } = lineCalls(program, frame, code, [...parts.values, ...parts.inner]);
  const made = calls[frame.gots.length];
  return made?.callee === callee ? made.part : undefined;
}

/** Names that comprehensions, generator expressions and lambdas of a line have for themselves. */
export const namesInside = (program: Program, line: LineParts): Set<string> =>
  new Set(partsOf(line).flatMap(({ bound }) => [...bound].map((slot) => nameOfSlot(program, slot))));

/** All parts of a line; the parts of some kinds only as a whole. */
const partsOf = ({ values, inner }: LineParts, whole?: ReadonlySet<PartKind>): Part[] => {
  const within = (part: Part): Part[] => [part, ...(whole?.has(part.kind) ? [] : part.parts.flatMap(within))];
  return [...values, ...inner].flatMap(within);
};

/** What a call gives, and to which parameters. */
class Bindings implements Given {
  readonly names = new Map<string, string>();
  readonly places: Place[] = [];

  constructor(
    private readonly program: Program,
    private readonly code: ArrayLike<number>,
    private readonly callee: Scope,
  ) {}

  bind(parameter: string | undefined, part: Part): void {
    if (parameter === undefined || !this.callee.keptParameters.has(parameter)) return;
    if (part.kind === 'name')
      this.names.set(nameOfSlot(this.program, this.code[part.first] as number), parameter);
    else if (part.kind === 'attribute' || part.kind === 'subscript') this.places.push({ part, parameter });
  }
}

function bindings({ program, frame, code }: FrameLine, part: Part, callee: Scope): Bindings {
  const found = new Bindings(program, code, callee);
  const [target, ...given] = part.parts as [Part, ...Part[]];
  const isMethod = target.kind === 'attribute';
  if (isMethod) {
    const [base] = target.parts as [Part];
    const caller = isSuper(code, base) ? scopeOf(program, frame, 'paused') : undefined;
    const [self, own] = [callee.positional[0], caller?.positional[0]];
    if (caller && self !== undefined && own !== undefined && keepsObject(program, caller)) {
      if (callee.keptParameters.has(self)) found.names.set(own, self);
    } else found.bind(self, base);
  }
  // A name that stands for a method has its object with it.
  const isMade = target.kind === 'name' && isOfClass(callee);
  const positional = callee.positional.slice(Number(isMethod || isMade));
  const stars = given.findIndex(({ kind }) => kind === 'star');
  const inOrder = given.slice(0, stars < 0 ? given.length : stars).filter(({ kind }) => kind !== 'keyword');
  for (const [index, argument] of inOrder.entries()) found.bind(positional[index], argument);
  // With `**more` a name may be none of the function's parameters.
  const takesNames = callee.parameters.size === callee.positional.length;
  for (const { kind, first, parts } of takesNames ? given : [])
    if (kind === 'keyword') found.bind(nameOfSlot(program, code[first] as number), parts[0] as Part);
  return found;
}
