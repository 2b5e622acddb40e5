/**
 * What is known of a step in the frame of a generator expression with two `for`, or on several lines. It has no counters: the values of its names tell how far it has
 * come, where each of them is there once.
 */
import type { GeneratorFrame } from '../debugger/generator-frame.js';
import { type Clause, clausesOf } from '../debugger/language/clauses.js';
import { gotLimit } from '../debugger/language/encode.js';
import { substituted, taken } from '../debugger/language/items.js';
import { isLiteral, truthOfLiteral } from '../debugger/language/literal-values.js';
import type { Part } from '../debugger/language/parts.js';
import type { Value } from '../debugger/language/plan.js';
import { isSlotToken } from '../debugger/language/tokens.js';
import { encodeValue } from '../debugger/language/values.js';
import { namesAround } from '../debugger/language/workings.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import { isNeverNone } from '../debugger/raised.js';
import type { Running } from '../debugger/running.js';
import { Asking, asAsked } from './asking.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import { keptNames, leftNames, settledPassCalls, withNames } from './settle-generator-calls.js';
import type { AskedStep, Settled } from './settled.js';
import type { ModelAccess } from './submit-question.js';

/** Most items of one of the two. */
const mostItems = 4096;

type Names = ReadonlyMap<number, Value>;

/** What comes next: a pass with these names, a line on which it has these and passes on, or the end. */
type Next = { readonly kind: 'pass' | 'line'; readonly names: Names } | { readonly kind: 'end' };

export const isUncounted = ({ own }: GeneratorFrame): boolean => own.frame.its.length === 0;

/**
 * What the frame does next on its line, or behind a call that it has made; undefined where that is not told.
 * @throws ForetraceError as workOut
 */
export async function uncountedPass(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
): Promise<Settled | undefined> {
  const { program, state, action } = step;
  const { own, code, part, isPaused } = generator;
  const value = isPaused ? (state?.value ?? 'None') : undefined;
  // A function that gave None may have been left by an exception.
  if (value === 'None' || own.frame.gots.length >= gotLimit || comesBack(program, generator))
    return undefined;
  const read = clausesOf(code, part);
  const [outer, inner, ...others] = read?.clauses ?? [];
  if (read === undefined || outer === undefined || others.length > 0) return undefined;
  const around = withNamesAround(program, generator);
  const [first, rest] = [new Asking(access, step, around), new Asking(access, step, own)];
  const next = await asAsked(first, () =>
    asAsked(rest, () => new Passes(program, generator, outer, inner, first, rest).next()),
  );
  if (next === undefined) return undefined;
  const paid = sumOfPaid(first.paid, rest.paid);
  const kept = keptNames(program, generator);
  if (next.kind === 'end')
    return {
      ...paid,
      results: { assigned: kept, returned: 'None' },
      ended: 'ended',
      frozen: new Set(own.scope.names),
    };
  const assigned = withNames(program, kept, next.names);
  if (assigned === undefined) return undefined;
  // A name that it has not come to yet stays as it is.
  const isUnbound = (name: string): boolean => !assigned.has(name) && !own.scope.namesAtCall.includes(name);
  const frozen = new Set(own.scope.names.filter(isUnbound));
  if (next.kind === 'line') return { ...paid, results: { assigned }, ended: 'fails', frozen };
  const expressions = [...(inner ?? outer).conditions, ...read.items];
  const given = value === undefined ? [] : [...own.frame.gots, value];
  const isInto = action.kind === 'step_into' || isPaused || !generator.calls;
  const made = isInto
    ? await settledPassCalls(access, step, generator, expressions, assigned, given)
    : undefined;
  if (made) return { ...made, ...sumOfPaid(paid, made) };
  return isPaused ? undefined : { ...paid, results: { assigned: leftNames(program, generator, assigned) } };
}

/**
 * Whether a frame with one `for` that gives None has come to its end, or was left by an exception behind its last item; false: that is not told.
 * @throws ForetraceError as workOut
 */
export async function isOver(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
): Promise<Paid & { readonly ended: boolean }> {
  const { program } = step;
  const { code, part } = generator;
  const read = clausesOf(code, part);
  const [outer, ...others] = read?.clauses ?? [];
  const [item, ...more] = read?.items ?? [];
  const isOne = others.length + more.length === 0 && item !== undefined && isNeverNone(program, code, item);
  if (outer === undefined || !isOne || comesBack(program, generator)) return { ...unasked, ended: false };
  const around = withNamesAround(program, generator);
  const asking = new Asking(access, step, around);
  const ended = await asAsked(asking, () =>
    new Passes(program, generator, outer, undefined, asking, asking).areOver(),
  );
  return { ...asking.paid, ended: ended === true };
}

