/** The states of a session as pages. */
import { ForetraceError } from '../errors.js';
import type { Answer } from '../session/debug-session.js';
import { stateBytes } from '../trajectory/index.js';

export const defaultStatesPerPage = 1024;
export const mostStatesPerPage = 4096;
/** Estimated bytes above which a page ends early; it has at least one state. */
const pageBytes = 4 * 1024 * 1024;

export interface StatePage {
  readonly states: readonly Answer[];
  /** Whether more states follow. */
  readonly truncated: boolean;
}

/**
 * The states with numbers above `after`.
 * @param count most of them, 0 = the default
 * @throws ForetraceError invalid_message for a count out of range
 */
export function pageOf(answers: readonly Answer[], after: number, count: number): StatePage {
  if (count > mostStatesPerPage) {
    throw new ForetraceError('invalid_message', 'max_states is out of range', {
      expected: `at most ${mostStatesPerPage}`,
      actual: String(count),
    });
  }
  const following = answers.filter(({ number }) => number > after);
  const most = count || defaultStatesPerPage;
  let bytes = 0;
  let length = 0;
  for (const { state } of following) {
    bytes += stateBytes(state);
    if (length >= most || (length > 0 && bytes > pageBytes)) break;
    length += 1;
  }
  return { states: following.slice(0, length), truncated: length < following.length };
}
