/** Tools that answer one question about a program and keep no session. */
import { z } from 'zod';
import { isLeftBy, mayBeLeft } from '../client/ending.js';
import { isGiven } from '../wire/given.js';
import { eventNumbers } from '../wire/messages.js';
import { line, type Programs, startField, type Way, wayFields, wayOf } from './arguments.js';
import type { Debugged } from './debugged.js';
import type { Sessions } from './sessions.js';
import type { AddTool, Reply } from './tool.js';

export function addPredictionTools(add: AddTool, sessions: Sessions, programs: Programs): void {
  add(
    'predict_call',
    {
      title: 'What a call gives',
      description:
        'Predicts what a call of a Python function returns, or which exception leaves it, without running it. Shows the last state of the run.',
    },
    z.strictObject({ ...programs.fields, start: startField, ...wayFields }),
    (given, signal) =>
      sessions.during(programs.read(given), signal, (debugged) => runToEnd(debugged, wayOf(given), signal)),
  );
  add(
    'predict_line',
    {
      title: 'The states at a line',
      description:
        'Predicts the states in which a run of a Python program comes to a line: all locals at each of the first hits. Runs nothing.',
    },
    z.strictObject({
      ...programs.fields,
      start: startField,
      line: line.describe('line of code'),
      hits: z.int().min(1).max(64).default(4).describe('how many hits at most'),
      ...wayFields,
    }),
    (given, signal) =>
      sessions.during(programs.read(given), signal, (debugged) =>
        hitsOf(debugged, given.line, given.hits, wayOf(given), signal),
      ),
  );
}

async function runToEnd(debugged: Debugged, way: Way, signal: AbortSignal): Promise<Reply> {
  const end = await debugged.act({ action: 'continue', lines: [], ...way }, signal);
  const text = debugged.show(end);
  if (!mayBeLeft(end)) return text;
  const before = await debugged.act({ ...way, action: 'inv_step_into', lines: [], mode: 'auto' }, signal);
  return isLeftBy(end, before) && isGiven(before.state.value)
    ? `${text}\nleft by an exception:\n${debugged.show(before, end.number)}`
    : text;
}

async function hitsOf(
  debugged: Debugged,
  line: number,
  hits: number,
  way: Way,
  signal: AbortSignal,
): Promise<Reply> {
  const found: string[] = [];
  try {
    while (found.length < hits) {
      const answer = await debugged.act({ action: 'breakpoint', lines: [line], ...way }, signal);
      const { event, frames } = answer.state;
      const isHit = event === eventNumbers.line && frames.at(-1)?.line === line;
      if (!isHit) found.push(found.length === 0 ? 'the line is not reached:' : 'no further hit:');
      found.push(debugged.show(answer));
      if (!isHit) break;
    }
  } catch (error) {
    return { found, error };
  }
  return found.join('\n');
}
