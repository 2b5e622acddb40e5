/** What `def` and `class` statements leave that stand in a function. */
import { indentOf, lineTokens, type Program } from '../program.js';
import type { Running } from '../running.js';
import { isPlainClassHead } from './callables.js';
import { noResults, type Results } from './results.js';
import { charTokens, slotBase, wordTokens } from './tokens.js';

const [def, classWord] = wordTokens('def class');
const [opening, colon] = charTokens('(:');

/** What a `class` statement without decorators leaves, in whose body nothing is called. */
function classDefinedBy(program: Program, { frame, scope }: Running, head: ArrayLike<number>): Results {
  const name = program.slotNames[(head[1] as number) - slotBase] ?? '';
  const isHeadPlain =
    head[head.length - 1] === colon && isPlainClassHead(program.lines[frame.line - 1] ?? '');
  const own = `${scope.qualifiedName}.<locals>.${name}`;
  const inside = program.scopes.filter(({ qualifiedName }) => qualifiedName.startsWith(`${own}.`));
  const indent = indentOf(program, frame.line);
  for (const line of program.codeLines) {
    if (line <= frame.line) continue;
    if (indentOf(program, line) <= indent) break;
    const method = inside.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
    const code = lineTokens(program, line);
    const brackets = code.filter((token) => token === opening).length;
    const isHead = method?.firstLine === line;
    const isPlain = method === undefined ? brackets === 0 : !isHead || (brackets === 1 && code[0] === def);
    if (!isPlain) return noResults;
  }
  return isHeadPlain && scope.names.includes(name)
    ? { assigned: new Map([[name, `<class '${own}'>`]]) }
    : noResults;
}

/**
 * What a `def` statement that stands in the frame leaves, if it has no decorators and nothing in its line, which is all of its head, is called; and a `class`
 * statement.
 */
export function definedBy(program: Program, running: Running, code: ArrayLike<number>): Results {
  if (code[0] === classWord) return classDefinedBy(program, running, code);
  const { frame, scope } = running;
  const isHead = code[0] === def && code[code.length - 1] === colon;
  const isPlain = Array.from(code).filter((token) => token === opening).length === 1;
  const found = program.scopes.filter(
    ({ firstLine, parent, name }) =>
      firstLine === frame.line && parent === scope.index && !name.startsWith('<'),
  );
  const [defined] = found;
  if (!isHead || !isPlain || defined === undefined || found.length > 1 || !scope.names.includes(defined.name))
    return noResults;
  return { assigned: new Map([[defined.name, `<function ${defined.qualifiedName}>`]]) };
}
