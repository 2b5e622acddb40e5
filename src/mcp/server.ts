/** The MCP server: foretrace as tools for coding agents. */
import { McpServer } from '@modelcontextprotocol/server';
import { programsOf } from './arguments.js';
import { addPredictionTools } from './prediction-tools.js';
import { addRunTools } from './run-tools.js';
import { addSessionTools } from './session-tools.js';
import type { Sessions } from './sessions.js';
import { adderTo } from './tool.js';

const instructions = (
  readsFiles: boolean,
): string => `Predicts what a debugger would show for Python programs, without running them: useful for code that cannot or must not be run, and to look at any state, forward and backward.
A program is a text${readsFiles ? ' or a file' : ''}, and a call with literal arguments. One question: predict_call, predict_line. Several: start_debugging, then act and the others.
A state is shown as "#N event in function, line L (how sure its place is, where it came from)", the line, and locals that changed, each with its probability; #N is its number. Events: call, line (about to run), return (with the value), exception; a frame that an exception leaves also shows a return of None.
Answers are predictions of a small model, not facts: below 90 % take them for guesses. Sizes are limited: programs of some hundred lines, short values.`;

export interface McpHost {
  readonly sessions: Sessions;
  readonly version: string;
  /** Where agents may name files. @throws ForetraceError unreadable_file */
  readonly readSource?: (file: string) => string;
}

export function createMcpServer({ sessions, version, readSource }: McpHost): McpServer {
  const about = { instructions: instructions(readSource !== undefined) };
  const server = new McpServer({ name: 'foretrace', version }, about);
  const add = adderTo(server);
  const programs = programsOf(readSource);
  addPredictionTools(add, sessions, programs);
  addSessionTools(add, sessions, programs);
  addRunTools(add, sessions);
  return server;
}
