/** Which names of a frame the calls of its line give to a function: the parameters then have the same objects. */
import { nameOfSlot, type Program, type Scope } from '../program.js';
import { gotLimit } from './encode.js';
import { lineCalls } from './line-calls.js';
import { entersProgram, type FrameLine } from './line-changes.js';
import type { LineParts } from './line-parts.js';
import { isDecorated } from './methods.js';
import type { Part, PartKind } from './parts.js';
import { wordToken } from './tokens.js';

/** What calls of a function on a line give it. */
export interface Given {
  /** By name of the frame (or of a comprehension on the line, see namesInside): a parameter that has its object, whichever of the calls it was. Only parameters that nothing binds again. */
  readonly names: ReadonlyMap<string, string>;
  /** The call itself, where it is told and the line makes it once. */
  readonly call?: Part | undefined;
}

const nothing: Given = { names: new Map() };
/** What is evaluated several times, or elsewhere. */
const repeating: ReadonlySet<PartKind> = new Set(['comprehension', 'generator', 'lambda']);

/** What the frame gave `callee`, which it called on this line and which returns. */
export function givenNames(line: FrameLine, callee: Scope): Given {
  const { program, code, parts } = line;
  // A method may be named like one of a builtin.
  const token = program.slots.get(callee.name) ?? wordToken(callee.name);
  if (token === undefined || program.scopes.some((other) => other !== callee && other.name === callee.name))
    return nothing;
  if (isDecorated(program, callee)) return nothing;
  const special = specialCall(line, callee);
  if (special) return special;
  const isCall = ({ kind, parts: [target] }: Part): boolean =>
    kind === 'call' && target !== undefined && code[target.end - 1] === token && entersProgram(line, target);
  const calls = partsOf(parts).filter(isCall);
  // It may be called where the line is not read: in an f-string, in a message.
  const mentions = Array.from(code).filter((other) => other === token).length;
  if (calls.length === 0 || mentions !== calls.length) return nothing;
  const made = calls.length > 1 ? madeCall(line, callee) : undefined;
  const possible = made ? [made] : calls;
  const [first = nothing.names, ...others] = possible.map((part) => bindings(program, code, part, callee));
  const names = [...first].filter(([name, parameter]) =>
    others.every((other) => other.get(name) === parameter),
  );
  const isOnce = possible.length === 1 && partsOf(parts, repeating).some((part) => part === possible[0]);
  return { names: new Map(names), call: isOnce ? possible[0] : undefined };
}

/** The same of a method that no call in the text names. */
function specialCall({ program, frame, code, parts }: FrameLine, callee: Scope): Given | undefined {
  if (!/^__\w+__$/.test(callee.name) || frame.gots.length >= gotLimit) return undefined;
  const { calls } = lineCalls(program, frame, code, [...parts.values, ...parts.inner]);
  const { callee: made, operands = [] } = calls[frame.gots.length] ?? {};
  if (made !== callee || operands.length === 0) return undefined;
  const names = operands.flatMap(({ kind, first }, index) => {
    const parameter = callee.positional[index];
    const isKept = kind === 'name' && parameter !== undefined && callee.keptParameters.has(parameter);
    return isKept ? [[nameOfSlot(program, code[first] as number), parameter] as const] : [];
  });
  return { names: new Map(names) };
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

/** By name: the parameter to which a call gives it. */
function bindings(program: Program, code: ArrayLike<number>, part: Part, callee: Scope): Map<string, string> {
  const found = new Map<string, string>();
  const [target, ...given] = part.parts as [Part, ...Part[]];
  const bind = (parameter: string | undefined, { kind, first }: Part): void => {
    if (kind === 'name' && parameter !== undefined && callee.keptParameters.has(parameter))
      found.set(nameOfSlot(program, code[first] as number), parameter);
  };
  const isMethod = target.kind === 'attribute';
  if (isMethod) bind(callee.positional[0], target.parts[0] as Part);
  const positional = callee.positional.slice(Number(isMethod));
  const stars = given.findIndex(({ kind }) => kind === 'star');
  const inOrder = given.slice(0, stars < 0 ? given.length : stars).filter(({ kind }) => kind !== 'keyword');
  for (const [index, argument] of inOrder.entries()) bind(positional[index], argument);
  // With `**more` a name may be none of the function's parameters.
  const takesNames = callee.parameters.size === callee.positional.length;
  for (const { kind, first, parts } of takesNames ? given : [])
    if (kind === 'keyword') bind(nameOfSlot(program, code[first] as number), parts[0] as Part);
  return found;
}
