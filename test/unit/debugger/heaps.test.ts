/** Heaps are left as Python leaves them, comparison for comparison. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { interpreter } from '../../../src/cli/python.js';
import {
  type HeapOperation,
  heapChangedBy,
  heapOperations as operations,
} from '../../../src/debugger/language/heaps.js';
import { textTokens } from '../../../src/debugger/language/tokens.js';

/** In Python, of integers that count how often they are compared: heap and item -> list, value, comparisons. */
const python = `
import heapq, json, sys

compared = 0

class Counted(int):
    def __lt__(self, other):
        global compared
        compared += 1
        return int(self) < int(other)

def run(operation, items, item):
    global compared
    compared = 0
    heap = [Counted(x) for x in items]
    arguments = [heap] if item is None else [heap, Counted(item)]
    try:
        given = getattr(heapq, operation)(*arguments)
    except IndexError as error:
        return None
    return [heap, given, compared]

print(json.dumps([run(*case) for case in json.load(sys.stdin)]))
`;

it('every operation, on lists of up to 12 items', async () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const cases = Array.from({ length: 400 }, (_, index) => {
    const operation = operations[index % operations.length] as HeapOperation;
    const items = Array.from({ length: random(13) }, () => random(20) - 10);
    return [
      operation,
      items,
      operation === 'heappop' || operation === 'heapify' ? null : random(20) - 10,
    ] as const;
  });
  const { stdout } = spawnSync(interpreter(), ['-c', python], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
  });
  const expected = JSON.parse(stdout) as ([number[], number | null, number] | null)[];
  expect(expected).toHaveLength(cases.length);
  const numberOf = new Map(Array.from({ length: 41 }, (_, at) => [textTokens(`${at - 20}`).join(), at - 20]));
  for (const [index, [operation, items, item]] of cases.entries()) {
    let compared = 0;
    const found = await heapChangedBy(
      operation,
      items.map((x) => textTokens(`${x}`)),
      item === null ? undefined : textTokens(`${item}`),
      async (a, b) => {
        compared += 1;
        return (numberOf.get(a.join()) as number) < (numberOf.get(b.join()) as number);
      },
    );
    const read = found && [
      found.left.map((value) => numberOf.get(value.join())),
      found.given === undefined ? null : numberOf.get(found.given.join()),
      compared,
    ];
    expect({ operation, items, item, found: read ?? null }).toEqual({
      operation,
      items,
      item,
      found: expected[index],
    });
  }
});