/** Whether the frame stops on its line more than once a pass: what is in it, on another line, has a frame of its own that is made there. */
const comesBack = (program: Program, { own }: GeneratorFrame): boolean =>
  program.scopes.some(({ parent, firstLine }) => parent === own.scope.index && firstLine !== own.frame.line);

/** The frame with the names of those around it, by which the first iterable is read. */
const withNamesAround = (program: Program, generator: GeneratorFrame): Running => {
  const { frame, scope } = generator.own;
  return { scope, frame: { ...frame, locals: namesAround(program, generator) } };
};

class Passes {
  constructor(
    private readonly program: Program,
    private readonly generator: GeneratorFrame,
    private readonly outer: Clause,
    private readonly inner: Clause | undefined,
    private readonly first: Asking,
    private readonly rest: Asking,
  ) {}

  /** undefined: it cannot be told. */
  async next(): Promise<Next | undefined> {
    const items = await this.first.itemsOf(this.codeOf(this.outer.iterable, new Map()), mostItems);
    const passes = items.map((item) => taken(this.outer.target, item));
    if (!passes.every((names) => names !== undefined)) return undefined;
    const own = this.namesOf(this.outer);
    if (own === 'unbound') return this.from(passes, 0);
    const at = placeIn(passes, own);
    if (at === undefined) return undefined;
    if (this.inner === undefined) return this.from(passes, at + 1);
    const inside = await this.inside(this.inner, passes[at] as Names);
    if (inside === undefined) return undefined;
    if (inside.length === 0) return this.from(passes, at + 1);
    const before = this.namesOf(this.inner);
    const place = before === 'unbound' ? undefined : placeIn(inside, before);
    if (place === undefined) return undefined;
    const next = inside[place + 1];
    if (next) return { kind: 'pass', names: new Map([...(passes[at] as Names), ...next]) };
    // On its line it may have passed the last one, or may yet find out that it was the last.
    return this.generator.isPaused ? this.from(passes, at + 1) : undefined;
  }

  /** Whether the names stand for the last item of the outer one, or there is none. */
  async areOver(): Promise<boolean> {
    const items = await this.first.itemsOf(this.codeOf(this.outer.iterable, new Map()), mostItems);
    const passes = items.map((item) => taken(this.outer.target, item));
    const own = this.namesOf(this.outer);
    if (own === 'unbound') return passes.length === 0;
    return passes.every((names) => names !== undefined) && placeIn(passes, own) === passes.length - 1;
  }

  /** What it does once it takes this item of the outer one. */
  private async from(passes: readonly Names[], at: number): Promise<Next | undefined> {
    const names = passes[at];
    if (names === undefined) return { kind: 'end' };
    if (this.inner === undefined) return { kind: 'pass', names };
    const inside = await this.inside(this.inner, names);
    if (inside === undefined) return undefined;
    const [first] = inside;
    return first === undefined
      ? { kind: 'line', names }
      : { kind: 'pass', names: new Map([...names, ...first]) };
  }

  /** The names of the inner one, by its items, for an item of the outer one; none where the conditions between the two do not hold. */
  private async inside({ target, iterable }: Clause, names: Names): Promise<Names[] | undefined> {
    for (const condition of this.outer.conditions)
      if (!truthOfLiteral(await this.rest.valueOf(this.codeOf(condition, names)))) return [];
    const items = await this.rest.itemsOf(this.codeOf(iterable, names), mostItems);
    const found = items.map((item) => taken(target, item));
    return found.every((inner) => inner !== undefined) ? found : undefined;
  }

  private codeOf({ begin, until }: Part, names: Names): number[] {
    return substituted(this.generator.code.slice(begin, until), names);
  }

  /** What the names of a clause stand for in the frame. */
  private namesOf({ target }: Clause): Names | 'unbound' {
    const { locals } = this.generator.own.frame;
    const found = target.filter(isSlotToken).flatMap((slot) => {
      const text = locals.get(nameOfSlot(this.program, slot));
      return text === undefined ? [] : [[slot, encodeValue(this.program, text)] as const];
    });
    return found.length === 0 ? 'unbound' : new Map(found);
  }
}

/** The one place where names stand for such values. */
function placeIn(passes: readonly Names[], names: Names): number | undefined {
  const isSame = (pass: Names): boolean =>
    pass.size === names.size &&
    [...pass].every(([slot, value]) => isLiteral(value) && names.get(slot)?.join() === value.join());
  const at = passes.findIndex(isSame);
  return at >= 0 && at === passes.findLastIndex(isSame) ? at : undefined;
}
