/**
 * Names that a single step cannot change: those the statement does not bind, whose values are immutable or which the statement leaves alone
 * (language/effects.ts). Python binds a local only where its own function says so, or an inner function says `nonlocal`.
 */
import { type Action, isReverse, singleSteps } from './action.js';
import { dropsNothing } from './dropped.js';
import { isLastingException } from './language/exception-values.js';
import type { LineFlow } from './language/flow.js';
import { stepConstraint } from './language/step-constraints.js';
import type { Program, Scope } from './program.js';
import { scopeOf } from './running.js';
import { type DebuggerState, depth, type Frame } from './state.js';

const nothing: ReadonlySet<string> = new Set();

/** Names of the frame that `action` steps on from which keep their values, bound or unbound, whatever the step leads to. */
export function frozenNames(
  program: Program,
  state: DebuggerState | null,
  action: Action,
): ReadonlySet<string> {
  if (state === null || !singleSteps.has(action.kind)) return nothing;
  const direction = isReverse(action.kind) ? 'reverse' : 'forward';
  const isLeft = state.event === (direction === 'reverse' ? 'call' : 'return');
  const level = depth(state) - Number(isLeft) - 1;
  const frame = state.frames[level - state.hiddenFrames];
  const scope = frame && scopeOf(program, frame, isLeft ? 'paused' : state.event);
  if (frame === undefined || scope === undefined || scope.isGenerator) return nothing;
  const standing = {
    event: isLeft ? ('paused' as const) : state.event,
    line: frame.line,
    isPlain: isLeft && dropsNothing(program, state),
  };
  const constraint = stepConstraint(scope, direction, standing);
  if (constraint === undefined) return nothing;
  if (constraint.name === 'entry' && !program.hidesArguments) return new Set(scope.names);
  const lines = new Set(direction === 'forward' ? [] : (constraint.events.get('line') ?? []));
  // Going back from any other event than a line's, the frame has begun the statement it stands on.
  if (direction === 'forward' || standing.event !== 'line') lines.add(frame.line);
  const flows = [...lines].map((line) => scope.flow?.lines.get(line));
  if (!flows.every((flow) => flow !== undefined)) return nothing;
  const isOnward = direction === 'forward' && standing.event === 'line';
  return new Set(
    scope.names.filter((name) =>
      flows.every((flow) => staysOver(program, scope, frame, flow, name, isOnward)),
    ),
  );
}

/**
 * Whether a name of the frame has the same value, or none, before and after the statements of a line.
 * @param isOnward whether that is asked of what comes next after its `line` event
 */
export function staysOver(
  program: Program,
  scope: Scope,
  frame: Frame,
  { effects, keeps }: LineFlow,
  name: string,
  isOnward = false,
): boolean {
  if (effects.binds.has(name) && !(isOnward && keeps.has(name))) return false;
  // Another frame with the same variable may run in between.
  if (effects.calls && program.reboundNames.has(name)) return false;
  const isShared = program.scopes.some((other) => other !== scope && other.names.includes(name));
  if (isShared && program.scopes.some((other) => other.isGenerator)) return false;
  const value = frame.locals.get(name);
  // Where arguments are hidden, a name without a value may be unknown rather than unbound.
  if (value === undefined && program.hidesArguments) return false;
  if (value === undefined || isImmutable(value)) return true;
  // In its `__init__` an exception may be given something else.
  const isMade = scope.name === '__init__' && scope.positional[0] === name;
  if (!isMade && isLastingException(program, value)) return true;
  return effects.quiet && [...effects.updates].every((other) => isImmutable(frame.locals.get(other) ?? '[]'));
}

const string = /[bB]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g;
const plainWords = /\b(?:True|False|None|inf|nan|[\d.]+(?:e[+-]?\d+)?j?)\b/g;

const plainFunction = /<function [^\s(),]+>/g;
/** With its text taken out. */
const memberOfEnumeration = /<[^\W\d]\w*\.\w+: -?\d*>/gu;

/** Whether a canonical repr is that of a number, string, bytes, None, a function, or a tuple of such. */
export function isImmutable(value: string): boolean {
  if (value.includes('…')) return /^[bB]?['"]/.test(value);
  return /^[\s(),.+\-j]*$/.test(
    value
      .replace(string, '')
      .replace(plainFunction, '')
      .replace(memberOfEnumeration, '')
      .replace(plainWords, ''),
  );
}
