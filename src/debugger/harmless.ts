/** Whether functions of a program leave lists and their like as they find them, whatever they are given: told by what their lines can do. */
import { hasPlainAttributes } from './language/attributes.js';
import { callablesOf } from './language/callables.js';
import type { Effects } from './language/effects.js';
import type { LineFlow } from './language/flow.js';
import { mayCall } from './language/known-calls.js';
import type { Part } from './language/parts.js';
import { readsProperty } from './language/properties.js';
import { onlyStatement } from './only-statement.js';
import type { Program, Scope } from './program.js';

const changes = (program: Program, scope: Scope, { stores, disturbs, updates }: Effects): boolean =>
  stores || disturbs || [...updates].some((name) => !countsAlone(program, scope, name));

/** Whether a name of a function stands for numbers and texts alone: it begins with one, and is nothing but added to and the like. */
function countsAlone(program: Program, scope: Scope, name: string): boolean {
  if (!scope.names.includes(name) || scope.namesAtCall.includes(name) || program.reboundNames.has(name))
    return false;
  const binding = scope.lines.filter(
    (line) => scope.flow?.lines.get(line)?.effects.binds.has(name) !== false,
  );
  const texts = binding.map((line) => program.lines[line - 1] ?? '');
  const begins = new RegExp(
    `^\\s*${name}\\s*(?::\\s*\\w+\\s*)?=\\s*(?:-?\\d[\\d._]*|'[^'\\\\]*'|"[^"\\\\]*"|True|False)\\s*(?:#.*)?$`,
  );
  const goesOn = new RegExp(`^\\s*${name}\\s*(?:[-+*/%&|^]|//|\\*\\*|<<|>>)=(?!=)`);
  return (
    texts.some((text) => begins.test(text)) && texts.every((text) => begins.test(text) || goesOn.test(text))
  );
}

/** What the lines of a function do themselves; undefined where nothing is said of one. */
function linesOf(program: Program, scope: Scope): { flow: LineFlow; scope: Scope }[] | undefined {
  // A generator expression runs where it is written: the line there has its effects.
  const around =
    scope.name === '<genexpr>' && scope.parent !== undefined ? program.scopes[scope.parent] : scope;
  const flows = scope.lines.map((line) => around?.flow?.lines.get(line));
  return flows.every((flow) => flow !== undefined)
    ? flows.map((flow) => ({ flow, scope: around as Scope }))
    : undefined;
}

/** Whether nothing that was there before is changed by a line of a function, nor by anything that it calls. */
export const leavesAllAsItIs = (program: Program, scope: Scope, line: number): boolean =>
  changesNothing(program, scope, line, true);

/** Whether nothing that was there before is changed by what a line calls, whatever it changes itself. */
export const callsLeaveAllAsItIs = (program: Program, scope: Scope, line: number): boolean =>
  changesNothing(program, scope, line, false);

function changesNothing(program: Program, own: Scope, line: number, itself: boolean): boolean {
  const first = own.flow?.lines.get(line);
  if (first === undefined) return false;
  const seen = new Set<number>();
  const open = [{ flow: first, scope: own }];
  for (const [at, { flow, scope }] of open.entries()) {
    // Called again, the line changes what it does.
    const isSkipped = at === 0 && !itself;
    if (flow.called === undefined || (!isSkipped && changes(program, scope, flow.effects))) return false;
    for (const first of flow.called) {
      if (seen.has(first)) continue;
      seen.add(first);
      for (const callee of program.scopes.filter(({ firstLine }) => firstLine === first)) {
        const lines = linesOf(program, callee);
        if (lines === undefined) return false;
        open.push(...lines);
      }
    }
  }
  return true;
}

/** Whether a method that begins with a new object changes nothing but attributes of that. */
export function changesOnlyNew(program: Program, scope: Scope): boolean {
  const [object = ''] = scope.positional;
  const isNew = scope.name === '__init__' && scope.keptParameters.has(object) && hasPlainAttributes(program);
  return isNew && scope.lines.every((line) => setsOnly(program, scope, line, program.slots.get(object)));
}

/** Whether a line calls nothing of the program, and sets names and attributes of one and nothing else. */
function setsOnly(program: Program, scope: Scope, line: number, slot: number | undefined): boolean {
  const { effects } = scope.flow?.lines.get(line) ?? {};
  if (effects === undefined || effects.disturbs || effects.updates.size > 0) return false;
  if (!effects.calls && !effects.stores) return true;
  const { code, line: parts } = onlyStatement(program, scope, line) ?? {};
  if (code === undefined || parts === undefined) return false;
  const isOwn = ({ kind, first, parts: [base] }: Part): boolean =>
    kind === 'name' || (kind === 'attribute' && base?.kind === 'name' && code[first] === slot);
  const isHidden = effects.operates || (effects.calls && callablesOf(program).hasFactories);
  const calls = [...parts.values, ...parts.inner].some(
    (part) =>
      mayCall(code, part) ||
      readsProperty(program, code, part) ||
      (effects.calls && (isHidden || (effects.hides && asksForItems(part)))),
  );
  return !calls && (!effects.stores || parts.targets.length > 0) && parts.targets.every(isOwn);
}

/** Whether something in a part may be asked for its items, which a generator of the program has to make. */
const asksForItems = ({ kind, parts }: Part): boolean =>
  kind === 'comprehension' ||
  kind === 'generator' ||
  kind === 'star' ||
  (kind === 'call' && parts.length > 1) ||
  parts.some(asksForItems);
