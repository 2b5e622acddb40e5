/**
 * What an assignment in the body of a `for` bound its name to in the pass before, where nothing else binds the name: the same expression, with what the names of the loop, and
 * those that the body binds on the way to it, stood for then.
 */
import { looksInto } from '../language/constants.js';
import type { FunctionFlow } from '../language/flow.js';
import { literalOf } from '../language/frame-literals.js';
import { substituted } from '../language/items.js';
import { mayCall } from '../language/known-calls.js';
import { isLiteral, isMutable } from '../language/literal-values.js';
import { type Part, partTokens } from '../language/parts.js';
import type { Value } from '../language/plan.js';
import { charToken, isSlotToken, wordTokens } from '../language/tokens.js';
import { encodeValue } from '../language/values.js';
import { bodyOf, headInPass } from '../loop-heads.js';
import { onlyValue } from '../only-statement.js';
import { lineTokens, loopsOf, nameOfSlot } from '../program.js';
import { asking, nothing, type Statement, type Undone } from './statement.js';

type Values = ReadonlyMap<number, Value>;

const dot = charToken('.');
/** What may have a pass go on behind a line that it left by an exception. */
const catching = new Set<number | undefined>(wordTokens('try with'));
/** Most assignments of which one needs the value of the one before. */
const mostInARow = 2;

/** `x = y`, x a name. */
export function passBefore(statement: Statement, target: Part, value: Part): Undone {
  const pass = target.kind === 'name' ? passOf(statement) : undefined;
  const slot = statement.code[target.first] as number;
  if (!pass?.bindsAlone(slot)) return nothing;
  const asked = { code: statement.code, part: value, line: statement.at, seen: new Set([slot]) };
  return pass.valueOf(asked, (found) => (pass.keeps(slot, found) ? statement.bound(slot, found) : nothing));
}

/** The pass before that of the innermost loop around a statement, if there was one. */
function passOf(statement: Statement): PassBefore | undefined {
  const { program, running, at } = statement;
  const { frame, scope } = running;
  const loops = loopsOf(scope, at);
  const head = loops.at(-1);
  const counter = frame.its[loops.length - 1];
  const isInside = head !== undefined && loopsOf(scope, frame.line)[loops.length - 1] === head;
  if (!isInside || counter === undefined || head === at || scope.flow === undefined) return undefined;
  const passes = frame.line === head ? counter - 1 : counter;
  const values = passes > 0 ? headInPass(program, running, head, passes - 1) : undefined;
  return values && new PassBefore(statement, head, scope.flow, values);
}

/** An expression of the body. */
interface Asked {
  readonly code: ArrayLike<number>;
  readonly part: Part;
  readonly line: number;
  /** Names that wait for its value. */
  readonly seen: ReadonlySet<number>;
}

class PassBefore {
  /** The lines of the loop but for its head. */
  private readonly body: readonly number[];

  /** values: of names of the head, as far as they are told. */
  constructor(
    private readonly statement: Statement,
    private readonly head: number,
    private readonly flow: FunctionFlow,
    private readonly values: ReadonlyMap<string, string | undefined>,
  ) {
    this.body = bodyOf(statement.running.scope, head);
  }

  /** Whether every pass comes to the statement, and nothing else binds the name. */
  bindsAlone(slot: number): boolean {
    const { program, at } = this.statement;
    const catchesNothing = this.body.every(
      (line) => !lineTokens(program, line).some((token) => catching.has(token)),
    );
    return catchesNothing && this.bindingLine(slot) === at && this.isAlwaysPassed(at, this.head);
  }

  /** The only line of the loop that binds a name, its head not counted. */
  private bindingLine(slot: number): number | undefined {
    const [line, ...others] = this.binding(slot);
    const isAlone = others.length === 0 && line !== this.head;
    return isAlone && !this.statement.program.reboundNames.has(this.nameOf(slot)) ? line : undefined;
  }

