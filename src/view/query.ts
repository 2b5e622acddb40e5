/** How the rows of a trajectory query look: one JSON object a row for machines, a line a row for people. Pure. */
import { queryEndNumbers, type WireQueryResult } from '../wire/messages.js';
import { eventName, nameOf } from '../wire/names.js';
import { answerFields, percent, printable } from './answer.js';

const endName = ({ end }: WireQueryResult): string => nameOf(queryEndNumbers, end);

/** A line for each row, and one that says what ended the page. */
export const queryJson = (result: WireQueryResult): string[] => [
  ...result.rows.map(({ answer, values, probability }) =>
    JSON.stringify({ row: values, row_probability: probability, ...answerFields(answer) }),
  ),
  JSON.stringify({
    columns: result.columns,
    rows: result.rows.length,
    end: endName(result),
    truncated: result.truncated,
    steps: result.steps,
  }),
];

const endings: Readonly<Record<string, string>> = {
  open: '  ...',
  run: '  the run ends',
  frame: '  the frame ends',
  found: '',
  circle: '  the predicted states repeat',
};

export function queryText(result: WireQueryResult): string[] {
  const rows = result.rows.map(({ answer, values, probability }) => {
    const cells = result.columns.map((name) => `${name} = ${printable(values[name] ?? '-')}`);
    const { line } = answer.state.frames.at(-1) ?? { line: 0 };
    return `${percent(probability)}  #${answer.number} ${eventName(answer.state)} line ${line}: ${cells.join(', ')}`;
  });
  const ending = endings[endName(result)] ?? '';
  return ending === '' ? rows : [...rows, ending];
}
