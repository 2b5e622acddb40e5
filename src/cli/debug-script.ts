/** The language of the debug prompt: one line of text -> one command. Pure. */
import { type ActionKind, actionKinds, takesLines } from '../debugger/action.js';
import { ForetraceError } from '../errors.js';
import { type Mode, modes } from '../session/navigate.js';

export type DebugCommand =
  | { readonly kind: 'act'; readonly action: ActionKind; readonly lines: readonly number[] }
  | { readonly kind: 'evaluate'; readonly expression: string }
  | {
      readonly kind: 'candidates';
      readonly count: number;
      readonly action: ActionKind;
      readonly lines: readonly number[];
      readonly check: boolean;
    }
  | { readonly kind: 'mode'; readonly mode: Mode }
  | { readonly kind: 'exceptions'; readonly stop: boolean }
  | {
      readonly kind: 'query';
      readonly query: 'values' | 'changed' | 'table';
      readonly names: readonly string[];
      readonly line: number;
    }
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'goto'; readonly state: number }
  | { readonly kind: 'where' | 'locals' | 'list' | 'back' | 'fork' | 'states' | 'help' | 'quit' };

const shortActions: Readonly<Record<string, ActionKind>> = {
  s: 'step_into',
  step: 'step_into',
  n: 'step_over',
  next: 'step_over',
  r: 'step_return',
  return: 'step_return',
  b: 'breakpoint',
  break: 'breakpoint',
  c: 'continue',
  rs: 'inv_step_into',
  rn: 'inv_step_over',
  rr: 'inv_step_call',
  rb: 'inv_breakpoint',
  rc: 'inv_continue',
  cont: 'continue',
};

const plainCommands: Readonly<
  Record<string, 'where' | 'locals' | 'list' | 'back' | 'fork' | 'states' | 'help' | 'quit'>
> = {
  where: 'where',
  w: 'where',
  bt: 'where',
  locals: 'locals',
  a: 'locals',
  args: 'locals',
  list: 'list',
  l: 'list',
  ll: 'list',
  back: 'back',
  undo: 'back',
  fork: 'fork',
  states: 'states',
  help: 'help',
  h: 'help',
  '?': 'help',
  quit: 'quit',
  q: 'quit',
  exit: 'quit',
};

export const helpText = `Forward            Backward               Looking and moving
  s  step_into       rs  inv_step_into      p EXPRESSION   its value here, for example p len(x)
  n  step_over       rn  inv_step_over      locals, where  locals, frame stack
  r  step_return     rr  inv_step_call      list           program, current line marked
  b LINES            rb LINES               back           the state this one was reached from
     breakpoint          inv_breakpoint     goto N, states any visited state
  c  continue        rc  inv_continue       set x = 3      the state with another local
                                            fork, help, quit
candidates 5 rs       five states that may come before this one, with their probabilities (any action)
candidates 5 rs check those first from which a step forward leads back here; goto N goes to one
mode jump             one prediction an action; mode walk: one for each event on the way, shown; mode auto (the default): what is likelier right
exceptions on         actions forward walk, and stop where an exception is raised; exceptions off
values x 7            x at every hit of line 7 from here on; changed x: where it first changes; table [x y]: this frame as a table
                      (within 4,096 events)
An empty line repeats the last action; Ctrl-C stops a running one.`;

const wrong = (text: string, expected: string): ForetraceError =>
  new ForetraceError('invalid_action', `not a debugger command: ${text}`, { expected, actual: text });

function lineNumbers(text: string, rest: string): number[] {
  const lines = rest.split(/[\s,]+/).filter((word) => word !== '');
  if (lines.length === 0 || lines.some((word) => !/^[1-9]\d{0,8}$/.test(word)))
    throw wrong(text, 'a line number, or several');
  return lines.map(Number);
}

/** `candidates N ACTION [LINES] [check]` */
function candidatesCommand(text: string, rest: string): DebugCommand {
  const [count, asked, check] = /^([1-9]\d{0,8})\s+(.*?)(\s+check)?$/.exec(rest)?.slice(1) ?? [];
  const expected = 'candidates N ACTION, perhaps with `check`, for example candidates 5 inv_step_into check';
  if (count === undefined || asked === undefined) throw wrong(text, expected);
  const command = parseCommand(asked);
  if (command.kind !== 'act') throw wrong(text, expected);
  const { action, lines } = command;
  return { kind: 'candidates', count: Number(count), action, lines, check: check !== undefined };
}

/** `values NAME LINE`, `changed NAME`, `table [NAMES]` */
function queryCommand(text: string, query: 'values' | 'changed' | 'table', rest: string): DebugCommand {
  const names = rest.split(/[\s,]+/).filter((word) => word !== '');
  const last = query === 'values' ? names.pop() : '0';
  const isFull = query === 'table' || names.length === 1;
  if (!isFull || last === undefined || !/^\d{1,9}$/.test(last))
    throw wrong(text, 'values NAME LINE, changed NAME or table [NAMES]');
  return { kind: 'query', query, names, line: Number(last) };
}

/** @throws ForetraceError invalid_action */
export function parseCommand(text: string): DebugCommand {
  const [word = '', rest = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(text)?.slice(1) ?? [];
  const action = Object.hasOwn(shortActions, word)
    ? shortActions[word]
    : actionKinds.find((kind) => kind === word);
  if (action) {
    if (!takesLines(action) && rest !== '') throw wrong(text, `${word} alone`);
    return { kind: 'act', action, lines: takesLines(action) ? lineNumbers(text, rest) : [] };
  }
  if (word === 'p' || word === 'print' || word === 'evaluate') {
    if (rest === '') throw wrong(text, `${word} EXPRESSION`);
    return { kind: 'evaluate', expression: rest };
  }
  if (word === 'candidates') return candidatesCommand(text, rest);
  if (word === 'mode') {
    const mode = modes.find((known) => known === rest);
    if (!mode) throw wrong(text, 'mode jump, mode walk or mode auto');
    return { kind: 'mode', mode };
  }
  if (word === 'exceptions') {
    if (rest !== 'on' && rest !== 'off') throw wrong(text, 'exceptions on or exceptions off');
    return { kind: 'exceptions', stop: rest === 'on' };
  }
  if (word === 'values' || word === 'changed' || word === 'table') return queryCommand(text, word, rest);
  if (word === 'goto') {
    if (!/^[1-9]\d{0,8}$/.test(rest)) throw wrong(text, 'goto N, the number of a visited state');
    return { kind: 'goto', state: Number(rest) };
  }
  if (word === 'set') {
    const assignment = /^([^\s=]+)\s*=\s*(.+)$/.exec(rest);
    if (!assignment) throw wrong(text, 'set NAME = VALUE');
    return { kind: 'set', name: assignment[1] as string, value: assignment[2] as string };
  }
  const plain = Object.hasOwn(plainCommands, word) ? plainCommands[word] : undefined;
  if (plain && rest === '') return { kind: plain };
  throw wrong(text, 'one of the commands that `help` lists');
}

/** Splits a script at semicolons outside quotes. */
export function splitScript(script: string): string[] {
  const commands = script.match(/(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^;'"]|['"])+/g) ?? [];
  return commands.map((command) => command.trim()).filter((command) => command !== '');
}