  private binding(slot: number): readonly number[] {
    const name = this.nameOf(slot);
    // A line of which nothing is known may bind anything.
    return [this.head, ...this.body].filter(
      (line) => this.flow.lines.get(line)?.effects.binds.has(name) !== false,
    );
  }

  /** Whether a pass that comes to another line, or to the head again, has passed this one. */
  private isAlwaysPassed(line: number, goal: number): boolean {
    const passed = new Set([line]);
    const open = [this.head];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const next of this.flow.lines.get(at)?.next ?? []) {
        if (passed.has(next)) continue;
        if (next === goal) return false;
        passed.add(next);
        if (this.body.includes(next)) open.push(next);
      }
    }
    return true;
  }

  /** What an expression came to. */
  valueOf(asked: Asked, then: (value: Value) => Undone): Undone {
    const { code, part, seen } = asked;
    const tokens = partTokens(code, part);
    if (seen.size > mostInARow || mayCall(code, part) || !isPlain(part)) return nothing;
    const slots = new Set(tokens.filter((token, at) => isSlotToken(token) && tokens[at - 1] !== dot));
    const changed = [...slots].filter((slot) => !this.stays(slot));
    return changed.some((slot) => seen.has(slot))
      ? nothing
      : this.withValues(asked, changed, new Map(), (values) => asking(substituted(tokens, values), then));
  }

  /** What names stood for on the line of an expression, one after the other. */
  private withValues(
    asked: Asked,
    [slot, ...others]: readonly number[],
    values: Values,
    then: (values: Values) => Undone,
  ): Undone {
    if (slot === undefined) return then(values);
    const go = (value: Value): Undone =>
      this.withValues(asked, others, new Map([...values, [slot, value]]), then);
    const { program, running } = this.statement;
    const text = this.values.get(this.nameOf(slot));
    const value = text === undefined ? undefined : encodeValue(program, text);
    if (value !== undefined) return isLiteral(value) ? go(value) : nothing;
    const line = this.bindingLine(slot);
    const bound = line === undefined ? undefined : onlyValue(program, running.scope, line);
    if (line === undefined || bound?.target?.kind !== 'name' || !this.isAlwaysPassed(line, asked.line))
      return nothing;
    const seen = new Set([...asked.seen, slot]);
    const inner = { code: bound.code, part: bound.value, line, seen };
    return this.valueOf(inner, (found) => (this.keeps(slot, found) ? go(found) : nothing));
  }

  /** Whether a name stands for the same all through the loop. */
  private stays(slot: number): boolean {
    const { program, running } = this.statement;
    if (!running.scope.names.includes(this.nameOf(slot))) return true;
    if (this.binding(slot).length > 0 || program.reboundNames.has(this.nameOf(slot))) return false;
    const value = literalOf(program, running.frame, slot);
    return value === undefined || this.keeps(slot, value);
  }

  /** Whether nothing in the loop changes a value that a name stands for. */
  keeps(slot: number, value: Value): boolean {
    if (!isMutable(value)) return true;
    const { program, running, at } = this.statement;
    const name = this.nameOf(slot);
    const isShared = program.scopes.some(
      ({ parent, names }) => parent === running.scope.index && names.includes(name),
    );
    const others = [this.head, ...this.body].filter((line) => line !== at);
    return !isShared && others.every((line) => looksInto(program, lineTokens(program, line), slot));
  }

  private nameOf(slot: number): string {
    return nameOfSlot(this.statement.program, slot);
  }
}

/** Whether an expression reads names and what they stand for alone: no attributes, and no names of its own. */
const isPlain = ({ kind, parts, bound }: Part): boolean =>
  bound.size === 0 &&
  kind !== 'attribute' &&
  parts.every((part, index) =>
    kind === 'call' && index === 0 && part.kind === 'attribute' ? part.parts.every(isPlain) : isPlain(part),
  );
