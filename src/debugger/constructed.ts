/** What an object has that its `__init__` is still making, where the lines before tell it. */
import { attributeName } from './language/attributes.js';
import { emptyMadeBy } from './language/empty-collections.js';
import { toldIn } from './language/frame-literals.js';
import { mayCall } from './language/known-calls.js';
import { lineParts } from './language/line-parts.js';
import { isConstructor } from './language/methods.js';
import type { Part } from './language/parts.js';
import { ownerOf } from './language/program-classes.js';
import { decodeValue } from './language/values.js';
import { wholeWorkings } from './language/workings.js';
import { lineTokens, nameOfSlot, type Program, type Scope } from './program.js';
import type { Frame } from './state.js';

interface Constructed {
  /** `__qualname__` of the class. */
  readonly owner: string;
  /** The name of the object. */
  readonly self: string;
  readonly attributes: ReadonlyMap<string, string | undefined>;
}

/**
 * The attributes with their reprs, as far as these are told, in order; undefined where a frame is none of an `__init__`, or something else than their assignment comes
 * before its line.
 */
export function constructedAttributes(program: Program, frame: Frame): Constructed | undefined {
  const scope = program.scopes.find(
    (one) => isConstructor(one) && one.firstLine < frame.line && frame.line <= one.lastLine,
  );
  const owner = scope && ownerOf(program, scope);
  const self = scope?.positional[0];
  if (scope === undefined || owner === undefined || self === undefined || !scope.keptParameters.has(self))
    return undefined;
  const attributes = new Map<string, string | undefined>();
  const indent = indentOf(program, scope.lines[0] ?? 0);
  for (const line of scope.lines.filter((one) => one < frame.line)) {
    const assigned =
      indentOf(program, line) === indent ? assignedOn(program, scope, frame, line, self) : undefined;
    if (assigned === undefined) return undefined;
    attributes.set(...assigned);
  }
  return { owner: owner.name, self, attributes };
}

const indentOf = ({ lines }: Program, line: number): number =>
  /^\s*/.exec(lines[line - 1] ?? '')?.[0].length ?? 0;

/** `self.x = y`, where y is told and stays what it is. */
function assignedOn(
  program: Program,
  scope: Scope,
  frame: Frame,
  line: number,
  self: string,
): [name: string, text: string | undefined] | undefined {
  const code = [...lineTokens(program, line)];
  const { values: [value] = [], targets: [target, ...others] = [] } = lineParts(code) ?? {};
  if (value === undefined || target === undefined || others.length > 0) return undefined;
  const made = emptyMadeBy(program, code, value);
  const isPlain = !mayCall(code, value) || made !== undefined;
  const isOwn =
    target.kind === 'attribute' &&
    target.end === target.first + 3 &&
    attributeName(program, code[target.first] as number) === self;
  const text =
    made ?? (isKept(program, scope, code, value) ? textOf(program, frame, code, value) : undefined);
  return isOwn && isPlain ? [attributeName(program, code[target.end - 1] as number), text] : undefined;
}

/** Whether what is read are parameters that nothing binds again. */
const isKept = (program: Program, scope: Scope, code: readonly number[], part: Part): boolean =>
  part.kind === 'name'
    ? scope.keptParameters.has(nameOfSlot(program, code[part.first] as number))
    : part.kind !== 'attribute' &&
      part.bound.size === 0 &&
      part.parts.every((inner) => isKept(program, scope, code, inner));

function textOf(program: Program, frame: Frame, code: readonly number[], value: Part): string | undefined {
  if (value.kind === 'name') return frame.locals.get(nameOfSlot(program, code[value.first] as number));
  const worked = wholeWorkings(program, frame, code)?.(new Map()).code ?? code;
  const part = lineParts(worked)?.values[0];
  const tokens = part && toldIn(program, frame, worked, part);
  const text = tokens && decodeValue(program, tokens);
  return typeof text === 'string' ? text : undefined;
}
