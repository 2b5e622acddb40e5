/** Tools that step through a program: a session keeps every state that was visited, and stands at one of them. */
import { z } from 'zod';
import { asForetraceError } from '../errors.js';
import { candidatesText } from '../view/candidates.js';
import { evaluationText } from '../view/evaluation.js';
import {
  actionFields,
  type Programs,
  sessionField,
  startField,
  stateField,
  wayFields,
  wayOf,
} from './arguments.js';
import type { Debugged, GivenAction } from './debugged.js';
import type { Sessions } from './sessions.js';
import type { AddTool, Reply } from './tool.js';

export function addSessionTools(add: AddTool, sessions: Sessions, programs: Programs): void {
  add(
    'start_debugging',
    {
      title: 'Start debugging',
      description:
        'Opens a session that steps through a Python program, forward and backward, without running it. Names the session for the other tools and shows its first state.',
    },
    z.strictObject({ ...programs.fields, start: startField }),
    async (given, signal) => {
      const { name, debugged } = await sessions.start(programs.read(given), signal);
      const lines = `lines of code: ${debugged.executable.join(' ')}`;
      return [`session ${name}`, lines, debugged.show(debugged.standing)].join('\n');
    },
  );
  add(
    'act',
    {
      title: 'Step, continue, go back',
      description:
        'Predicts the state that a debugger action leads to, and moves the session there. Shows the locals that changed, with the probability of each.',
    },
    z.strictObject({
      session: sessionField,
      ...actionFields,
      times: z
        .int()
        .min(1)
        .max(64)
        .default(1)
        .describe('take the action so often in a row, showing each state'),
      stop_at_exceptions: z
        .boolean()
        .default(false)
        .describe('walk, and stop where an exception is raised, if that comes first; forward only'),
      ...wayFields,
      from: stateField,
    }),
    ({ session, times, action, lines, from, stop_at_exceptions: stopAtExceptions, ...way }, signal) =>
      actRepeatedly(
        sessions.find(session),
        { action, lines, from, stopAtExceptions, ...wayOf(way) },
        times,
        signal,
      ),
  );
  add(
    'evaluate',
    {
      title: 'Values of expressions',
      description: 'Predicts what Python expressions come to in a state; the session stays where it is.',
    },
    z.strictObject({
      session: sessionField,
      expressions: z.array(z.string()).min(1).max(32),
      at: stateField,
    }),
    ({ session, expressions, at }, signal) => evaluateAll(sessions.find(session), expressions, at, signal),
  );
  add(
    'candidates',
    {
      title: 'Several possible states',
      description:
        'Predicts several distinct states that an action may lead to, most probable first: above all what may have come before (inv_*), where each is checked by going forward again. The session stays; go_to moves to one.',
    },
    z.strictObject({
      session: sessionField,
      ...actionFields,
      count: z.int().min(1).max(16).default(4),
      from: stateField,
    }),
    async ({ session, count, ...action }, signal) => {
      const debugged = sessions.find(session);
      const list = await debugged.candidates(action, count, signal);
      return candidatesText(list, debugged.known(list.from));
    },
  );
  add(
    'set_locals',
    {
      title: 'What if',
      description:
        'Changes or deletes locals of the current frame: a new state to go on from. Nothing is predicted by it.',
    },
    z.strictObject({
      session: sessionField,
      locals: z
        .record(z.string(), z.string())
        .default({})
        .describe('values by name, as repr: {"x": "[1, 2]"}'),
      deleted: z.array(z.string()).default([]),
      from: stateField,
    }),
    async ({ session, locals, deleted, from }) => {
      const debugged = sessions.find(session);
      const since = from ?? debugged.standing.number;
      return debugged.show(await debugged.setLocals(locals, deleted, from), since);
    },
  );
  add(
    'go_to',
    {
      title: 'Go to a visited state',
      description: 'Moves the session to a state that was visited before, and shows all of it.',
    },
    z.strictObject({ session: sessionField, state: z.int().min(1).describe('its number (#N)') }),
    async ({ session, state }) => {
      const debugged = sessions.find(session);
      return debugged.show(await debugged.goTo(state));
    },
  );
  add(
    'stop_debugging',
    { title: 'Stop debugging', description: 'Ends a session and forgets its states.' },
    z.strictObject({ session: sessionField }),
    async ({ session }) => {
      await sessions.end(session);
      return `session ${session} has ended`;
    },
  );
}

/** The states of a row of equal actions; where one fails, those before it and why. */
async function actRepeatedly(
  debugged: Debugged,
  first: GivenAction,
  times: number,
  signal: AbortSignal,
): Promise<Reply> {
  const found: string[] = [];
  let action = first;
  while (found.length < times) {
    try {
      const since = action.from ?? debugged.standing.number;
      const answer = await debugged.act(action, signal);
      found.push(debugged.show(answer, since));
      // Not from where the session stands: another call may have moved it.
      action = { ...first, from: answer.number };
    } catch (error) {
      return { found, error };
    }
  }
  return found.join('\n');
}

async function evaluateAll(
  debugged: Debugged,
  expressions: readonly string[],
  at: number | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  const told = await Promise.allSettled(
    expressions.map((expression) => debugged.evaluate(expression, at, signal)),
  );
  const failed = told.find((one) => one.status === 'rejected');
  const found = told.flatMap((one, index) =>
    one.status === 'fulfilled' ? [`${expressions[index]} = ${evaluationText(one.value)}`] : [],
  );
  return failed === undefined ? found.join('\n') : { found, error: asForetraceError(failed.reason) };
}
