/** What a model reads: the program with a main function that makes the call, and frames that lead to a state. */
import type { Program, Scope } from '../../debugger/program.js';
import type { DebuggerState, EventKind, Frame } from '../../debugger/state.js';
import { showsLocals } from './frame-text.js';
import { jsonText } from './json-string.js';
import type { Vocabulary } from './vocabulary.js';

/** A frame of the format. */
export interface ShownFrame {
  readonly event: EventKind;
  /** Source text of its line. */
  readonly line: string;
  readonly locals: ReadonlyMap<string, string>;
  readonly value?: string;
}

/** The tokens before the frames of the entry's call: the program, and how its main function comes to make the call. */
export function beginningOf(vocabulary: Vocabulary, program: Program): readonly number[] {
  const { special } = vocabulary;
  const name = mainName(program);
  const head = `def ${name}():`;
  const call = `    return ${program.call}`;
  const source = program.source.replace(/\n$/, '');
  const text = `\n${source}\n${head}  # << START_OF_TRACE\n${call}\n`;
  const none = new Map<string, string>();
  return [
    ...(special.begin === undefined ? [] : [special.begin]),
    special.context,
    ...vocabulary.encode(text),
    special.frame,
    ...frameTokens(vocabulary, { event: 'call', line: head, locals: none }),
    ...frameTokens(vocabulary, { event: 'line', line: call, locals: none }),
  ];
}

/** A name for the function that the format wants to begin a run, which the program does not have. */
function mainName({ bound, call }: Program): string {
  let name = 'main';
  while (bound.has(name) || call.includes(name)) name += '_';
  return name;
}

/** The tokens of a frame. */
export function frameTokens(vocabulary: Vocabulary, frame: ShownFrame): number[] {
  const { special } = vocabulary;
  const { event, line, locals, value } = frame;
  const shown = showsLocals(event) ? vocabulary.encode(localsText(locals)) : [];
  const given = value === undefined ? [] : [special.argument, ...vocabulary.encode(`"${jsonText(value)}"`)];
  return [special[event], ...shown, special.action, ...vocabulary.encodeLine(line), ...given, special.frame];
}

const localsText = (locals: ReadonlyMap<string, string>): string =>
  `{${[...locals].map(([name, value]) => `"${jsonText(name)}": "${jsonText(value)}"`).join(', ')}}`;

/** Frames that show a state without the way to it: of each frame on the stack how it was called, and where it stands. */
export function keyframe(program: Program, state: DebuggerState): ShownFrame[] {
  const { frames, event, value } = state;
  return frames.flatMap((frame, index) => {
    const isTop = index === frames.length - 1;
    const scope = program.scopeOf({
      event: isTop ? event : 'line',
      frames: frames.slice(0, index + 1),
      hiddenFrames: 0,
    });
    const line = program.lines[frame.line - 1] ?? '';
    const shown: ShownFrame[] = [callOf(program, frame, scope)];
    if (!isTop || event !== 'call') shown.push({ event: 'line', line, locals: frame.locals });
    if (isTop && value !== undefined) shown.push({ event, line, locals: new Map(), value });
    return shown;
  });
}

/** How a frame was called, as far as it shows it: with the values that its parameters have now. */
function callOf(program: Program, frame: Frame, scope: Scope | undefined): ShownFrame {
  const locals = new Map([...frame.locals].filter(([name]) => scope?.namesAtCall.includes(name) !== false));
  return { event: 'call', line: program.lines[(scope?.callLines[0] ?? frame.line) - 1] ?? '', locals };
}
