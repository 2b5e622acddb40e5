/** Whether a program makes lists in which one object stands at several places: what is assigned to an item of one row is in all of them after `[[0] * 3] * 2`. */
import { perText } from '../program.js';

const name = /^(?!(?:None|True|False)$)[A-Za-z_]\w*$/;

/** Whether a list may be an item of another one twice. */
export const sharesItems = perText(({ source }) => /\bfromkeys\b/.test(source) || repeatsObjects(source));

/** Whether there is a list with another display, a call or a name of no number in it that is multiplied. */
function repeatsObjects(source: string): boolean {
  const opened: number[] = [];
  for (const { 0: bracket, index } of source.matchAll(/[[\]]/g)) {
    if (bracket === '[') opened.push(index);
    else {
      const first = opened.pop() ?? 0;
      const isRepeated =
        /^\s*\*(?!\*)/.test(source.slice(index + 1)) || /\*\s*$/.test(source.slice(0, first));
      const inside = source.slice(first + 1, index).trim();
      const isObject = /[[{(]/.test(inside) || (name.test(inside) && !isNumber(source, inside));
      if (isRepeated && isObject) return true;
    }
  }
  return false;
}

const binding =
  /^\s*(?:async|def|class|for|with|import|from|global|nonlocal|except|case)\b|\b(?:lambda|for)\b/;
const number = /^\s*\w+ *= *-?(?:\d[\d_.]*|float\(['"]-?inf['"]\)|math\.inf) *(?:#.*)?$/;
const assignment = /(?:^|[^=!<>])=(?!=)/;

/** Whether all that can bind a name are assignments of numbers that are written there. */
function isNumber(source: string, bound: string): boolean {
  const lines = source.split('\n').filter((line) => new RegExp(`\\b${bound}\\b`).test(line));
  const assigned = lines.filter((line) => new RegExp(`^\\s*${bound}\\b`).test(line) && number.test(line));
  const isRead = (line: string): boolean => {
    const at = line.search(new RegExp(`\\b${bound}\\b`));
    // A comprehension behind the name goes over something else.
    return !binding.test(line.slice(0, at)) && !assignment.test(line.slice(at));
  };
  return assigned.length > 0 && lines.every((line) => assigned.includes(line) || isRead(line));
}
