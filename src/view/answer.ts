/** How answers look: one JSON object a state for machines, a few lines for people. Pure. */
import { isGiven } from '../wire/given.js';
import {
  actionNumbers,
  modeNumbers,
  originNumbers,
  type WireAnswer,
  type WireFrame,
  type WireState,
} from '../wire/messages.js';
import { eventName, nameOf, originName } from '../wire/names.js';

/** The action that led here; `start` for a first state, `edit` for one with changed locals, `query` for one that a query found. */
export function actionName(answer: WireAnswer): string {
  if (!answer.action) {
    if (answer.parent === 0) return 'start';
    return answer.origin === originNumbers.given ? 'edit' : 'query';
  }
  return nameOf(actionNumbers, answer.action.kind);
}

const topFrame = (state: WireState): WireFrame => state.frames.at(-1) as WireFrame;
/** Values come from a model: what could move the cursor or colour the terminal is shown as an escape. */
export const printable = (value: string): string =>
  value.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

/** A line of the program: whoever wrote it may be as little trusted as a model, but tabs indent it. */
const printableLine = (text: string): string => text.split('\t').map(printable).join('\t');

export const percent = (probability: number | undefined): string =>
  probability === undefined ? '' : `${Math.round(probability * 100)} %`.padStart(5);

/** What `debug --json` prints for a state. */
export const answerJson = (answer: WireAnswer): string => JSON.stringify(answerFields(answer));

/** A frame as a start state has it: what a debugger shows, and what it hides. */
const frameFields = ({ line, locals, its, gots, lineBefore }: WireFrame) => ({
  line,
  locals: Object.fromEntries(locals.map(({ name, value }) => [name, value])),
  ...(its.length > 0 ? { its } : {}),
  ...(gots.length > 0 ? { gots } : {}),
  ...(isGiven(lineBefore) ? { line_before: lineBefore } : {}),
});

export function answerFields(answer: WireAnswer): object {
  const { state, probability } = answer;
  const { line, ...shown } = frameFields(topFrame(state));
  const callers = state.frames.slice(0, -1).map(frameFields);
  return {
    state: answer.number,
    parent: answer.parent,
    action: actionName(answer),
    ...(answer.action?.lines.length ? { lines: answer.action.lines } : {}),
    event: eventName(state),
    line,
    source: answer.sourceLine,
    function: answer.function,
    depth: state.hiddenFrames + state.frames.length,
    ...shown,
    ...(isGiven(state.value) ? { value: state.value } : {}),
    ...(callers.length > 0 ? { callers } : {}),
    ...(state.hiddenFrames > 0 ? { hidden_frames: state.hiddenFrames } : {}),
    origin: originName(answer),
    probability: {
      event: probability.event,
      line: probability.line,
      locals: probability.locals,
      ...(isGiven(probability.value) ? { value: probability.value } : {}),
    },
    mode: nameOf(modeNumbers, answer.mode),
    horizon: answer.horizon,
    ...(answer.expectedHorizon > 0 ? { expected_horizon: answer.expectedHorizon } : {}),
    steps: answer.steps,
    tokens: answer.tokens,
    at_start: answer.atStart,
    at_end: answer.atEnd,
  };
}

const probabilityOf = ({ probability }: WireAnswer, name: string): number | undefined =>
  Object.hasOwn(probability.locals, name) ? probability.locals[name] : undefined;

/** Locals that differ from the state before (all of them in another frame or function), with their probabilities. */
function changedLocals(answer: WireAnswer, before: WireAnswer | undefined): string[] {
  const frame = topFrame(answer.state);
  const sameFrame =
    before?.function === answer.function && before.state.frames.length === answer.state.frames.length;
  const old = new Map(sameFrame ? topFrame(before.state).locals.map(({ name, value }) => [name, value]) : []);
  return frame.locals
    .filter(({ name, value }) => old.get(name) !== value)
    .map(({ name, value }) => `      ${percent(probabilityOf(answer, name))}  ${name} = ${printable(value)}`);
}

const sure = (probability: number | undefined): string =>
  probability === undefined ? '' : ` (${percent(probability).trim()})`;

export function answerText(answer: WireAnswer, before?: WireAnswer): string {
  const { state, probability } = answer;
  const line = topFrame(state).line;
  const value = isGiven(state.value) ? ` -> ${printable(state.value)}${sure(probability.value)}` : '';
  const certainty =
    answer.origin === originNumbers.given ? '' : `${percent(probability.event * probability.line).trim()}, `;
  const way = answer.horizon > 1 ? `, ${answer.horizon} events` : '';
  const about = `${certainty}${originName(answer)}${way}`;
  const head = `#${answer.number} ${eventName(state)} in ${answer.function}, line ${line} (${about})${value}`;
  return [
    head,
    `${String(line).padStart(5)}  ${printableLine(answer.sourceLine)}`,
    ...changedLocals(answer, before),
  ].join('\n');
}

/** One local with its probability, if the frame has it. */
export function localText(answer: WireAnswer, name: string): string | undefined {
  const local = topFrame(answer.state).locals.find((candidate) => candidate.name === name);
  if (!local) return undefined;
  const probability = probabilityOf(answer, name);
  if (probability !== undefined) return `${printable(local.value)}  (${percent(probability).trim()})`;
  return answer.origin === originNumbers.given
    ? printable(local.value)
    : `${printable(local.value)}  (unchanged)`;
}

export const localNames = (answer: WireAnswer): string[] =>
  topFrame(answer.state).locals.map(({ name }) => name);

export function localsText(answer: WireAnswer): string {
  const { locals } = topFrame(answer.state);
  if (locals.length === 0) return '  (no locals)';
  return locals
    .map(({ name, value }) => `  ${percent(probabilityOf(answer, name))}  ${name} = ${printable(value)}`)
    .join('\n');
}

export function whereText(answer: WireAnswer, lines: readonly string[]): string {
  const { frames, hiddenFrames } = answer.state;
  const hidden = hiddenFrames > 0 ? [`  (${hiddenFrames} outer frames not shown)`] : [];
  const shown = frames.map((frame, index) => {
    const mark = index === frames.length - 1 ? '->' : '  ';
    const name = answer.functions[index] || '?';
    return `${mark} ${name}, line ${frame.line}: ${printable(lines[frame.line - 1]?.trim() ?? '')}`;
  });
  return [...hidden, ...shown].join('\n');
}

export function listText(
  answer: WireAnswer,
  lines: readonly string[],
  executable: ReadonlySet<number>,
): string {
  const current = topFrame(answer.state).line;
  return lines
    .map((text, index) => {
      const number = index + 1;
      const mark = number === current ? '->' : executable.has(number) ? ' .' : '  ';
      return `${mark} ${String(number).padStart(4)}  ${printableLine(text)}`;
    })
    .join('\n');
}
