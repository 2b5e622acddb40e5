/** What an object has that its `__init__` is still making, where the lines before tell it. */
import { isImmutable } from './frozen.js';
import { hasPlainAttributes } from './language/attributes.js';
import { emptyMadeBy } from './language/empty-collections.js';
import { toldIn } from './language/frame-literals.js';
import { mayCall } from './language/known-calls.js';
import { lineParts } from './language/line-parts.js';
import { isConstructor } from './language/methods.js';
import { augmented } from './language/operators.js';
import type { Part } from './language/parts.js';
import { ownerOf } from './language/program-classes.js';
import { attributeOfName, mentioned } from './language/sure-reads.js';
import { assignedIn, pairsOf } from './language/target-order.js';
import { wordTokens } from './language/tokens.js';
import { decodeValue } from './language/values.js';
import { wholeWorkings } from './language/workings.js';
import { type Statement, statementsUpTo } from './method-walk.js';
import { indentOf, nameOfSlot, type Program, type Scope } from './program.js';
import type { Frame } from './state.js';
import { reachesUnnamed } from './unwritten.js';

interface Constructed {
  /** `__qualname__` of the class whose `__init__` it is. */
  readonly owner: string;
  /** The name of the object. */
  readonly self: string;
  readonly attributes: ReadonlyMap<string, string | undefined>;
}

interface Assigned {
  readonly name: string;
  readonly value: Part;
}

/** What may run a statement more than once, or only a part of what is in it. */
const blocks = new Set(wordTokens('for while try with match async def class'));

/**
 * The attributes with their reprs, as far as these are told, in order; undefined where a frame is none of an `__init__`, or something else may have been done with its
 * object before.
 */
export function constructedAttributes(program: Program, frame: Frame): Constructed | undefined {
  const scope = program.scopes.find(
    (one) => isConstructor(one) && one.firstLine < frame.line && frame.line <= one.lastLine,
  );
  const owner = scope && ownerOf(program, scope);
  const self = scope?.positional[0];
  if (scope === undefined || owner === undefined || self === undefined || !scope.keptParameters.has(self))
    return undefined;
  if (!hasPlainAttributes(program) || reachesUnnamed(program, scope)) return undefined;
  const statements = statementsUpTo(program, scope, frame.line)?.filter(({ line }) => line < frame.line);
  if (statements === undefined || statements.some(({ code }) => blocks.has(code[0] as number)))
    return undefined;
  const making = new Making(program, scope, frame, self);
  return statements.every((one) => making.takes(one))
    ? { owner: owner.name, self, attributes: making.attributes }
    : undefined;
}

/** The attributes of an object, statement by statement. */
class Making {
  readonly attributes = new Map<string, string | undefined>();
  private readonly indent: number;

  constructor(
    private readonly program: Program,
    private readonly scope: Scope,
    private readonly frame: Frame,
    private readonly self: string,
  ) {
    this.indent = indentOf(program, scope.lines[0] ?? 0);
  }

  /** false where it may do something with the object that is not told. */
  takes(statement: Statement): boolean {
    const { code, indent } = statement;
    const used = mentioned(this.program, code, this.self);
    if (used === undefined) return false;
    if (used.size === 0) return true;
    if (code.some((token) => augmented.has(token))) {
      this.forgets(used);
      return true;
    }
    const assigned = this.attributesAssigned(code);
    const isTold = assigned !== undefined && (assigned.length === 0 || indent === this.indent);
    if (!isTold) return false;
    // What is read of the object may be changed where it goes.
    this.forgets(used, (text) => !isImmutable(text));
    for (const [at, { name }] of assigned.entries()) this.attributes.set(name, this.textAt(statement, at));
    return true;
  }

  /** The attributes that a statement assigns, none or some; undefined where it may bind one otherwise. */
  private attributesAssigned(code: readonly number[]): readonly Assigned[] | undefined {
    const { values: [value] = [], targets = [] } = lineParts(code) ?? {};
    const [target, ...others] = targets;
    if (value === undefined) return undefined;
    const pairs = target && others.length === 0 ? pairsOf(target, value) : [];
    const named = pairs.flatMap(([one, of]) => {
      const name = this.attributeAt(code, one);
      return name === undefined ? [] : [{ name, value: of }];
    });
    if (named.length > 0 && named.length === pairs.length) return named;
    const isOwn = targets.flatMap(assignedIn).some((one) => this.attributeAt(code, one) !== undefined);
    return isOwn ? undefined : [];
  }

  private attributeAt(code: readonly number[], part: Part): string | undefined {
    return attributeOfName(this.program, code, part, this.self);
  }

  private forgets(names: ReadonlySet<string>, isLost: (text: string) => boolean = () => true): void {
    for (const name of names) {
      const text = this.attributes.get(name);
      if (text !== undefined && isLost(text)) this.attributes.set(name, undefined);
    }
  }

  /** What the value of an assigned attribute comes to, if what it reads is still the same. */
  private textAt({ line, code }: Statement, at: number): string | undefined {
    const { program, frame } = this;
    const { value } = this.attributesAssigned(code)?.[at] as Assigned;
    const made = emptyMadeBy(program, code, value);
    if (made !== undefined || mayCall(code, value) || !this.isKept(code, value, line)) return made;
    if (value.kind === 'name') return frame.locals.get(nameOfSlot(program, code[value.first] as number));
    const worked = wholeWorkings(program, frame, code)?.(new Map()).code ?? code;
    const part = this.attributesAssigned(worked)?.[at]?.value;
    const tokens = part && toldIn(program, frame, worked, part);
    const text = tokens && decodeValue(program, tokens);
    return typeof text === 'string' ? text : undefined;
  }

  /** Whether names that are read stand for the same since a line. */
  private isKept(code: readonly number[], part: Part, line: number, isAlias = part.kind === 'name'): boolean {
    if (part.kind === 'attribute' || part.bound.size > 0) return false;
    if (part.kind !== 'name') return part.parts.every((inner) => this.isKept(code, inner, line, isAlias));
    const name = nameOfSlot(this.program, code[part.first] as number);
    const later = this.scope.lines.filter((one) => line < one && one < this.frame.line);
    const effects = later.map((one) => this.scope.flow?.lines.get(one)?.effects);
    const isSame = effects.every((one) => one !== undefined && !one.binds.has(name));
    const text = this.frame.locals.get(name) ?? 'None';
    const isWhole = isAlias || isImmutable(text) || effects.every((one) => one?.quiet && !one.stores);
    return isSame && isWhole && !this.program.reboundNames.has(name);
  }
}
