/** A program whose second line binds all names, so that any values may have come before; its states, and questions about it. */
import type { Action, ActionKind } from '../../src/debugger/action.js';
import { encodeDelta } from '../../src/debugger/language/encode.js';
import { parseProgram } from '../../src/debugger/program.js';
import type { DebuggerState } from '../../src/debugger/state.js';
import type { ScriptedService } from './scripted-service.js';
import { stateAt } from './states.js';

export const source = 'def add(a, b):\n    a, b, total = a * 1, b * 1, a + b\n    return total\n';
export const program = parseProgram(source, 'add(1, 2)');
export const action = (kind: ActionKind, ...lines: number[]): Action => ({ kind, lines });
export const call = (a: string, b: string): DebuggerState => stateAt('call', 1, { a, b });
export const first = (a: string, b: string): DebuggerState => stateAt('line', 2, { a, b });
export const second = (a: string, b: string, total = '3'): DebuggerState =>
  stateAt('line', 3, { a, b, total });
export const end = stateAt('return', 3, { a: '1', b: '2', total: '3' }, '3');

/** The next answers of the model, all to a question about `before`. */
export function script(service: ScriptedService, before: DebuggerState, ...after: DebuggerState[]): void {
  for (const state of after) service.script.push(encodeDelta(program, before, state, 1));
}

/** Access to a model that gives the scripted answers. */
export const accessTo = (service: ScriptedService) => ({
  service,
  modelDigest: 'm',
  maxContext: 512,
  maxAnswerTokens: 64,
});
