/** A Lezer parse that ends in time: what takes longer is refused, whatever it is. */
import type { Tree } from '@lezer/common';
import { parser } from '@lezer/python';
import { ForetraceError } from '../../errors.js';

/** Far above what any text within the other bounds takes; everybody else waits while one text is parsed. */
const parseMillis = 5_000;
const stepsPerLook = 256;

/** The tree of a text. @throws ForetraceError program_too_long */
export function parseInTime(
  text: string,
  millis = parseMillis,
  now: () => number = () => performance.now(),
): Tree {
  const parse = parser.startParse(text);
  const deadline = now() + millis;
  for (let step = 1; ; step += 1) {
    const tree = parse.advance();
    if (tree !== null) return tree;
    if (step % stepsPerLook === 0 && now() > deadline) {
      throw new ForetraceError('program_too_long', 'The program text takes too long to parse.', {
        expected: `at most ${millis} ms`,
        actual: `${parse.parsedPos} of ${text.length} characters after that`,
      });
    }
  }
}
