/** What a session itself has gone through, as chains for going back: the past it knows, whatever else may lead to the same state. */
import { isReverse } from '../debugger/action.js';
import { type History, type Place, singleStep } from '../trajectory/index.js';
import type { Answer } from './answer.js';

/** @param find a visited state by number; undefined if the session does not hold it any more */
export function historyOf(start: Answer, find: (number: number) => Answer | undefined): History {
  const place = ({ number, state }: Answer): Place => ({ key: String(number), state });
  return {
    start: place(start),
    links: ({ key }) => {
      const answer = original(find(Number(key)), find);
      if (answer === undefined || answer.action === null || isReverse(answer.action.kind)) return [];
      const before = find(answer.via ?? answer.parent);
      if (before === undefined) return [];
      const action = answer.via === undefined ? answer.action : singleStep('forward');
      // The session was there: whether the model was right about it is another question.
      return [{ ...place(before), asked: before.state, action, whole: 1, isBorder: false }];
    },
  };
}

/** A state that a session went back to is the one it was when it was first there. */
function original(
  answer: Answer | undefined,
  find: (number: number) => Answer | undefined,
): Answer | undefined {
  let at = answer;
  while (at?.same !== undefined) at = find(at.same);
  return at;
}
