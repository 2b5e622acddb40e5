/** Debugger actions: five forward, five reverse. See docs/trace-language.md and DESIGN section 4 for the exact semantics. */

export const forwardActions = ['step_into', 'step_over', 'step_return', 'breakpoint', 'continue'] as const;
export const reverseActions = [
  'inv_step_into',
  'inv_step_over',
  'inv_step_call',
  'inv_breakpoint',
  'inv_continue',
] as const;
export const actionKinds = [...forwardActions, ...reverseActions] as const;

export type ActionKind = (typeof actionKinds)[number];

export interface Action {
  readonly kind: ActionKind;
  /** Physical lines of a breakpoint set, ascending, without repeats; empty for all other actions. */
  readonly lines: readonly number[];
}

export const takesLines = (kind: ActionKind): boolean => kind === 'breakpoint' || kind === 'inv_breakpoint';
/** Steps to the next or the last event of the frame, or of one that it enters. */
export const singleSteps: ReadonlySet<ActionKind> = new Set([
  'step_into',
  'step_over',
  'inv_step_into',
  'inv_step_over',
]);
/** Behind a `return` they all step on into the caller. */
export const callerSteps: ReadonlySet<ActionKind> = new Set(['step_into', 'step_over', 'step_return']);
export const isReverse = (kind: ActionKind): boolean => kind.startsWith('inv_');
