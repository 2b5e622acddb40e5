/** What a function that returns may have changed: where it had nothing but literals and objects of these, nothing else of its caller. */
import { isImmutable } from './frozen.js';
import { mutableDepth } from './language/literal-values.js';
import { attributesIn } from './language/repr-text.js';
import { encodeValue } from './language/values.js';
import { type Program, perText } from './program.js';
import { scopeOf } from './running.js';
import { freeNames } from './shared-variables.js';
import type { DebuggerState } from './state.js';

const assigned = /^([^\W\d]\w*)[ \t]*(?::[^=\n]*)?=(?!=)[ \t]*(.*)$/gmu;
const literal = /^[^<]*$/;
const readers = 'copy|count|get|index|items|keys|values|sub|match|search|fullmatch|findall|split|format|join';

/** Whether functions find nothing in the module that they may change, nor objects. */
const hasPlainModule = perText(({ source }): boolean => {
  if (/^[ \t]*(?:global|nonlocal)\b/m.test(source)) return false;
  return [...source.matchAll(assigned)].every(([, name = '', value = '']) => {
    // What is called may be a class of the program.
    const called = [...value.matchAll(/([^\W\d]\w*)\s*\(/gu)].map(([, callee = '']) => callee);
    if (called.some((callee) => new RegExp(`\\b(?:class|def)\\s+${callee}\\b`).test(source))) return false;
    const place = `(?<![.\\w])${name}(?:\\[[^\\]\\n]*\\]|\\.\\w+)*`;
    const changes = new RegExp(
      `^[ \\t]+.*${place}(?:\\[[^\\]\\n]*\\]\\s*[-+*/|&]?=(?!=)|\\s*[-+*/|&]=|\\.(?!(?:${readers})\\b)\\w+\\()`,
      'm',
    );
    // By another name it may be changed as well.
    const isHandedOn = new RegExp(
      `^[ \\t]+.*(?:(?:=|\\breturn|\\byield|[(,])[ \\t]*${place}[ \\t]*(?:[,)]|#|$))`,
      'm',
    );
    return !changes.test(source) && !isHandedOn.test(source);
  });
});

/** Whether what a text shows is made of literals, or is an object of the program whose attributes are. */
function holdsLiterals(text: string): boolean {
  if (text.includes('…')) return false;
  const attributes = attributesIn(text);
  if (attributes === undefined)
    return literal.test(text) && !/[^\W\d]\w*\(/u.test(text.replace(/'[^']*'|"[^"]*"/g, ''));
  return attributes.every(({ first, end }) => holdsLiterals(text.slice(first, end)) && text[first] !== '<');
}

/**
 * Whether a function that returns normally can have changed nothing of its caller but objects that it was given, and these only in what they show. looked: parameters
 * that have what was looked up for them.
 */
export function changesOnlyGiven(
  program: Program,
  state: DebuggerState,
  looked: readonly string[] = [],
): boolean {
  const frame = state.frames.at(-1);
  const scope = frame && scopeOf(program, frame, 'return');
  if (frame === undefined || scope === undefined || state.event !== 'return') return false;
  if (scope.isGenerator || freeNames(scope).length > 0 || !hasPlainModule(program)) return false;
  return [...scope.parameters].every((name) => {
    const text = frame.locals.get(name);
    if (text === undefined || !scope.keptParameters.has(name) || !holdsLiterals(text)) return false;
    // What holds lists may hold what was looked up, or be what that was looked up in.
    return looked.includes(name) || isShallow(program, text);
  });
}

/** Whether a text shows no lists in lists, and an object no lists in lists that it has. */
function isShallow(program: Program, text: string): boolean {
  const attributes = attributesIn(text);
  const texts = attributes?.map(({ first, end }) => text.slice(first, end)) ?? [text];
  return texts.every((one) => isImmutable(one) || mutableDepth(encodeValue(program, one)) < 2);
}
